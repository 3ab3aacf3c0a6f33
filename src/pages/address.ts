/**
 * Addresses as the browsable page knows them. Inside of it an address is that of an endpoint, such as
 * `/api/gamedata/move/?format=api`, whatever the links of the site and the page's own address look like.
 */

import { API_PREFIX, type LinkStyle } from '../contract/addresses.ts';
import { PAGE_SIZE } from '../contract/windows.ts';

/** What the page is opened as: at the API's own addresses, or as one file with the address behind a hash. */
export interface Place {
  /** Where the site begins, with a slash at the end, such as `https://example.org/`. */
  readonly root: string;
  readonly links: LinkStyle;
  /** Whether the page lies at the API's own addresses. */
  readonly isNegotiated: boolean;
}

export interface Window {
  readonly limit: number;
  readonly offset: number;
}

export function placeOf(location: { href: string }, root: string, links: LinkStyle): Place {
  return { root, links, isNegotiated: pathBehind(location.href, root)?.startsWith(API_PREFIX) ?? false };
}

/** The address that the page is asked for. */
export function addressIn({ href }: { href: string }, { root, isNegotiated }: Place): string {
  if (isNegotiated) return pathBehind(href, root) ?? API_PREFIX;
  const [, behind = ''] = href.split('#');
  return behind.startsWith(API_PREFIX) ? behind : API_PREFIX;
}

/** Everything but the hash of an address, from the site's root on and with a slash before it. */
function pathBehind(href: string, root: string): string | undefined {
  const [address = ''] = href.split('#');
  return address.startsWith(root) ? address.slice(root.length - 1) : undefined;
}

/** Where a link of the page to an endpoint leads. */
export const hrefTo = (address: string, { root, isNegotiated }: Place): string =>
  isNegotiated ? root + address.slice(1) : `#${address}`;

/**
 * The address of an endpoint that a link in the data names, whatever host it names; undefined where it is none of this
 * API. On a site whose links lead to files it is the endpoint that the file stands for.
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
 * What has to be fetched for an address. On a site whose links lead to files, the file behind it; undefined where none
 * can be: files hold the built pages and nothing between.
 */
export function sourceOf(address: string, { root, links }: Place): string | undefined {
  if (links === 'query') return root + address.slice(1);
  const [path = ''] = address.split('?');
  const { limit, offset } = windowOf(address);
  if (limit !== PAGE_SIZE || offset % PAGE_SIZE !== 0) return undefined;
  return `${root}${path.slice(1)}${offset > 0 ? `offset/${offset}/` : ''}index.json`;
}

/** The window that an address asks for, read as the reference framework does. */
export function windowOf(address: string): Window {
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

/** The same address as JSON for everybody. */
export function asJson(address: string): string {
  const [path = ''] = address.split('?');
  const query = queryOf(address);
  query.set('format', 'json');
  return `${path}?${query}`;
}

const queryOf = (address: string): URLSearchParams => new URLSearchParams(address.split('?')[1] ?? '');

/** The kind and the slug that a path names, as far as it does. */
export function partsOf(address: string): readonly string[] {
  const [path = ''] = address.split('?');
  return path
    .slice(API_PREFIX.length)
    .split('/')
    .filter((part) => part !== '');
}
