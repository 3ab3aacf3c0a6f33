import { type Kind, kindNames } from '../../contract/kinds.ts';
import {
  API_PREFIX,
  DOCS_PATH,
  isServed,
  isWellKnown,
  recordFile,
  rootFile,
} from '../../contract/paths.ts';
import { JAVA_ACCEPT } from '../../contract/responses.ts';
import { capitalize } from '../../contract/words.ts';

/** A request with the path as it was sent. A `Request` would normalize the path. */
export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the body, or null if there is no body. */
  readonly body: readonly Uint8Array<ArrayBuffer>[] | null;
}

/** An endpoint of the API. */
export type Endpoint =
  | {
      readonly type: 'root' | 'record';
      /** The name that the reference framework uses for the endpoint. */
      readonly name: string;
      /** Undefined if the slug is not valid, because then no record can have it. */
      readonly file: string | undefined;
    }
  | { readonly type: 'list'; readonly name: string; readonly kind: Kind };

export type Target =
  | Endpoint
  | {
      readonly type: 'redirect';
      /** The path to redirect to, without the base path. */
      readonly path: string;
    }
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'nothing' };

/**
 * Finds the endpoint, redirect or file for a path. Percent-encoding is decoded
 * first, including encoded slashes. If only the trailing slash of an endpoint is
 * missing, the result is a redirect, even if the record does not exist. Paths
 * outside the base path have no target.
 *
 * @param base the path of the base URL, such as `/games`
 */
export function resolveTarget(sentPath: string, base = ''): Target {
  // Redirects keep the percent-encoding of the path that was sent.
  if (sentPath === base) return { type: 'redirect', path: '/' };
  if (!sentPath.startsWith(`${base}/`)) return { type: 'nothing' };
  const path = sentPath.slice(base.length);
  const decoded = decode(path);
  if (decoded === undefined) return { type: 'nothing' };
  if (decoded === API_PREFIX) {
    return { type: 'root', name: 'Api Root', file: rootFile };
  }
  // Like lists and records, the API's root and the docs require a trailing slash.
  const isRootOrDocs = [API_PREFIX, DOCS_PATH].includes(`${decoded}/`);
  if (isRootOrDocs) return { type: 'redirect', path: `${path}/` };
  const names = parseListOrRecordPath(decoded);
  if (names === undefined) return resolveFile(decoded, base);
  if (!decoded.endsWith('/')) return { type: 'redirect', path: `${path}/` };
  return createEndpoint(names);
}

/** The kind and the slug in the path of a list or a record. */
interface EndpointNames {
  readonly kind: Kind;
  readonly slug: string | undefined;
}

/** The titles are the same as in the reference framework. */
function createEndpoint({ kind, slug }: EndpointNames): Endpoint {
  const title = capitalize(kind);
  if (slug === undefined) return { type: 'list', name: `${title} List`, kind };
  const isPossibleSlug = /^[a-z0-9-]+$/.test(slug);
  const file = isPossibleSlug ? recordFile(kind, slug) : undefined;
  return { type: 'record', name: `${title} Instance`, file };
}

/**
 * Parses `/api/gamedata/<kind>/` and `/api/gamedata/<kind>/<slug>/`, with or without
 * the trailing slash.
 */
function parseListOrRecordPath(decoded: string): EndpointNames | undefined {
  if (!decoded.startsWith(API_PREFIX)) return undefined;
  const names = decoded.slice(API_PREFIX.length);
  // A path with a dot, such as `index.json`, belongs to a file.
  const match = /^([^/.]+)(?:\/([^/.]+))?\/?$/.exec(names);
  if (!match) return undefined;
  const [, firstName, slug] = match;
  const kind = kindNames.find((name) => name === firstName);
  if (kind === undefined) return undefined;
  return { kind, slug };
}

/**
 * Matches the paths of a site's own files, which have plain names and end with a
 * file extension.
 */
const SITE_FILE = /^(?:\w[\w-]*\/)*\w[\w-]*(?:\.[\w-]+)+$/;

/**
 * Matches the operator's files in `.well-known/`, whose names may have no extension.
 */
const WELL_KNOWN_FILE = /^[\w.~/-]+$/;

function resolveFile(decoded: string, base: string): Target {
  const path = decoded.slice(1);
  const isFolder = path === '' || path.endsWith('/');
  const file = isFolder ? `${path}index.html` : path;
  const allowedNames = isWellKnown(path) ? WELL_KNOWN_FILE : SITE_FILE;
  if (!allowedNames.test(file) || !isServed(file, base)) return { type: 'nothing' };
  return { type: 'file', file };
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

export type Format = 'api' | 'json' | 'other' | undefined;

/**
 * Reads the last `format` parameter. An empty value is treated like a missing
 * parameter.
 */
export function readFormat(query: URLSearchParams): Format {
  const format = query.getAll('format').at(-1);
  if (format === undefined || format === '') return undefined;
  if (format === 'api' || format === 'json') return format;
  return 'other';
}

/**
 * Returns whether a client prefers `text/html`, as browsers do. Other clients get
 * JSON.
 */
export function prefersPage(format: Format, accept: string | null): boolean {
  if (format === 'json') return false;
  // Java's default header lists HTML first, although the client is a program.
  if (accept !== null && javaAccept.test(accept)) return false;
  const qualities = readQualities(accept ?? '*/*');
  const json = rate(qualities, ['application/json', 'application/*', '*/*']);
  const html = rate(qualities, ['text/html', 'text/*', '*/*']);
  if (html.quality <= 0) return false;
  if (html.quality !== json.quality) return html.quality > json.quality;
  // If the qualities are equal, the more specific media range takes precedence.
  return html.place < json.place;
}

const javaAccept = new RegExp(JAVA_ACCEPT);

/**
 * Parses a header such as `text/html, text/*;q=0.8`. If a name is repeated, its
 * first quality applies.
 */
function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const member of header.split(',')) {
    const parts = member.split(';').map((part) => part.trim().toLowerCase());
    const [name = '', ...parameters] = parts;
    if (qualities.has(name)) continue;
    qualities.set(name, readQuality(parameters));
  }
  return qualities;
}

function readQuality(parameters: readonly string[]): number {
  const parameter = parameters.find((text) => text.startsWith('q='));
  if (parameter === undefined) return 1;
  const quality = Number(parameter.slice('q='.length));
  return Number.isFinite(quality) ? quality : 0;
}

interface Rating {
  readonly quality: number;
  /**
   * The position of the matching range in the given list. A lower position is more
   * specific.
   */
  readonly place: number;
}

/**
 * Rates a media type by the most specific range in the header that includes it.
 *
 * @param ranges the ranges that include the media type, starting with the most
 * specific one
 */
function rate(
  qualities: ReadonlyMap<string, number>,
  ranges: readonly string[],
): Rating {
  for (const [place, range] of ranges.entries()) {
    const quality = qualities.get(range);
    if (quality !== undefined) return { quality, place };
  }
  return { quality: 0, place: -1 };
}
