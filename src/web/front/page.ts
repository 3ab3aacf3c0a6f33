/** The front page: a hand-written template, filled with the facts of a site. */

import { describeEdition } from '../../contract/edition.ts';
import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { linkBaseOf, type Meta } from '../../contract/meta.ts';
import {
  bulkFiles,
  CHANGES_FILE,
  compressedExtensions,
  DOWNLOAD_FOLDER,
  FEED_FILE,
  type LinkBase,
  listPath,
  MANIFEST_FILE,
  META_FILE,
  NAMES_INDEX_FILE,
  OPENAPI_FILE,
  recordUrl,
  SEARCH_FILE,
  TYPES_FILE,
} from '../../contract/paths.ts';
import type { SearchIndex } from '../../contract/served.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { counted, groupDigits, pluralTitle, readableSize } from '../../contract/words.ts';
import { type Records, served } from '../../dataset/data-set.ts';
import { apiLink, framed } from '../shared/frame.ts';
import { fillPlaceholders, html, type Markup, nothing } from '../shared/markup.ts';

export interface FrontPageContent {
  readonly records: Records;
  readonly generations: GenerationCounts;
  /** The search box. */
  readonly search: Markup;
  readonly meta: Meta;
  /** Every file of the site but the pages. */
  readonly sizes: Sizes;
  /** Files that contain the page, and are therefore made after it. */
  readonly archives: readonly string[];
}

export function fillFrontPage(
  template: string,
  { records, generations, search, meta, sizes, archives }: FrontPageContent,
): string {
  const summary = kindNames.map((kind) => counted(meta.counts[kind], kind)).join(' and ');
  const frame = {
    title: 'gamedata: moves and items as JSON',
    description: `A read-only JSON API of ${summary} from a series of creature-collecting games, served as static files.`,
    root: '',
    path: '/',
    script: 'front.js',
  };
  return fillPlaceholders(template, {
    ...framed(frame, meta),
    summary,
    search,
    example: example(linkBaseOf(meta), records),
    lists: html`${kindNames.map(
      (kind) => html`<li>${apiLink({ root: '', links: meta.links }, listPath(kind), pluralTitle(kind))}
<span>${counted(meta.counts[kind], 'record')}, ${PAGE_SIZE} per page</span></li>`,
    )}`,
    columns: html`${kindNames.map((kind) => html`<th scope="col">${pluralTitle(kind)}</th>`)}`,
    chart: html`${generationRows(generations)}`,
    captured: meta.captured,
    upstream: upstream(meta.upstream),
    edition: meta.edition
      ? html`, <span title="${meta.edition.hash}">${describeEdition(meta.edition)}</span>`
      : nothing,
    fallback: meta.fallback === null ? nothing : html`<p class="note">${meta.fallback}</p>`,
    downloads: downloads(downloadRows(sizes, archives)),
    descriptions: html`${descriptionRows(sizes)}`,
  });
}

/** A first request, and its exact response. */
function example(linkBase: LinkBase, records: Records): Markup {
  const kind = kindNames.find((name) => records[name].length > 0);
  const record = kind && records[kind][0];
  if (!kind || !record) return html`<p>There are no records.</p>`;
  return html`<pre class="terminal" tabindex="0"><code><span class="prompt">$ </span><span id="command">curl '${recordUrl(linkBase, kind, record.slug)}'</span>
<span id="answer">${JSON.stringify(served(linkBase, kind, record))}</span></code></pre>`;
}

/** The upstream may be a label instead of a URL. */
const upstream = (name: string): Markup =>
  /^https?:\/\//.test(name) ? html`<a href="${name}" rel="noreferrer">${name}</a>` : html`${name}`;

function downloads(rows: readonly Markup[]): Markup {
  if (rows.length === 0) return html`<p>This site has no bulk files.</p>`;
  return html`<p>Everything in one request.</p>
<table class="files"><thead><tr><th scope="col">File</th><th scope="col">Content</th><th scope="col">Size</th><th scope="col">gzip</th><th scope="col">Brotli</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Generation → the number of its records of each kind. */
export type GenerationCounts = ReadonlyMap<number | null, Readonly<Record<Kind, number>>>;

/** In ascending order; records without a generation come last. */
export function countGenerations(index: SearchIndex): GenerationCounts {
  const counts = new Map<number | null, Record<Kind, number>>();
  for (const kind of kindNames) {
    for (const generation of index[kind].generation) {
      const row = counts.get(generation) ?? mapKinds(() => 0);
      row[kind]++;
      counts.set(generation, row);
    }
  }
  return new Map([...counts].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity)));
}

export function generationRows(counts: GenerationCounts): Markup[] {
  const most = Math.max(1, ...[...counts.values()].flatMap((row) => Object.values(row)));
  return [...counts].map(
    ([generation, row]) =>
      html`<tr><th scope="row">${generation ?? 'none'}</th>${kindNames.map(
        (kind) => html`<td>${bar(kind, row[kind] / most)}${groupDigits(row[kind])}</td>`,
      )}</tr>`,
  );
}

/** The width is relative to the cell; the style sheet sets the color. */
const bar = (kind: Kind, share: number): Markup =>
  html`<svg class="${kind}" aria-hidden="true" focusable="false"><rect width="${(share * 100).toFixed(1)}%" height="100%" rx="2"></rect></svg>`;

/** Path → size in bytes. */
export type Sizes = ReadonlyMap<string, number>;

/** Extension → description of the download. */
const downloadKinds: readonly (readonly [ending: string, what: string])[] = [
  ['.tar.gz', 'the complete site, to serve elsewhere'],
  ['.zip', 'the same'],
  ['.sha256', 'checksums of both'],
  ['.ndjson', 'one record per line'],
  ['.csv', 'a table, for spreadsheets'],
  ['.json', 'everything in one file'],
];

/**
 * The rows of the downloads, with their sizes, plain and compressed. Empty if the site has none.
 *
 * @param archives contain this page, which therefore cannot state their sizes
 */
export const downloadRows = (sizes: Sizes, archives: readonly string[]): Markup[] => [
  ...bulkFiles
    .filter((path) => sizes.has(path) && !/\.(?:gz|br)$/.test(path))
    .sort()
    .map((path) => {
      const copies = compressedExtensions.map((extension) => copyLink(sizes, `${path}.${extension}`));
      return row(path, [sizeOf(sizes.get(path) ?? 0), ...copies]);
    }),
  ...archives.map((path) => row(path, ['–', '–', '–'])),
];

function row(path: string, cells: readonly (string | Markup)[]): Markup {
  const what = downloadKinds.find(([ending]) => path.endsWith(ending))?.[1] ?? '';
  return html`<tr><th scope="row"><a href="${path}" download>${path.slice(DOWNLOAD_FOLDER.length)}</a></th><td>${what}</td>
${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

/** Hosts serve compressed copies as files, not with `Content-Encoding`: they are downloads of their own. */
function copyLink(sizes: Sizes, path: string): string | Markup {
  const bytes = sizes.get(path);
  if (bytes === undefined) return '–';
  const name = path.slice(DOWNLOAD_FOLDER.length);
  return html`<a href="${path}" download aria-label="${name}, ${sizeOf(bytes)}">${sizeOf(bytes)}</a>`;
}

/** Files that describe the API or the data, in the order in which a newcomer needs them. */
const descriptions: readonly (readonly [path: string, name: string, what: string])[] = [
  ['docs/', 'Docs', 'every endpoint and field, with code to copy'],
  [OPENAPI_FILE, 'OpenAPI 3.1', 'the same for tools: clients, mocks, tests'],
  ['schemas/', 'JSON Schema', 'of every response, draft 2020-12:'],
  [TYPES_FILE, 'TypeScript types', 'of every response'],
  [NAMES_INDEX_FILE, 'Names', 'of records in every language, a file for each'],
  [CHANGES_FILE, 'Changes', 'records added, removed, renamed or changed'],
  [FEED_FILE, 'Feed', 'the same as Atom'],
  [
    META_FILE,
    'About the data',
    'source, date, counts, warnings, and a digest that tells whether anything changed',
  ],
  [SEARCH_FILE, 'Search index', 'id, slug, name, generation and icon of every record'],
  [MANIFEST_FILE, 'Manifest', 'every file of the site with its size and SHA-256'],
];

/** The name of a file links to it; the files of a folder are listed beside its name. */
export const descriptionRows = (sizes: Sizes): Markup[] =>
  descriptions.flatMap(([path, name, what]) => {
    if (path === NAMES_INDEX_FILE && !sizes.has(path)) return [];
    const isListed = path === 'schemas/';
    const inside = isListed ? [...sizes.keys()].filter((file) => file.startsWith(path)).sort() : [];
    const links = inside.map((file) => html`<a href="${file}">${file.slice(path.length)}</a>`);
    return html`<tr><th scope="row">${isListed ? name : html`<a href="${path}">${name}</a>`}</th><td>${what} ${isListed ? links : ''}</td></tr>`;
  });

/** With a space that does not break. */
const sizeOf = (bytes: number): string => readableSize(bytes, '\u00a0');
