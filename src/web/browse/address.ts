/**
 * Addresses in the browsable page. Internally, an address is always that of an endpoint, such as
 * `/api/gamedata/move/?format=api`, whatever the site's links and the page's own URL look like.
 */

import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';
import { PAGE_SIZE, type Window } from '../../contract/windows.ts';

/**
 * The address that the page is to show, from its own path below the base URL, or else from the fragment.
 *
 * @param root the base URL with a trailing slash
 */
export function addressIn(href: string, root: string): { address: string; isNegotiated: boolean } {
  const [url = '', fragment = ''] = href.split('#');
  if (url.startsWith(root + API_PREFIX.slice(1)))
    return { address: url.slice(root.length - 1), isNegotiated: true };
  return { address: fragment.startsWith(API_PREFIX) ? fragment : API_PREFIX, isNegotiated: false };
}

/**
 * The address of the endpoint that a link in the data points to, whatever its host; undefined if it is not an endpoint.
 * A link to a file counts as its endpoint.
 */
export function endpointOf(link: string): string | undefined {
  if (!/^https?:\/\//.test(link) || !URL.canParse(link)) return undefined;
  const { pathname, search } = new URL(link);
  const at = pathname.lastIndexOf(API_PREFIX);
  if (at < 0) return undefined;
  return pathname.slice(at).replace(/(?:offset\/\d+\/)?index\.json$/, '') + search;
}

/**
 * The path to fetch for an address, relative to the base URL. On a site whose links point to files, that of the file; undefined if
 * there is none, as for any page that is not built.
 */
export function sourceOf(address: string, links: LinkStyle): string | undefined {
  if (links === 'query') return address.slice(1);
  const { limit, offset } = windowOf(address);
  if (limit !== PAGE_SIZE || offset % PAGE_SIZE !== 0) return undefined;
  return `${pathOf(address).slice(1)}${offset > 0 ? `offset/${offset}/` : ''}index.json`;
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

export const withWindow = (address: string, { limit, offset }: Window): string =>
  `${pathOf(address)}?format=api&limit=${limit}&offset=${offset}`;

/** The same address as JSON in any client. */
export function asJson(address: string): string {
  const query = queryOf(address);
  query.set('format', 'json');
  return `${pathOf(address)}?${query}`;
}

/** The kind and the slug in a path, as far as it has them. */
export const partsOf = (address: string): readonly string[] =>
  pathOf(address)
    .slice(API_PREFIX.length)
    .split('/')
    .filter((part) => part !== '');

export const pathOf = (address: string): string => address.split('?')[0] ?? '';

const queryOf = (address: string): URLSearchParams => new URLSearchParams(address.split('?')[1] ?? '');
