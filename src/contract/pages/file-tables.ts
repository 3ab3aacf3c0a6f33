/** The tables of files on the front page: what there is to download, and what describes the API. */

import { MANIFEST_FILE, META_FILE } from '../meta.ts';
import { SEARCH_FILE } from '../search.ts';
import { html, type Markup } from './markup.ts';
import { readableSize } from './numbers.ts';

/** Path of a file of the site → its size in bytes. */
export type Sizes = ReadonlyMap<string, number>;

const DOWNLOADS = 'download/';

/** Copies of a file that hosts send to who accepts them. */
const twins = ['gz', 'br'] as const;

/** Ending → what such a download is. */
const downloadKinds: readonly (readonly [ending: string, what: string])[] = [
  ['.tar.gz', 'the whole site, to serve elsewhere'],
  ['.ndjson', 'one record on each line'],
  ['.csv', 'a table'],
  ['.json', 'every kind in one file'],
];

/** Rows of the downloads: each with its size as it is and compressed. Empty where the site has none. */
export function downloadRows(sizes: Sizes): Markup[] {
  const names = [...sizes.keys()].filter((path) => path.startsWith(DOWNLOADS));
  const isTwin = (path: string): boolean =>
    twins.some((twin) => path.endsWith(`.${twin}`) && sizes.has(path.slice(0, -twin.length - 1)));
  return names
    .filter((path) => !isTwin(path))
    .sort()
    .map((path) => {
      const what = downloadKinds.find(([ending]) => path.endsWith(ending))?.[1] ?? '';
      return html`<tr><th scope="row"><a href="${path}" download>${path.slice(DOWNLOADS.length)}</a><span>${what}</span></th>
<td>${sizeOf(sizes, path)}</td>${twins.map((twin) => html`<td>${sizeOf(sizes, `${path}.${twin}`)}</td>`)}</tr>`;
    });
}

const sizeOf = (sizes: Sizes, path: string): string => {
  const bytes = sizes.get(path);
  return bytes === undefined ? '–' : readableSize(bytes);
};

/** Files that describe the API or the data, in the order in which somebody new would want them. */
const descriptions: readonly (readonly [path: string, name: string, what: string])[] = [
  ['reference.html', 'Reference', 'every endpoint and field, to read'],
  ['openapi.json', 'OpenAPI 3.1', 'the same for programs: clients, mocks, tests'],
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
