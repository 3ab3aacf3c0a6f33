/** What the configurations of web servers have in common. PCRE and Go's RE2 interpret the regular expressions alike. */

import { errorBody, errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../contract/errors.ts';
import type { GuaranteeName } from '../contract/guarantees.ts';
import {
  apiHeaders,
  commonHeaders,
  downloadHeaders,
  errorHeaders,
  freshHeaders,
  htmlHeaders,
  mediaTypes,
  preflightHeaders,
} from '../contract/headers.ts';
import { DOCS_PATH, DOWNLOAD_FOLDER, INDEX_FILE, listPageFile, pathOf } from '../contract/paths.ts';
import type { RouteTable } from '../contract/routes.ts';
import { escapeExpression } from './expressions.ts';
import type { HostContext } from './host.ts';

/** The parameters that select a page. */
export const parameters = ['format', 'limit', 'offset'] as const;
export type Parameter = (typeof parameters)[number];

/** A web server without code, and without a fallback that has some, only serves built pages. */
export const unsupportedByWebServers = ['windows', 'repeated'] as const satisfies GuaranteeName[];

export const headerSets = {
  common: commonHeaders,
  api: apiHeaders,
  html: htmlHeaders,
  download: downloadHeaders,
  preflight: preflightHeaders,
} as const;

/** `Cache-Control` by what is served. Errors have one of their own, whatever they are about. */
export const caching = {
  api: apiHeaders['Cache-Control'],
  file: freshHeaders['Cache-Control'],
  error: errorHeaders['Cache-Control'],
} as const;

/** What is compressed from `COMPRESSED_BYTES` on; images and archives are already. */
export const compressedTypes = [
  'application/json',
  'application/atom+xml',
  'application/javascript',
  'application/x-ndjson',
  'image/svg+xml',
  'text/css',
  'text/csv',
  'text/html',
  'text/javascript',
  'text/plain',
] as const;
export const COMPRESSED_BYTES = 1024;

/** Seconds after which a fallback counts as down, and as too slow. */
export const fallbackSeconds = { connect: 2, respond: 20 } as const;

export const errorBodies = {
  notBuilt: errorBody(errorDetails[400]),
  notFound: errorBody(errorDetails[404]),
  notAcceptable: errorBody(NOT_ACCEPTABLE_DETAIL),
  /** @param method the server's variable */
  notAllowed: (method: string) => errorBody(notAllowedDetail(method)),
} as const;

/** Media types that servers do not know, or define differently. */
export const ownMediaTypes = Object.entries(mediaTypes);

/**
 * Matches a query as it was sent, and captures the last value of a parameter. The servers' own parameter variables ignore
 * letter case, do not decode names, and return the first value or all of them.
 */
export const lastValue = (parameter: Parameter): string =>
  `^(?:.*&)?${inAnyEncoding(parameter)}(?:=([^&]*))?(?:&|$)`;

/** Matches a query that asks for JSON whatever the client prefers. */
export const wantsJson = `(?:^|&)${inAnyEncoding('format')}=json(?:&(?!${inAnyEncoding('format')}(?:[=&]|$))[^&]*)*$`;

/** Each letter may be percent-encoded, as in `o%66fset`. */
function inAnyEncoding(name: string): string {
  return [...name].map((letter) => `(?:${letter}|%${hexadecimal(letter.charCodeAt(0))})`).join('');
}

function hexadecimal(code: number): string {
  return code.toString(16).replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** Matches an `Accept` header by one member of its list. */
const member = (range: string, parameters: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${parameters}|$)`;

export const accepts = {
  json: member('(?:\\*/\\*|application/(?:\\*|json))', '[,;]'),
  html: member('text/(?:\\*|html)', '[,;]'),
} as const;

/** Listed without a quality. Browsers list HTML like this; a client that lists JSON like this gets JSON. */
export const prefers = {
  json: member('application/json', ','),
  html: member('text/html', ','),
} as const;

/** The format that is always JSON; for the others, browsers get the page. */
const JSON_FORMAT = 'json';

/** The folder of a built page inside that of its list, such as `offset/100/`. */
function pageFolder({ lists }: RouteTable, offset: string): string {
  const [list] = lists;
  if (!list) return '';
  return listPageFile(list.kind, 1)
    .slice(list.path.length - 1, -INDEX_FILE.length)
    .replace('1', () => offset);
}

/** Paths of the API, without anchors. */
interface PathPatterns {
  readonly list: string;
  readonly record: string;
  /** An endpoint without its trailing slash, as it was sent. */
  readonly slashless: string;
  /** Host configuration starts with a dot or `_`, and is not public. */
  readonly hidden: string;
  /** An icon, relative to the icons' path. */
  readonly icon: string;
}

function pathPatterns({ prefix, lists }: RouteTable): PathPatterns {
  const kinds = `(?:${lists.map(({ kind }) => kind).join('|')})`;
  return {
    list: `${prefix}${kinds}/`,
    record: `${prefix}${kinds}/[a-z0-9-]+/`,
    slashless: `${prefix.slice(0, -1)}(?:/${kinds}(?:/[^/.?]+)?)?`,
    hidden: '/[._]',
    icon: '(?:\\w[\\w-]*/)*\\w[\\w-]*(?:\\.\\w[\\w-]*)+',
  };
}

/** Offsets as links write them. */
export const OFFSET = '[1-9][0-9]*';

/** The routes with everything else that the template of a web server is filled with. */
export function webServer({ routes, baseUrl, root, fallback }: HostContext) {
  const { formats, icons, prefix } = routes;
  const base = pathOf(baseUrl);
  const address = new URL(baseUrl);
  return {
    ...routes,
    /** Of the base URL. */
    address,
    /** Where it listens without TLS. */
    port: address.protocol === 'https:' ? 80 : Number(address.port || 80),
    base,
    /** The same as a regular expression. */
    basePattern: escapeExpression(base),
    root,
    fallback: fallback === undefined ? undefined : new URL(fallback),
    paths: pathPatterns(routes),
    /** The values of `format` for which browsers get the page. */
    browsable: formats.filter((format) => format !== JSON_FORMAT).join('|'),
    anyFormat: formats.join('|'),
    pageFolder: (offset: string) => pageFolder(routes, offset),
    redirectsIcons: icons.upstream !== null,
    slashlessPrefix: prefix.slice(0, -1),
    slashlessDocs: DOCS_PATH.slice(0, -1),
    downloads: `/${DOWNLOAD_FOLDER}`,
  };
}

export type WebServer = ReturnType<typeof webServer>;
