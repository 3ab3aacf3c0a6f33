/**
 * In this module, an address is the path and query of an endpoint, such as
 * `/api/gamedata/move/?format=api`. The page itself may have a different URL.
 */

import {
  PAGE_SIZE,
  type PageRange,
  parsePageRange,
} from '../../contract/page-range.ts';
import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';

/** The endpoint and the search from the page's URL. */
export interface PageAddress {
  readonly address: string;
  /**
   * Whether the host serves this page at the path of the endpoint. Otherwise, the
   * fragment contains the address.
   */
  readonly isNegotiated: boolean;
  /** What the user searches for in a list, as query parameters. */
  readonly search: string;
}

/**
 * Reads the address from the page's own path. If the path is not an API path, the
 * address is in the first fragment (`#/api/…`). The next fragment contains the
 * search in the list.
 *
 * @param href the URL of the page without credentials
 * @param root the base URL with a trailing slash
 */
export function parseAddress(href: string, root: string): PageAddress {
  const [url = '', ...fragments] = href.split('#');
  const apiRoot = root + API_PREFIX.slice(1);
  if (url.startsWith(apiRoot)) {
    const [search = ''] = fragments;
    // The address starts with the slash at the end of the base URL.
    const address = url.slice(root.length - 1);
    return { address, isNegotiated: true, search };
  }
  const [fragment = '', search = ''] = fragments;
  const address = fragment.startsWith(API_PREFIX) ? fragment : API_PREFIX;
  return { address, isNegotiated: false, search };
}

export function replaceSearch(href: string, search: string): string {
  const page = href.replace(/#[^#/]*$/, '');
  return search === '' ? page : `${page}#${search}`;
}

/**
 * Converts a link on any host to an address. If the link leads to a file, returns the
 * address of the endpoint to which the file belongs: `/api/gamedata/move/` for
 * `https://example.org/api/gamedata/move/index.json`.
 */
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

/**
 * Parses a URL, or returns undefined if it is invalid. `URL.canParse` would do the
 * same, but requires Chrome 120 or Safari 17.
 */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the path to request, relative to the base URL. Returns undefined if there is no
 * file for this page.
 *
 * @param links `query` if the host reads the page range from the query, or `file` if it
 * has a file for each page of `PAGE_SIZE` records
 */
export function fetchPath(address: string, links: LinkStyle): string | undefined {
  if (links === 'query') return address.slice(1);
  const { limit, offset } = readPageRange(address);
  const folder = getPath(address).slice(1);
  if (limit !== PAGE_SIZE) return undefined;
  if (offset === 0) return `${folder}index.json`;
  const isBuilt = offset % PAGE_SIZE === 0;
  return isBuilt ? `${folder}offset/${offset}/index.json` : undefined;
}

/**
 * Reads the page range of a list from its address: `limit` is the number of records on
 * the page, and `offset` is the number of records before it. Uses the same parser as the
 * server, so that the page describes exactly the records in the response.
 */
export const readPageRange = (address: string): PageRange =>
  parsePageRange(getQuery(address));

/**
 * Returns the address of another page of the same list. `format=api` makes the server
 * send this browsable page rather than JSON. All other parameters are omitted, because
 * the API ignores them.
 */
export const replacePageRange = (
  address: string,
  { limit, offset }: PageRange,
): string => `${getPath(address)}?format=api&limit=${limit}&offset=${offset}`;

export function replaceFormat(address: string): string {
  const query = getQuery(address);
  query.set('format', 'json');
  return `${getPath(address)}?${query}`;
}

/**
 * Returns the canonical address of a page for search engines. Of the query, it keeps
 * only the page range, because other parameters do not change what a browser shows.
 */
export function getCanonicalAddress(address: string): string {
  const query = getQuery(address);
  const range = new URLSearchParams();
  for (const name of ['limit', 'offset']) {
    const value = query.get(name);
    if (value !== null) range.set(name, value);
  }
  const path = getPath(address);
  const text = String(range);
  return text === '' ? path : `${path}?${text}`;
}

/** Splits the path below the API root into the kind and the slug. */
export function splitPath(address: string): readonly string[] {
  const below = getPath(address).slice(API_PREFIX.length);
  return below.split('/').filter((part) => part !== '');
}

export interface Crumb {
  readonly path: string;
  readonly text: string;
}

/** Lists the endpoints above an address, and then its own endpoint. */
export function listBreadcrumbs(address: string): Crumb[] {
  let path = API_PREFIX;
  const crumbs = [{ path, text: 'api' }];
  for (const part of splitPath(address)) {
    path += `${part}/`;
    crumbs.push({ path, text: part });
  }
  return crumbs;
}

export const getPath = (address: string): string => address.split('?')[0] ?? '';

const getQuery = (address: string): URLSearchParams =>
  new URLSearchParams(address.split('?')[1] ?? '');
