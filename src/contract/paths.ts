import { type Kind, kindNames } from './kinds.ts';
import { getNextRange, getPreviousRange, type PageRange } from './page-range.ts';

export const API_PREFIX = '/api/gamedata/';

export const ICONS_PATH = '/sprites/items/';
export const ICONS_FOLDER = ICONS_PATH.slice(1);
export const PLACEHOLDER_ICON = `${ICONS_FOLDER}unknown.png`;

export const META_FILE = 'meta.json';
export const MANIFEST_FILE = 'manifest.json';
/**
 * The folder inside a site's folder that a build works in. It exists only while a
 * change is being published.
 */
export const WORK_FOLDER = '.gamedata';
/**
 * The folder for the files of the next site that differ from the published ones. As
 * soon as it contains a manifest, the change is committed: readers of the site prefer
 * these files, and if the build is killed, the next one moves them into place.
 */
export const STAGED_FOLDER = `${WORK_FOLDER}/next`;
export const CHANGES_FILE = 'changes.json';
export const FEED_FILE = 'changes.atom';
export const MOVED_FILE = 'moved.json';
export const OPENAPI_FILE = 'openapi.json';
export const schemaFile = (name: string): string => `schemas/${name}.json`;
export const TYPES_FILE = 'types.d.ts';
export const SEARCH_FILE = 'search.json';
export const BROWSE_FILE = 'browse.html';
export const NOT_FOUND_FILE = '404.html';
export const DOCS_PATH = '/docs/';
/** The service worker that makes the site available offline. */
export const OFFLINE_FILE = 'offline.js';
export const LOGO_FILE = 'mark.svg';
export const SOCIAL_CARD_FILE = 'card.png';

export const NAMES_FOLDER = 'names/';
export const NAMES_INDEX_FILE = `${NAMES_FOLDER}index.json`;
export const namesFile = (language: string): string =>
  `${NAMES_FOLDER}${language}.json`;

/** The folder of the data set from which the site was built. */
export const DATA_FOLDER = 'data/';
/** The file in a data set folder that describes the data set and lists its files. */
export const DATA_SET_FILE = 'dataset.json';
/**
 * The file with a kind's records in a data set folder, one per line and without `url`.
 */
export const recordsFile = (kind: Kind): string => `${kind}.ndjson`;
/** Maps old slugs to ids. In contrast, `MOVED_FILE` maps old paths to current ones. */
export const OLD_SLUGS_FILE = 'old-slugs.json';

export const DOWNLOAD_FOLDER = 'download/';
export const bulkFolders = [DOWNLOAD_FOLDER, NAMES_FOLDER] as const;

export const ARCHIVE_FILE = `${DOWNLOAD_FOLDER}gamedata.tar.gz`;
export const CHECKSUM_FILE = `${DOWNLOAD_FOLDER}gamedata.sha256`;
/**
 * Returns the path of a bulk file's compressed copy. Hosts serve it without
 * `Content-Encoding`, so clients save it as a gzip file.
 */
export const gzipFile = (file: string): string => `${file}.gz`;

/** Encodes a path relative to the base URL for use in a URL. */
export const encodePath = (file: string): string =>
  file.split('/').map(encodeURIComponent).join('/');

/**
 * A pattern for URLs without characters that have a special meaning in host
 * configuration.
 */
export const PLAIN_URL =
  /^https?:\/\/(?:[A-Za-z0-9_.:]|\[|\]|-)+(?:\/(?:[A-Za-z0-9_.~]|-)+)*$/;
export const PLAIN_URL_RULE = 'a URL of letters, digits, dots and hyphens';

export const isUrl = (address: string): boolean => /^https?:\/\//i.test(address);

/**
 * The styles of links. In the style `query`, links point to endpoints, such as
 * `/api/gamedata/move/?format=api`. In the style `file`, which is meant for plain file
 * servers, they point to files, such as `/api/gamedata/move/index.json?format=api`. File
 * servers ignore the query, but some programs parse it.
 */
export const linkStyles = ['query', 'file'] as const;
export type LinkStyle = (typeof linkStyles)[number];

export interface LinkBase {
  /** The base URL without a trailing slash, such as `https://example.org`. */
  readonly baseUrl: string;
  readonly links: LinkStyle;
}

export const listPath = (kind: Kind): string => `${API_PREFIX}${kind}/`;
export const recordPath = (kind: Kind, slug: string): string =>
  `${API_PREFIX}${kind}/${slug}/`;

/**
 * Removes all trailing slashes. This is a loop because the expression `/\/+$/` takes
 * quadratic time for slashes that are not at the end.
 */
export function removeTrailingSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}

/**
 * Returns the path of a base URL, such as `/games`, or an empty string if it has no
 * path.
 */
export function getBasePath(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return '';
  return removeTrailingSlashes(new URL(baseUrl).pathname);
}

export const INDEX_FILE = 'index.json';

/**
 * Converts a path such as `/api/gamedata/` to the path of its file,
 * `api/gamedata/index.json`.
 */
function toFile(path: string): string {
  return `${path.slice(1)}${INDEX_FILE}`;
}

/** Converts `api/gamedata/index.json` back to the path `/api/gamedata/`. */
export function toPath(file: string): string {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return `/${folder}`;
}

export const rootFile = toFile(API_PREFIX);

export function listPageFile(kind: Kind, offset: number): string {
  const firstPage = listPath(kind);
  if (offset === 0) return toFile(firstPage);
  return toFile(`${firstPage}offset/${offset}/`);
}

export function recordFile(kind: Kind, slug: string): string {
  return toFile(recordPath(kind, slug));
}

export function recordUrl(
  { baseUrl, links }: LinkBase,
  kind: Kind,
  slug: string,
): string {
  const path =
    links === 'file' ? `/${recordFile(kind, slug)}` : recordPath(kind, slug);
  return `${baseUrl}${path}?format=api`;
}

/** Returns the URL of a list or, if a range is given, of a page in the list. */
export function listUrl(
  { baseUrl, links }: LinkBase,
  kind: Kind,
  range?: PageRange,
  format: 'api' | 'json' = 'api',
): string {
  const offset = range?.offset ?? 0;
  const path = links === 'file' ? `/${listPageFile(kind, offset)}` : listPath(kind);
  const query = range ? `&limit=${range.limit}&offset=${range.offset}` : '';
  return `${baseUrl}${path}?format=${format}${query}`;
}

export interface ListPage {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly unknown[];
}

/** The contents of a list page. */
export interface PageContents {
  readonly range: PageRange;
  /** The number of records in the whole list. */
  readonly count: number;
  readonly results: readonly unknown[];
}

/** Creates a list page with links to the next and the previous page. */
export function createListPage(
  base: LinkBase,
  kind: Kind,
  { range, count, results }: PageContents,
  format?: 'api' | 'json',
): ListPage {
  const nextRange = getNextRange(range, count);
  const previousRange = getPreviousRange(range);
  const next = nextRange && listUrl(base, kind, nextRange, format);
  const previous = previousRange && listUrl(base, kind, previousRange, format);
  return { count, next, previous, results };
}

const RECORD_PATH = new RegExp(`^${API_PREFIX}(${kindNames.join('|')})/([^/]+)/?$`);

/** The kind and the slug in the path of a record. */
export interface RecordPath {
  readonly kind: Kind;
  readonly slug: string;
}

/**
 * Parses a path such as `/api/gamedata/move/pound/`, with or without the trailing
 * slash.
 */
export function parseRecordPath(path: string): RecordPath | undefined {
  const match = RECORD_PATH.exec(path);
  if (!match) return undefined;
  const [, kind, slug = ''] = match;
  return { kind: kind as Kind, slug };
}

/**
 * Matches the path of a file in `.well-known/`, the folder for the operator's own files
 * about the whole origin, such as `security.txt`. The pattern works in JavaScript, PCRE
 * and RE2. Names may start with `_`, because some tokens of certificate authorities do.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8615
 * @see https://www.rfc-editor.org/rfc/rfc8555#section-8.1
 */
export const WELL_KNOWN_PATTERN = '\\.well-known/(?:[^/.][^/]*/)*[^/.][^/]*';

const WELL_KNOWN_FILE = new RegExp(`^${WELL_KNOWN_PATTERN}$`);

export const isWellKnown = (path: string): boolean => WELL_KNOWN_FILE.test(path);

/**
 * Returns whether hosts hide a file because a segment of its path starts with a dot or
 * `_`. Files in `.well-known/` are an exception.
 */
export function isHidden(path: string): boolean {
  if (isWellKnown(path)) return false;
  return path.split('/').some((name) => /^[._]/.test(name));
}

/**
 * Returns whether hosts serve a file, judging by its path. Files in `.well-known/`
 * are served only if there is no base path, because they apply to an origin's root.
 */
export function isServed(path: string, base: string): boolean {
  if (isWellKnown(path)) return base === '';
  return !isHidden(path);
}
