/** The pages of a site except the docs. */

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
import { apiLink, fillPlaceholders, html, logoFile, type Markup, renderPage } from './shared/markup.ts';

/** The contents of the pages, with placeholders. */
export type PageTemplates = Readonly<
  Record<'index.html' | 'browse.html' | 'docs.html' | '404.html' | 'search.html', string>
>;

/** Path → size in bytes. */
type Sizes = ReadonlyMap<string, number>;

export interface PagesInput {
  readonly templates: PageTemplates;
  readonly records: Records;
  readonly meta: Meta;
  /** Every file of the site except the pages. */
  readonly sizes: Sizes;
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
}

export function renderPages(input: PagesInput): SiteFile[] {
  const { templates, meta } = input;
  const search = renderSearch(input);
  const root = `${paths.getBasePath(meta.base_url)}/`;
  const notFound = fillPlaceholders(templates['404.html'], { root });
  const description = 'There is nothing at this address.';
  return [
    { path: paths.LOGO_FILE, body: logoFile },
    // The same page twice: for API paths of any depth, and for plain file servers.
    { path: paths.BROWSE_FILE, body: renderBrowsePage(input, { search, root, json: '?format=json' }) },
    {
      path: 'browse/index.html',
      body: renderBrowsePage(input, { search, root: '../', json: '../api/gamedata/index.json' }),
    },
    {
      path: paths.NOT_FOUND_FILE,
      body: renderPage(notFound, { title: 'Not found · gamedata', description, root }, meta),
    },
    { path: 'index.html', body: renderFrontPage(input, search) },
  ];
}

function renderSearch({ templates, meta }: PagesInput): Markup {
  const languages = Object.keys(meta.names?.languages ?? {}).filter((language) => language !== 'en');
  return fillPlaceholders(templates['search.html'], {
    kinds: kindNames.map((kind) => html`<option value="${kind}">${formatKindTitle(kind)}</option>`),
    language:
      languages.length === 0
        ? ''
        : html`<div class="field">
<label for="names-language">Language</label>
<select id="names-language" name="language">
<option value="">English</option>
${languages.map((language) => html`<option value="${language}" lang="${language}">${getNativeName(language)}</option>`)}
</select>
</div>`,
  });
}

/** @param json the URL of the JSON, relative to the page */
function renderBrowsePage(
  { templates, meta, sizes }: PagesInput,
  { search, root, json }: { search: Markup; root: string; json: string },
): string {
  const bulk = plainBulkRows.filter(({ path }) => sizes.has(path));
  const links = bulk.map(
    ({ path }) => html`<li><a href="${root}${path}" download>${fileName(path)}</a></li>`,
  );
  const files =
    bulk.length === 0
      ? ''
      : html`<p>Every record in one request:</p>
<ul>
${links}
</ul>`;
  const content = fillPlaceholders(templates['browse.html'], { search, json, files });
  const description = `Game ${listKinds()}, as tables, cards and JSON.`;
  return renderPage(content, { title: 'gamedata', description, root, script: 'browse' }, meta);
}

function renderFrontPage({ templates, records, meta, sizes, archive }: PagesInput, search: Markup): string {
  const { counts, edition, fallback, links, upstream } = meta;
  const summary = joinWords(kindNames.map((kind) => formatCount(counts[kind], kind)));
  const content = fillPlaceholders(templates['index.html'], {
    title: `${capitalize(listKinds())}, as JSON`,
    summary,
    search,
    example: renderExample(getLinkBase(meta), records),
    lists: kindNames.map(
      (kind) => html`<li>${apiLink({ root: '', links }, paths.listPath(kind), formatKindTitle(kind))}
<span>${formatCount(counts[kind], 'record')}, ${PAGE_SIZE} per page</span></li>`,
    ),
    captured: meta.captured,
    // It may be a label instead of a URL.
    upstream: /^https?:\/\//.test(upstream)
      ? html`<a href="${upstream}" rel="noreferrer">${upstream}</a>`
      : upstream,
    edition: edition ? html`, <span title="${edition.hash}">${describeEdition(edition)}</span>` : '',
    fallback: fallback === null ? '' : html`<p class="note">${fallback}</p>`,
    downloads: renderDownloads(downloadRows(sizes, archive)),
    descriptions: descriptionRows(sizes),
  });
  const page = {
    title: `gamedata: ${listKinds()} as JSON`,
    description: `A read-only JSON API of ${summary} from a series of creature-collecting games, served as static files.`,
    root: '',
    path: '/',
    script: 'front',
  };
  return renderPage(content, page, meta);
}

/** A first request, and its response. */
function renderExample(linkBase: paths.LinkBase, records: Records): Markup {
  const kind = kindNames.find((name) => records[name].length > 0);
  const record = kind && records[kind][0];
  if (!kind || !record) return html`<p>There are no records.</p>`;
  return html`<pre class="terminal" tabindex="0"><code><span class="prompt">$ </span><span id="command">curl "${paths.recordUrl(linkBase, kind, record.slug)}"</span>
<span id="answer">${JSON.stringify(addUrl(linkBase, kind, record), null, 2)}</span></code></pre>`;
}

function renderDownloads(rows: readonly Markup[]): Markup {
  if (rows.length === 0) return html`<p>This site has no bulk files.</p>`;
  return html`<p>Everything in one request.</p>
<table class="files"><thead><tr><th scope="col">File</th><th scope="col">Content</th><th scope="col">Size</th><th scope="col">gzip</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** The rows of the downloads, with their sizes, plain and compressed; empty if the site has none. */
export const downloadRows = (sizes: Sizes, archive: boolean): Markup[] => [
  ...plainBulkRows
    .filter(({ path }) => sizes.has(path))
    .map((file) =>
      downloadRow(file, [formatSize(sizes.get(file.path) ?? 0), copyLink(sizes, paths.gzipFile(file.path))]),
    ),
  // The archive contains this page, which therefore cannot state its size.
  ...(archive ? fileRows.archives.map((file) => downloadRow(file, ['–', '–'])) : []),
];

const fileName = (path: string): string => path.slice(paths.DOWNLOAD_FOLDER.length);

/** Shows only the first sentence of the summary. */
const downloadRow = ({ path, summary }: SiteFileRow, cells: readonly (string | Markup)[]): Markup =>
  html`<tr><th scope="row"><a href="${path}" download>${fileName(path)}</a></th><td>${summary.replace(/\. .*/s, '.')}</td>
${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;

/** Hosts serve compressed copies as files, not with `Content-Encoding`, so they are downloads of their own. */
function copyLink(sizes: Sizes, path: string): string | Markup {
  const bytes = sizes.get(path);
  if (bytes === undefined) return '–';
  return html`<a href="${path}" download aria-label="${fileName(path)}, ${formatSize(bytes)}">${formatSize(bytes)}</a>`;
}

/** Files that describe the API or the data, in the order in which a newcomer needs them. */
const described: readonly string[] = [
  ...[paths.OPENAPI_FILE, paths.schemaFile('{schema}'), paths.TYPES_FILE, paths.NAMES_INDEX_FILE],
  ...[paths.CHANGES_FILE, paths.FEED_FILE, paths.META_FILE, paths.SEARCH_FILE, paths.MANIFEST_FILE],
];

/** The rows of these files; the row of a folder lists its files. */
export function descriptionRows(sizes: Sizes): Markup[] {
  const row = (name: string | Markup, what: string, inside: readonly Markup[] = []): Markup =>
    html`<tr><th scope="row">${name}</th><td>${what}${inside}</td></tr>`;
  const link = (path: string, text = path): Markup => html`<a href="${path}">${text}</a>`;
  const all = [...(sizes.has(paths.NAMES_INDEX_FILE) ? fileRows.names : []), ...fileRows.site];
  const files = described.flatMap((path) => all.filter((file) => file.path === path));
  const rows = files.map(({ path, summary }) => {
    const [folder = '', parameter] = path.split('{');
    if (parameter === undefined) return row(link(path), `${summary}.`);
    const inside = [...sizes.keys()].filter((file) => file.startsWith(folder)).sort();
    const links = inside.map((file) => link(file, file.slice(folder.length)));
    return row(folder, `${summary} for every response: `, links);
  });
  return [row(link(paths.DOCS_PATH.slice(1)), 'Every endpoint and field, with code to copy.'), ...rows];
}

/** With a space that does not break. */
const formatSize = (bytes: number): string => formatBytes(bytes, '\u00a0');
