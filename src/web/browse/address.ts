/**
 * An address is the path and query of an endpoint, such as `/api/gamedata/move/?format=api`,
 * regardless of the page's own URL.
 */

import { PAGE_SIZE, type PageRange, parsePageRange } from '../../contract/page-range.ts';
import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';

/** What the page's own URL asks for. */
export interface PageAddress {
  readonly address: string;
  /**
   * Whether the host serves the page at the endpoint's own path. Otherwise, the address is in the
   * fragment.
   */
  readonly isNegotiated: boolean;
  /** The search of a list, as query parameters. */
  readonly search: string;
}

/**
 * Reads the address from the page's own path or, failing that, from the first fragment (`#/api/…`).
 * The next fragment is the list's search.
 *
 * @param href the page's URL without credentials
 * @param root the base URL with a trailing slash
 */
export function parseAddress(href: string, root: string): PageAddress {
  const [url = '', ...fragments] = href.split('#');
  if (url.startsWith(root + API_PREFIX.slice(1))) {
    const [search = ''] = fragments;
    return { address: url.slice(root.length - 1), isNegotiated: true, search };
  }
  const [fragment = '', search = ''] = fragments;
  const address = fragment.startsWith(API_PREFIX) ? fragment : API_PREFIX;
  return { address, isNegotiated: false, search };
}

export function replaceSearch(href: string, search: string): string {
  const page = href.replace(/#[^#/]*$/, '');
  return search === '' ? page : `${page}#${search}`;
}

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

/**
 * Returns the path to fetch, relative to the base URL; undefined if links point to files and the
 * page is not built.
 */
export function fetchPath(address: string, links: LinkStyle): string | undefined {
  if (links === 'query') return address.slice(1);
  const { limit, offset } = readPageRange(address);
  const folder = getPath(address).slice(1);
  if (limit !== PAGE_SIZE) return undefined;
  if (offset === 0) return `${folder}index.json`;
  const isBuilt = typeof offset === 'number' && offset % PAGE_SIZE === 0;
  return isBuilt ? `${folder}offset/${offset}/index.json` : undefined;
}

/**
 * Reads limit and offset with the server's parser, so that the page describes the response that it
 * shows.
 */
export const readPageRange = (address: string): PageRange => parsePageRange(getQuery(address));

export const replacePageRange = (address: string, { limit, offset }: PageRange): string =>
  `${getPath(address)}?format=api&limit=${limit}&offset=${offset}`;

export function replaceFormat(address: string): string {
  const query = getQuery(address);
  query.set('format', 'json');
  return `${getPath(address)}?${query}`;
}

/** Splits the path below the API root into kind and slug. */
export function splitPath(address: string): readonly string[] {
  const below = getPath(address).slice(API_PREFIX.length);
  return below.split('/').filter((part) => part !== '');
}

export interface Crumb {
  readonly path: string;
  readonly text: string;
}

/** Lists the endpoints above an address, and the endpoint itself. */
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
