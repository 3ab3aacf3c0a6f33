/** An address is the path and query of an endpoint, such as `/api/gamedata/move/?format=api`, regardless of the page's own URL. */

import { PAGE_SIZE, type PageRange } from '../../contract/page-range.ts';
import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';

/** Reads the address from the page's own path or, failing that, from the first fragment (`#/api/…`). The next fragment is the list's search query. */
export function parseAddress(href: string, root: string) {
  const [url = '', ...fragments] = href.split('#');
  if (url.startsWith(root + API_PREFIX.slice(1)))
    return { address: url.slice(root.length - 1), isNegotiated: true, search: fragments[0] ?? '' };
  const [fragment = '', search = ''] = fragments;
  return {
    address: fragment.startsWith(API_PREFIX) ? fragment : API_PREFIX,
    isNegotiated: false,
    search,
  };
}

export const replaceSearch = (href: string, search: string): string =>
  href.replace(/#[^#/]*$/, '') + (search && `#${search}`);

/** Maps a link on any host to an address. Maps a link to a file to the file's endpoint. */
export function parseLink(link: string): string | undefined {
  if (!/^https?:\/\//.test(link)) return undefined;
  const url = parseUrl(link);
  if (url === undefined) return undefined;
  const start = url.pathname.lastIndexOf(API_PREFIX);
  if (start < 0) return undefined;
  const path = url.pathname.slice(start);
  const endpoint = path.replace(/(?:offset\/\d+\/)?index\.json$/, '');
  return endpoint + url.search;
}

/** `URL.canParse` requires Chrome 120 or Safari 17. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Returns the path to fetch, relative to the base URL; undefined if links point to files and the page is not built. */
export function fetchPath(address: string, links: LinkStyle): string | undefined {
  if (links === 'query') return address.slice(1);
  const { limit, offset } = readPageRange(address);
  if (limit !== PAGE_SIZE || offset % PAGE_SIZE !== 0) return undefined;
  return `${getPath(address).slice(1)}${offset > 0 ? `offset/${offset}/` : ''}index.json`;
}

/** Reads limit and offset as the reference framework does. */
export function readPageRange(address: string): PageRange<number> {
  const query = getQuery(address);
  const read = (name: string, otherwise: number): number => {
    const text = query.getAll(name).at(-1) ?? '';
    return /^\d+$/.test(text) ? Number(text) : otherwise;
  };
  return { limit: read('limit', PAGE_SIZE) || PAGE_SIZE, offset: read('offset', 0) };
}

export const replacePageRange = (address: string, { limit, offset }: PageRange): string =>
  `${getPath(address)}?format=api&limit=${limit}&offset=${offset}`;

export function replaceFormat(address: string): string {
  const query = getQuery(address);
  query.set('format', 'json');
  return `${getPath(address)}?${query}`;
}

/** Splits the path below the API root into kind and slug. */
export const splitPath = (address: string): readonly string[] =>
  getPath(address)
    .slice(API_PREFIX.length)
    .split('/')
    .filter((part) => part !== '');

const getPath = (address: string): string => address.split('?')[0] ?? '';
const getQuery = (address: string): URLSearchParams =>
  new URLSearchParams(address.split('?')[1] ?? '');
