/**
 * Addresses in the browsable page. Internally, an address is always that of an endpoint, such as
 * `/api/gamedata/move/?format=api`, whatever the site's links and the page's own URL look like.
 */

import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';
import { PAGE_SIZE, type Window } from '../../contract/windows.ts';

/** How the page was opened: at an API path, or as one file with the address in the fragment. */
export interface Place {
  /** The base URL with a trailing slash, such as `https://example.org/`. */
  readonly root: string;
  readonly links: LinkStyle;
  /** Whether the page is at an API path. */
  readonly isNegotiated: boolean;
}

export function placeOf(location: { href: string }, root: string, links: LinkStyle): Place {
  return { root, links, isNegotiated: pathBehind(location.href, root)?.startsWith(API_PREFIX) ?? false };
}

/** The address that the page is to show. */
export function addressIn({ href }: { href: string }, { root, isNegotiated }: Place): string {
  if (isNegotiated) return pathBehind(href, root) ?? API_PREFIX;
  const [, behind = ''] = href.split('#');
  return behind.startsWith(API_PREFIX) ? behind : API_PREFIX;
}

/** A URL without its fragment, relative to the base URL, with a leading slash. */
function pathBehind(href: string, root: string): string | undefined {
  const [address = ''] = href.split('#');
  return address.startsWith(root) ? address.slice(root.length - 1) : undefined;
}

/** The `href` of a link to an endpoint. */
export const hrefTo = (address: string, { root, isNegotiated }: Place): string =>
  isNegotiated ? root + address.slice(1) : `#${address}`;

/**
 * The address of the endpoint that a link in the data points to, whatever its host; undefined if it is not an endpoint.
 * A link to a file counts as its endpoint.
 */
export function endpointOf(link: string): string | undefined {
  if (!/^https?:\/\//.test(link) || !URL.canParse(link)) return undefined;
  const { pathname, search } = new URL(link);
  const at = pathname.lastIndexOf(API_PREFIX);
  if (at < 0) return undefined;
  const path = pathname.slice(at).replace(/(?:offset\/\d+\/)?index\.json$/, '');
  return path + search;
}

/**
 * The URL to fetch for an address. On a site whose links point to files, that of the file; undefined if there is none, as
 * for any page that is not built.
 */
export function sourceOf(address: string, { root, links }: Place): string | undefined {
  if (links === 'query') return root + address.slice(1);
  const [path = ''] = address.split('?');
  const { limit, offset } = windowOf(address);
  if (limit !== PAGE_SIZE || offset % PAGE_SIZE !== 0) return undefined;
  return `${root}${path.slice(1)}${offset > 0 ? `offset/${offset}/` : ''}index.json`;
}

/** The window that an address selects, parsed as in the reference framework. */
export function windowOf(address: string): Window<number> {
  const query = queryOf(address);
  const read = (name: string, otherwise: number): number => {
    const text = query.getAll(name).at(-1) ?? '';
    return /^\d+$/.test(text) ? Number(text) : otherwise;
  };
  return { limit: read('limit', PAGE_SIZE) || PAGE_SIZE, offset: read('offset', 0) };
}

/** The same list at another window. */
export function withWindow(address: string, { limit, offset }: Window): string {
  const [path = ''] = address.split('?');
  return `${path}?format=api&limit=${limit}&offset=${offset}`;
}

/** The same address as JSON in any client. */
export function asJson(address: string): string {
  const [path = ''] = address.split('?');
  const query = queryOf(address);
  query.set('format', 'json');
  return `${path}?${query}`;
}

const queryOf = (address: string): URLSearchParams => new URLSearchParams(address.split('?')[1] ?? '');

/** The kind and the slug in a path, as far as it has them. */
export function partsOf(address: string): readonly string[] {
  const [path = ''] = address.split('?');
  return path
    .slice(API_PREFIX.length)
    .split('/')
    .filter((part) => part !== '');
}
