import { fileRows, plainBulkRows, type SiteFileRow } from '../contract/files.ts';
import { kindNames } from '../contract/kinds.ts';
import { describeEdition, getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
import { getNativeName } from '../contract/names.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import {
  capitalize,
  formatBytes,
  formatCount,
  formatKindTitle,
  joinWords,
  listKinds,
} from '../contract/words.ts';
import { addUrl, type Records } from '../dataset/data-set.ts';
import {
  fillPlaceholders,
  html,
  type Markup,
  type PageOptions,
  renderApiLink,
  renderPage,
  type Values,
} from './shared/markup.ts';

type Sizes = ReadonlyMap<string, number>;

export interface PagesInput {
  readonly template: (name: string) => string;
  readonly records: Records;
  readonly meta: Meta;
  /** Every file of the site except the pages. */
  readonly sizes: Sizes;
  readonly archive: boolean;
}

export function renderPages(input: PagesInput): SiteFile[] {
  const { template, meta } = input;
  const search = renderSearch(input);
  const root = `${paths.getBasePath(meta.base_url)}/`;
  const render = (name: string, values: Values, page: PageOptions): string =>
    renderPage(template('page.html'), fillPlaceholders(template(name), values), page, meta);
  const browse = {
    title: 'gamedata',
    description: `Game ${listKinds()}, as tables, cards and JSON.`,
    script: 'browse',
  };
  const renderBrowse = (root: string, json: string): string => {
    const files = plainBulkRows.filter(({ path }) => input.sizes.has(path));
    const links = files.map(
      ({ path }) => html`<li><a href="${root}${path}" download>${getFileName(path)}</a></li>`,
    );
    return render('browse.html', { search, json, files: links }, { ...browse, root });
  };
  const missing = {
    title: 'Not found · gamedata',
    description: 'There is nothing at this URL.',
    root,
  };
  const front = {
    title: `gamedata: ${listKinds()} as JSON`,
    description: `A read-only JSON API of ${summarize(meta)} from a series of creature-collecting games, served as static files.`,
    ...{ root: '', path: '/', script: 'front' },
  };
  return [
    // The same page twice: for API paths of any depth, and for plain file servers.
    { path: paths.BROWSE_FILE, body: renderBrowse(root, '?format=json') },
    { path: 'browse/index.html', body: renderBrowse('../', '../api/gamedata/index.json') },
    { path: paths.NOT_FOUND_FILE, body: render('404.html', { root }, missing) },
    { path: 'index.html', body: render('index.html', { search, ...describeSite(input) }, front) },
  ];
}

function renderSearch({ template, meta }: PagesInput): Markup {
  const languages = Object.keys(meta.names?.languages ?? {}).filter(
    (language) => language !== 'en',
  );
  return fillPlaceholders(template('search.html'), {
    kinds: kindNames.map((kind) => html`<option value="${kind}">${formatKindTitle(kind)}</option>`),
    languages: languages.map(
      (language) =>
        html`<option value="${language}" lang="${language}">${getNativeName(language)}</option>`,
    ),
  });
}

const summarize = ({ counts }: Meta): string =>
  joinWords(kindNames.map((kind) => formatCount(counts[kind], kind)));

function describeSite({ records, meta, sizes, archive }: PagesInput): Values {
  const { counts, edition, fallback, links, upstream } = meta;
  const downloads = renderDownloads(sizes, archive);
  return {
    title: `${capitalize(listKinds())}, as JSON`,
    summary: summarize(meta),
    example: renderExample(getLinkBase(meta), records),
    lists: kindNames.map(
      (
        kind,
      ) => html`<li>${renderApiLink({ root: '', links }, paths.listPath(kind), formatKindTitle(kind))}
<span>${formatCount(counts[kind], 'record')}, ${PAGE_SIZE} per page</span></li>`,
    ),
    captured: meta.captured,
    // For local files, `upstream` is a label instead of a URL.
    upstream: /^https?:\/\//.test(upstream)
      ? html`<a href="${upstream}" rel="noreferrer">${upstream}</a>`
      : upstream,
    edition: edition
      ? html`, <span title="${edition.hash}">${describeEdition(edition)}</span>`
      : '',
    fallback: fallback ?? '',
    downloads,
    empty: downloads.length === 0,
    descriptions: renderDescriptions(sizes),
  };
}

function renderExample(linkBase: paths.LinkBase, records: Records): Markup {
  const kind = kindNames.find((name) => records[name].length > 0);
  const record = kind && records[kind][0];
  if (!kind || !record) return html`<p>There are no records.</p>`;
  return html`<pre class="terminal" tabindex="0"><code><span class="prompt">$ </span><span id="command">curl "${paths.recordUrl(linkBase, kind, record.slug)}"</span>
<span id="answer">${JSON.stringify(addUrl(linkBase, kind, record), null, 2)}</span></code></pre>`;
}

export function renderDownloads(sizes: Sizes, archive: boolean): Markup[] {
  const render = ({ path, summary }: SiteFileRow, size: string, copy: string | Markup): Markup =>
    html`<tr><th scope="row"><a href="${path}" download>${getFileName(path)}</a></th><td>${summary.replace(/\. .*/s, '.')}</td>
<td>${size}</td>
<td>${copy}</td></tr>`;
  const bulk = plainBulkRows.filter(({ path }) => sizes.has(path));
  return [
    ...bulk.map((file) => {
      const path = paths.gzipFile(file.path);
      const size = formatSize(sizes, path);
      const label = `${getFileName(path)}, ${size}`;
      const copy = html`<a href="${path}" download aria-label="${label}">${size}</a>`;
      return render(file, formatSize(sizes, file.path), sizes.has(path) ? copy : '–');
    }),
    // The archive contains this page, so the page cannot state its size.
    ...(archive ? fileRows.archives.map((file) => render(file, '–', '–')) : []),
  ];
}

const getFileName = (path: string): string => path.slice(paths.DOWNLOAD_FOLDER.length);
const formatSize = (sizes: Sizes, path: string): string =>
  formatBytes(sizes.get(path) ?? 0, '\u00a0');

/** The most useful files come first. */
const described: readonly string[] = [
  ...[paths.OPENAPI_FILE, paths.schemaFile('{schema}'), paths.TYPES_FILE, paths.NAMES_INDEX_FILE],
  ...[paths.CHANGES_FILE, paths.FEED_FILE, paths.META_FILE, paths.SEARCH_FILE, paths.MANIFEST_FILE],
];

export function renderDescriptions(sizes: Sizes): Markup[] {
  const link = (path: string, text = path): Markup => html`<a href="${path}">${text}</a>`;
  const row = (name: string | Markup, meaning: string, links: readonly Markup[] = []): Markup =>
    html`<tr><th scope="row">${name}</th><td>${meaning}${links}</td></tr>`;
  const all = [...(sizes.has(paths.NAMES_INDEX_FILE) ? fileRows.names : []), ...fileRows.site];
  const files = described.flatMap((path) => all.filter((file) => file.path === path));
  const rows = files.map(({ path, summary }) => {
    const [folder = '', parameter] = path.split('{');
    if (parameter === undefined) return row(link(path), `${summary}.`);
    const inside = [...sizes.keys()].filter((file) => file.startsWith(folder)).sort();
    const links = inside.map((file) => link(file, file.slice(folder.length)));
    return row(folder, `${summary} for every response: `, links);
  });
  return [row(link('docs/'), 'Every endpoint and field, with code to copy.'), ...rows];
}
