/** Where everything is: public addresses of the contract and the site's files behind them. */

import type { Kind } from './kinds.ts';
import type { Whole, Window } from './windows.ts';

/** What the site says of itself. */
export const META_FILE = 'meta.json';

/** The path that all addresses of the API begin with. */
export const API_PREFIX = '/api/gamedata/';

/** Where the site's own picture for records without one lies. */
export const PLACEHOLDER_ICON = 'sprites/items/unknown.png';

/** The folder of the bulk files. */
export const DOWNLOAD_FOLDER = 'download/';

/**
 * How links are written. `query`: the endpoints' addresses, for hosts that follow the route table. `file`: the addresses
 * of the files themselves, right on hosts that know nothing but files; the query is kept, so that programs can read it.
 */
export const linkStyles = ['query', 'file'] as const;
export type LinkStyle = (typeof linkStyles)[number];

/** What every link of a site begins and ends with. */
export interface LinkBase {
  /** The address that the site is served under, without a slash at the end, such as `https://example.org`. */
  readonly baseUrl: string;
  readonly links: LinkStyle;
}

export const listPath = (kind: Kind): string => `${API_PREFIX}${kind}/`;
export const recordPath = (kind: Kind, slug: string): string => `${API_PREFIX}${kind}/${slug}/`;

/** Paths of files are relative to the site's folder. */
const fileBehind = (path: string): string => `${path.slice(1)}index.json`;

export const rootFile = fileBehind(API_PREFIX);
export const pageFile = (kind: Kind, offset: Whole): string =>
  fileBehind(offset === 0 ? listPath(kind) : `${listPath(kind)}offset/${offset}/`);
export const recordFile = (kind: Kind, slug: string): string => fileBehind(recordPath(kind, slug));

/** Says where renamed records are now: the path of the old address → that of the new one. */
export const MOVED_FILE = 'moved.json';

/** The address of a record, as its `url` has it. */
export function recordUrl({ baseUrl, links }: LinkBase, kind: Kind, slug: string): string {
  const path = links === 'file' ? `/${recordFile(kind, slug)}` : recordPath(kind, slug);
  return `${baseUrl}${path}?format=api`;
}

/** The address of a list, as `/api/gamedata/` has it, or of one of its windows, as `next` and `previous` have it. */
export function listUrl({ baseUrl, links }: LinkBase, kind: Kind, window?: Window): string {
  const path = links === 'file' ? `/${pageFile(kind, window?.offset ?? 0)}` : listPath(kind);
  const query = window ? `&limit=${window.limit}&offset=${window.offset}` : '';
  return `${baseUrl}${path}?format=api${query}`;
}
