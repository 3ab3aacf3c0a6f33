/** The pages of a site but the docs, what they share, and the search index. */

import { fileRows, plainBulkRows, type SiteFileRow } from '../contract/files.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { describeEdition, linkBaseOf, type Meta, type SiteFile } from '../contract/meta.ts';
import { ownNameOf } from '../contract/names.ts';
import * as paths from '../contract/paths.ts';
import type { SearchIndex } from '../contract/served.ts';
import { PAGE_SIZE } from '../contract/windows.ts';
import { allKinds, counted, groupDigits, listed, pluralTitle, readableSize } from '../contract/words.ts';
import { type Records, served } from '../dataset/data-set.ts';
import { createSearchIndex } from './search/search-index.ts';
import { apiLink, fillPlaceholders, framed, html, type Markup, markFile } from './shared/markup.ts';

/** The contents of the pages, with placeholders. */
export type PageTemplates = Readonly<
  Record<'index.html' | 'browse.html' | 'docs.html' | '404.html' | 'search.html', string>
>;

/** Path → size in bytes. */
type Sizes = ReadonlyMap<string, number>;

export interface PagesPlan {
  readonly templates: PageTemplates;
  readonly records: Records;
  readonly meta: Meta;
  /** Every file of the site but the pages. */
  readonly sizes: Sizes;
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
}

export function webFiles(plan: PagesPlan): SiteFile[] {
  const { templates, records, meta, sizes } = plan;
  const index = createSearchIndex(records);
  const generations = countGenerations(index);
  const languages = Object.keys(meta.names?.languages ?? {}).filter((language) => language !== 'en');
  const search = fillPlaceholders(templates['search.html'], {
    kinds: kindNames.map((kind) => html`<option value="${kind}">${pluralTitle(kind)}</option>`),
    generations: Array.from(
      generations.keys(),
      (one) => html`<option value="${one ?? 'none'}">${one ?? 'unknown'}</option>`,
    ),
    language: languages.length === 0 ? '' : languageField(languages),
  });
  const top = `${paths.pathOf(meta.base_url)}/`;
  const browse = (root: string, json: string): string => {
    const description = `Game ${allKinds()}, as tables, cards and JSON.`;
    const bulk = plainBulkRows.filter(({ path }) => sizes.has(path));
    const links = bulk.map(
      ({ path }) => html`<li><a href="${root}${path}" download>${nameOf(path)}</a></li>`,
    );
    const files =
      bulk.length > 0
        ? html`<p>Every record in one request:</p>
<ul>
${links}
</ul>`
        : '';
    const content = fillPlaceholders(templates['browse.html'], { search, json, files });
    return framed(content, { title: 'gamedata', description, root, script: 'browse' }, meta);
  };
  const notFound = fillPlaceholders(templates['404.html'], { root: top });
  const description = 'There is nothing at this address.';
  return [
    { path: paths.SEARCH_FILE, body: new TextEncoder().encode(JSON.stringify(index)) },
    { path: paths.MARK_FILE, body: markFile },
    // The same page twice: for API paths of any depth, and for plain file servers.
    { path: paths.BROWSE_FILE, body: browse(top, '?format=json') },
    { path: 'browse/index.html', body: browse('../', '../api/gamedata/index.json') },
    {
      path: paths.NOT_FOUND_FILE,
      body: framed(notFound, { title: 'Not found · gamedata', description, root: top }, meta),
    },
    { path: 'index.html', body: frontPage(plan, generations, search) },
  ];
}

/** @param languages besides English */
const languageField = (languages: readonly string[]): Markup => html`<div class="field">
<label for="names-language">Language</label>
<select id="names-language" name="language">
<option value="">English</option>
${languages.map((language) => html`<option value="${language}" lang="${language}">${ownNameOf(language)}</option>`)}
</select>
</div>`;

function frontPage(
  { templates, records, meta, sizes, archive }: PagesPlan,
  generations: GenerationCounts,
  search: Markup,
): string {
  const { counts, edition, fallback, links, upstream } = meta;
  const summary = listed(kindNames.map((kind) => counted(counts[kind], kind)));
  const content = fillPlaceholders(templates['index.html'], {
    summary,
    search,
    example: example(linkBaseOf(meta), records),
    lists: kindNames.map(
      (kind) => html`<li>${apiLink({ root: '', links }, paths.listPath(kind), pluralTitle(kind))}
<span>${counted(counts[kind], 'record')}, ${PAGE_SIZE} per page</span></li>`,
    ),
    columns: kindNames.map((kind) => html`<th scope="col">${pluralTitle(kind)}</th>`),
    chart: generationRows(generations),
    captured: meta.captured,
    // It may be a label instead of a URL.
    upstream: /^https?:\/\//.test(upstream)
      ? html`<a href="${upstream}" rel="noreferrer">${upstream}</a>`
      : upstream,
    edition: edition ? html`, <span title="${edition.hash}">${describeEdition(edition)}</span>` : '',
    fallback: fallback === null ? '' : html`<p class="note">${fallback}</p>`,
    downloads: downloads(downloadRows(sizes, archive)),
    descriptions: descriptionRows(sizes),
  });
  const frame = {
    title: `gamedata: ${allKinds()} as JSON`,
    description: `A read-only JSON API of ${summary} from a series of creature-collecting games, served as static files.`,
    root: '',
    path: '/',
    script: 'front',
  };
  return framed(content, frame, meta);
}

/** A first request, and its response. */
function example(linkBase: paths.LinkBase, records: Records): Markup {
  const kind = kindNames.find((name) => records[name].length > 0);
  const record = kind && records[kind][0];
  if (!kind || !record) return html`<p>There are no records.</p>`;
  return html`<pre class="terminal" tabindex="0"><code><span class="prompt">$ </span><span id="command">curl "${paths.recordUrl(linkBase, kind, record.slug)}"</span>
<span id="answer">${JSON.stringify(served(linkBase, kind, record), null, 2)}</span></code></pre>`;
}

function downloads(rows: readonly Markup[]): Markup {
  if (rows.length === 0) return html`<p>This site has no bulk files.</p>`;
  return html`<p>Everything in one request.</p>
<table class="files"><thead><tr><th scope="col">File</th><th scope="col">Content</th><th scope="col">Size</th><th scope="col">gzip</th><th scope="col">Brotli</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Generation → the number of its records of each kind. */
type GenerationCounts = ReadonlyMap<number | null, Readonly<Record<Kind, number>>>;

/** In ascending order; records without a generation come last. */
export function countGenerations(index: SearchIndex): GenerationCounts {
  const counts = new Map<number | null, Record<Kind, number>>();
  for (const kind of kindNames)
    for (const generation of index[kind].generation) {
      const row = counts.get(generation) ?? mapKinds(() => 0);
      row[kind]++;
      counts.set(generation, row);
    }
  return new Map([...counts].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity)));
}

function generationRows(counts: GenerationCounts): Markup[] {
  const most = [...counts.values()].flatMap((row) => Object.values(row)).reduce((a, b) => Math.max(a, b), 1);
  return Array.from(
    counts,
    ([generation, row]) =>
      html`<tr><th scope="row">${generation ?? 'none'}</th>${kindNames.map(
        // The width is relative to the cell; the style sheet sets the color.
        (kind) =>
          html`<td><svg class="${kind}" aria-hidden="true" focusable="false"><rect width="${((row[kind] / most) * 100).toFixed(1)}%" height="100%" rx="2"></rect></svg>${groupDigits(row[kind])}</td>`,
      )}</tr>`,
  );
}

/** The rows of the downloads, with their sizes, plain and compressed. Empty if the site has none. */
export const downloadRows = (sizes: Sizes, archive: boolean): Markup[] => [
  ...plainBulkRows
    .filter(({ path }) => sizes.has(path))
    .map((file) => {
      const copies = paths.compressedExtensions.map((extension) =>
        copyLink(sizes, `${file.path}.${extension}`),
      );
      return row(file, [sizeOf(sizes.get(file.path) ?? 0), ...copies]);
    }),
  // Archives contain this page, which therefore cannot state their sizes.
  ...(archive ? fileRows.archives.map((file) => row(file, ['–', '–', '–'])) : []),
];

const nameOf = (path: string): string => path.slice(paths.DOWNLOAD_FOLDER.length);

/** Of the summary, the first sentence. */
const row = ({ path, summary }: SiteFileRow, cells: readonly (string | Markup)[]): Markup =>
  html`<tr><th scope="row"><a href="${path}" download>${nameOf(path)}</a></th><td>${summary.replace(/\. .*/s, '.')}</td>
${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;

/** Hosts serve compressed copies as files, not with `Content-Encoding`: they are downloads of their own. */
function copyLink(sizes: Sizes, path: string): string | Markup {
  const bytes = sizes.get(path);
  if (bytes === undefined) return '–';
  return html`<a href="${path}" download aria-label="${nameOf(path)}, ${sizeOf(bytes)}">${sizeOf(bytes)}</a>`;
}

/** Files that describe the API or the data, in the order in which a newcomer needs them. */
const descriptions: readonly string[] = [
  ...[paths.OPENAPI_FILE, paths.schemaFile('{schema}'), paths.TYPES_FILE, paths.NAMES_INDEX_FILE],
  ...[paths.CHANGES_FILE, paths.FEED_FILE, paths.META_FILE, paths.SEARCH_FILE, paths.MANIFEST_FILE],
];

/** The name of a file links to it; the files of a folder are listed beside its name. */
export function descriptionRows(sizes: Sizes): Markup[] {
  const row = (name: string | Markup, what: string, inside: readonly Markup[] = []): Markup =>
    html`<tr><th scope="row">${name}</th><td>${what}${inside}</td></tr>`;
  const link = (path: string, text = path): Markup => html`<a href="${path}">${text}</a>`;
  const all = [...(sizes.has(paths.NAMES_INDEX_FILE) ? fileRows.names : []), ...fileRows.site];
  const files = descriptions.flatMap((path) => all.filter((file) => file.path === path));
  const rows = files.map(({ path, summary }) => {
    const [folder = '', parameter] = path.split('{');
    if (parameter === undefined) return row(link(path), `${summary}.`);
    const inside = [...sizes.keys()].filter((file) => file.startsWith(folder)).sort();
    return row(
      folder,
      `${summary} for every response: `,
      inside.map((file) => link(file, file.slice(folder.length))),
    );
  });
  return [row(link(paths.DOCS_PATH.slice(1)), 'Every endpoint and field, with code to copy.'), ...rows];
}

/** With a space that does not break. */
const sizeOf = (bytes: number): string => readableSize(bytes, '\u00a0');
