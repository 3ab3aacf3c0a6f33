/** Every path of a site: the public URLs of the API, and the files behind them. */

import { type Kind, kindNames } from './kinds.ts';
import { getNextRange, getPreviousRange, type Integer, type PageRange } from './page-range.ts';

export const API_PREFIX = '/api/gamedata/';

export const ICONS_PATH = '/sprites/items/';
export const ICONS_FOLDER = ICONS_PATH.slice(1);
/** The icon of items that have none. */
export const PLACEHOLDER_ICON = `${ICONS_FOLDER}unknown.png`;

export const META_FILE = 'meta.json';
export const MANIFEST_FILE = 'manifest.json';
export const CHANGES_FILE = 'changes.json';
export const FEED_FILE = 'changes.atom';
/** Which record last had each old slug; and the redirects that follow: old path → new path. */
export const FORMER_FILE = 'former.json';
export const MOVED_FILE = 'moved.json';
export const OPENAPI_FILE = 'openapi.json';
export const schemaFile = (name: string): string => `schemas/${name}.json`;
export const TYPES_FILE = 'types.d.ts';
export const SEARCH_FILE = 'search.json';
/** The browsable page: one HTML file for every API path. */
export const BROWSE_FILE = 'browse.html';
/** The page for paths that do not exist, outside of the API. */
export const NOT_FOUND_FILE = '404.html';
export const DOCS_PATH = '/docs/';
/** The mark of the pages, and the picture of link previews. */
export const LOGO_FILE = 'mark.svg';
export const SOCIAL_CARD_FILE = 'card.png';

export const NAMES_FOLDER = 'names/';
export const NAMES_INDEX_FILE = `${NAMES_FOLDER}index.json`;
export const namesFile = (language: string): string => `${NAMES_FOLDER}${language}.json`;

/** Bulk files and archives. */
export const DOWNLOAD_FOLDER = 'download/';
/** Files in these are served in the same way. */
export const bulkFolders = [DOWNLOAD_FOLDER, NAMES_FOLDER] as const;

export const ARCHIVE_FILE = `${DOWNLOAD_FOLDER}gamedata.tar.gz`;
/** In the format of `sha256sum`. */
export const CHECKSUM_FILE = `${DOWNLOAD_FOLDER}gamedata.sha256`;
/** The compressed copy of a bulk file. Hosts serve it as a file, without `Content-Encoding`. */
export const gzipFile = (file: string): string => `${file}.gz`;

/** A URL that becomes part of host configuration, where other characters have a meaning. */
export const PLAIN_URL = /^https?:\/\/(?:[A-Za-z0-9_.:]|\[|\]|-)+(?:\/(?:[A-Za-z0-9_.~]|-)+)*$/;
export const PLAIN_URL_RULE = 'a URL of letters, digits, dots and hyphens';

/**
 * How links are written. `query`: to endpoints, for hosts that follow the route table. `file`: to the files themselves,
 * correct on plain file servers; the query stays, so that programs can still read it.
 */
export const linkStyles = ['query', 'file'] as const;
export type LinkStyle = (typeof linkStyles)[number];

export interface LinkBase {
  /** Without a trailing slash, such as `https://example.org`. */
  readonly baseUrl: string;
  readonly links: LinkStyle;
}

export const listPath = (kind: Kind): string => `${API_PREFIX}${kind}/`;
export const recordPath = (kind: Kind, slug: string): string => `${API_PREFIX}${kind}/${slug}/`;

/** The path of a base URL: empty, or such as `/games`. Every path of the site is relative to it. */
export const getBasePath = (baseUrl: string): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, '') : '';

export const INDEX_FILE = 'index.json';

/** The file of an API path, relative to the site's folder. */
const fileBehind = (path: string): string => `${path.slice(1)}${INDEX_FILE}`;

export const rootFile = fileBehind(API_PREFIX);
export const listPageFile = (kind: Kind, offset: Integer): string =>
  fileBehind(offset === 0 ? listPath(kind) : `${listPath(kind)}offset/${offset}/`);
export const recordFile = (kind: Kind, slug: string): string => fileBehind(recordPath(kind, slug));

export function recordUrl({ baseUrl, links }: LinkBase, kind: Kind, slug: string): string {
  const path = links === 'file' ? `/${recordFile(kind, slug)}` : recordPath(kind, slug);
  return `${baseUrl}${path}?format=api`;
}

/** The URL of a list, as in the API root, or of one of its windows, as in `next` and `previous`. */
export function listUrl(
  { baseUrl, links }: LinkBase,
  kind: Kind,
  window?: PageRange,
  format: 'api' | 'json' = 'api',
): string {
  const path = links === 'file' ? `/${listPageFile(kind, window?.offset ?? 0)}` : listPath(kind);
  const query = window ? `&limit=${window.limit}&offset=${window.offset}` : '';
  return `${baseUrl}${path}?format=${format}${query}`;
}

export interface ListPage {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly unknown[];
}

export function createListPage(
  base: LinkBase,
  kind: Kind,
  { window, count, results }: { window: PageRange; count: number; results: readonly unknown[] },
  format?: 'api' | 'json',
): ListPage {
  const link = (to: PageRange | null) => to && listUrl(base, kind, to, format);
  return {
    count,
    next: link(getNextRange(window, count)),
    previous: link(getPreviousRange(window)),
    results,
  };
}

/** The kind and slug of a record's path; undefined if it is none. */
export function parseRecordPath(path: string): { kind: Kind; slug: string } | undefined {
  const kind = kindNames.find((candidate) => path.startsWith(listPath(candidate)));
  const [slug = '', ...rest] = kind === undefined ? [] : path.slice(listPath(kind).length).split('/');
  return kind !== undefined && slug !== '' && rest.join('/') === '' ? { kind, slug } : undefined;
}

/** The slugs of a kind, by the files that a site has for its records. */
export function findSlugs(kind: Kind, files: Iterable<string>): string[] {
  const folder = listPath(kind).slice(1);
  return [...files]
    .filter((file) => file.startsWith(folder))
    .map((file) => file.slice(folder.length).split('/'))
    .flatMap(([slug = '', , ...deeper]) => (slug === INDEX_FILE || deeper.length > 0 ? [] : [slug]));
}

/** Configuration that an operator copies to a web server, once. Archives do not contain it: a site is nobody's way into a server. */
export const isWebServerConfig = (path: string): boolean => path.startsWith('_hosts/');

/**
 * Whether a path of a site is host configuration, which no host serves and no mirror copies: some segment starts with a dot or
 * `_`, or the host fixes its name.
 */
export const isHostConfig = (path: string): boolean =>
  path === 'wrangler.jsonc' || path.split('/').some((segment) => /^[._]/.test(segment));
