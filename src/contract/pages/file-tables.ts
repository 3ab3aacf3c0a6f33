/** The tables of files on the front page: what there is to download, and what describes the API. */

import { MANIFEST_FILE, META_FILE } from '../meta.ts';
import { SEARCH_FILE } from '../search.ts';
import { html, type Markup } from './markup.ts';
import { readableSize } from './numbers.ts';

/** Path of a file of the site → its size in bytes. */
export type Sizes = ReadonlyMap<string, number>;

const DOWNLOADS = 'download/';

/** Endings of compressed copies. */
const twins = ['gz', 'br'] as const;

/** Ending → what such a download is. */
const downloadKinds: readonly (readonly [ending: string, what: string])[] = [
  ['.tar.gz', 'the whole site, to serve elsewhere'],
  ['.zip', 'the same'],
  ['.sha256', 'checksums of both'],
  ['.ndjson', 'one record on each line'],
  ['.csv', 'a table'],
  ['.json', 'every kind in one file'],
];

/**
 * Rows of the downloads: each with its size as it is and compressed. Empty where the site has none.
 *
 * @param archives packed after this page, which they hold: their sizes cannot be on it
 */
export function downloadRows(sizes: Sizes, archives: readonly string[]): Markup[] {
  const names = [...sizes.keys()].filter((path) => path.startsWith(DOWNLOADS) && !archives.includes(path));
  const isTwin = (path: string): boolean =>
    twins.some((twin) => path.endsWith(`.${twin}`) && sizes.has(path.slice(0, -twin.length - 1)));
  const bulk = names
    .filter((path) => !isTwin(path))
    .sort()
    .map((path) =>
      row(path, [readableSize(sizes.get(path) ?? 0), ...twins.map((twin) => twinLink(sizes, path, twin))]),
    );
  return [...bulk, ...archives.map((path) => row(path, ['–', '–', '–']))];
}

function row(path: string, cells: readonly (string | Markup)[]): Markup {
  const what = downloadKinds.find(([ending]) => path.endsWith(ending))?.[1] ?? '';
  return html`<tr><th scope="row"><a href="${path}" download>${path.slice(DOWNLOADS.length)}</a><span>${what}</span></th>
${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

/** Hosts send a twin as what it is, a file to be unpacked: it is a download of its own. */
function twinLink(sizes: Sizes, path: string, twin: string): string | Markup {
  const bytes = sizes.get(`${path}.${twin}`);
  if (bytes === undefined) return '–';
  const name = `${path}.${twin}`.slice(DOWNLOADS.length);
  return html`<a href="${path}.${twin}" download aria-label="${name}, ${readableSize(bytes)}">${readableSize(bytes)}</a>`;
}

/** Files that describe the API or the data, in the order in which somebody new would want them. */
const descriptions: readonly (readonly [path: string, name: string, what: string])[] = [
  ['reference.html', 'Reference', 'every endpoint and field, to read'],
  ['openapi.json', 'OpenAPI 3.1', 'every endpoint and field, for programs: clients, mocks, tests'],
  ['schemas/', 'JSON Schema', 'of each answer, draft 2020-12'],
  ['types.d.ts', 'TypeScript types', 'of each answer'],
  ['changes.json', 'Changes', 'which records came, went or changed'],
  ['changes.atom', 'Feed', 'the same for feed readers'],
  [META_FILE, 'About the data', 'source, date, counts, warnings; its digest says whether anything changed'],
  [SEARCH_FILE, 'Search index', 'id, slug, name, generation and icon of every record'],
  [MANIFEST_FILE, 'Manifest', 'every file of the site with its size and SHA-256'],
];

/** A folder is named by the first file in it. */
export function descriptionRows(sizes: Sizes): Markup[] {
  return descriptions.flatMap(([wanted, name, what]) => {
    const path = wanted.endsWith('/')
      ? [...sizes.keys()].filter((file) => file.startsWith(wanted)).sort()
      : sizes.has(wanted) || wanted === MANIFEST_FILE
        ? [wanted]
        : [];
    if (path.length === 0) return [];
    const [first = wanted] = path;
    const links = wanted.endsWith('/')
      ? path.map((file) => html`<a href="${file}">${file.slice(wanted.length)}</a>`)
      : [html`<a href="${first}">${first}</a>`];
    return [html`<tr><th scope="row">${name}<span>${what}</span></th><td>${links}</td></tr>`];
  });
}
