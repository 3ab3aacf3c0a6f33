/** The tables of files on the front page: downloads, and what describes the API. */

import {
  bulkFiles,
  CHANGES_FILE,
  compressedExtensions,
  DOWNLOAD_FOLDER,
  FEED_FILE,
  MANIFEST_FILE,
  META_FILE,
  OPENAPI_FILE,
  SEARCH_FILE,
  TYPES_FILE,
} from '../../contract/paths.ts';
import { readableSize } from '../../contract/words.ts';
import { html, type Markup } from '../shared/markup.ts';

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
  descriptions.map(([path, name, what]) => {
    const isListed = path === 'schemas/';
    const inside = isListed ? [...sizes.keys()].filter((file) => file.startsWith(path)).sort() : [];
    const links = inside.map((file) => html`<a href="${file}">${file.slice(path.length)}</a>`);
    return html`<tr><th scope="row">${isListed ? name : html`<a href="${path}">${name}</a>`}</th><td>${what} ${isListed ? links : ''}</td></tr>`;
  });

/** With a space that does not break. */
const sizeOf = (bytes: number): string => readableSize(bytes, '\u00a0');
