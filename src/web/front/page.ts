/** The front page: a hand-written template, filled with the facts of a site. */

import { describeEdition } from '../../contract/edition.ts';
import { fileRows, plainBulkRows, type SiteFileRow } from '../../contract/files.ts';
import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { linkBaseOf, type Meta } from '../../contract/meta.ts';
import {
  CHANGES_FILE,
  compressedExtensions,
  DOCS_PATH,
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
  schemaFile,
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
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
}

export function fillFrontPage(
  template: string,
  { records, generations, search, meta, sizes, archive }: FrontPageContent,
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
    downloads: downloads(downloadRows(sizes, archive)),
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

/** The rows of the downloads, with their sizes, plain and compressed. Empty if the site has none. */
export const downloadRows = (sizes: Sizes, archive: boolean): Markup[] => [
  ...plainBulkRows
    .filter(({ path }) => sizes.has(path))
    .map((file) => {
      const copies = compressedExtensions.map((extension) => copyLink(sizes, `${file.path}.${extension}`));
      return row(file, [sizeOf(sizes.get(file.path) ?? 0), ...copies]);
    }),
  // Archives contain this page, which therefore cannot state their sizes.
  ...(archive ? fileRows.archives.map((file) => row(file, ['–', '–', '–'])) : []),
];

/** Of the summary, the first sentence. */
const row = ({ path, summary }: SiteFileRow, cells: readonly (string | Markup)[]): Markup =>
  html`<tr><th scope="row"><a href="${path}" download>${path.slice(DOWNLOAD_FOLDER.length)}</a></th><td>${summary.replace(/\. .*/s, '.')}</td>
${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;

/** Hosts serve compressed copies as files, not with `Content-Encoding`: they are downloads of their own. */
function copyLink(sizes: Sizes, path: string): string | Markup {
  const bytes = sizes.get(path);
  if (bytes === undefined) return '–';
  const name = path.slice(DOWNLOAD_FOLDER.length);
  return html`<a href="${path}" download aria-label="${name}, ${sizeOf(bytes)}">${sizeOf(bytes)}</a>`;
}

/** Files that describe the API or the data, in the order in which a newcomer needs them. */
const descriptions: readonly string[] = [
  ...[OPENAPI_FILE, schemaFile('{schema}'), TYPES_FILE, NAMES_INDEX_FILE],
  ...[CHANGES_FILE, FEED_FILE, META_FILE, SEARCH_FILE, MANIFEST_FILE],
];

/** The name of a file links to it; the files of a folder are listed beside its name. */
export function descriptionRows(sizes: Sizes): Markup[] {
  const row = (name: string | Markup, what: string, inside: readonly Markup[] = []): Markup =>
    html`<tr><th scope="row">${name}</th><td>${what}${inside}</td></tr>`;
  const link = (path: string, text = path): Markup => html`<a href="${path}">${text}</a>`;
  const files = [...(sizes.has(NAMES_INDEX_FILE) ? fileRows.names : []), ...fileRows.site]
    .filter(({ path }) => descriptions.includes(path))
    .sort((a, b) => descriptions.indexOf(a.path) - descriptions.indexOf(b.path));
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
  return [row(link(DOCS_PATH.slice(1)), 'Every endpoint and field, with code to copy.'), ...rows];
}

/** With a space that does not break. */
const sizeOf = (bytes: number): string => readableSize(bytes, '\u00a0');
