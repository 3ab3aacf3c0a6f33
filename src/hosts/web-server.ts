/** What the configurations of web servers have in common. PCRE and Go's RE2 interpret the regular expressions alike. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import * as contract from '../contract/headers.ts';
import { bulkFolders, DOCS_PATH, pathOf } from '../contract/paths.ts';
import { escapeExpression, type HostContext, type Parameter } from './host.ts';

/** A web server without code only serves built pages. */
export const unsupportedByWebServers = ['windows', 'repeated', 'link'] as const satisfies GuaranteeName[];

/**
 * By what is served. Errors have a `Cache-Control` of their own, whatever they are about. `Vary` is set here, as servers forget
 * it on responses that they do not compress, such as 304.
 */
export const headerSets = {
  common: contract.commonHeaders,
  api: { ...contract.apiHeaders, Vary: 'Accept, Accept-Encoding' },
  file: { ...contract.freshHeaders, Vary: 'Accept-Encoding' },
  html: contract.htmlHeaders,
  download: { ...contract.downloadHeaders, Vary: 'Accept-Encoding' },
  preflight: contract.preflightHeaders,
  error: contract.errorHeaders,
} as const;

/** What a server refuses by itself, and can be told to say in JSON: status → detail. 400 is a malformed request. */
export const refusals = {
  400: 'Bad Request.',
  412: 'Precondition Failed.',
  416: 'Range Not Satisfiable.',
  500: 'Internal Server Error.',
} as const;

/** What is compressed from `COMPRESSED_BYTES` on, with its charset. */
export const compressedMedia = [...new Set(Object.values(contract.mediaTypes))].filter(
  contract.isCompressible,
);
/** The same for servers that compare without. */
export const compressedTypes = compressedMedia.map((type) => type.split(';')[0]);
export const COMPRESSED_BYTES = 1024;

/** Media types by an expression for the end of a file's name, apart from those that every server knows. */
export const ownMediaTypes = Object.entries(contract.mediaTypes)
  .filter(([ending]) => ending !== '.html' && ending !== '.json')
  .map(([ending, type]) => [`${escapeExpression(ending)}$`, type] as const);

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
  return name.replaceAll(/./g, (letter) => {
    const code = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|%${code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
}

/** Matches an `Accept` header by one member of its list. */
const member = (range: string, parameters: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${parameters}|$)`;

export const accepts = {
  json: member('(?:\\*/\\*|application/(?:\\*|json))', '[,;]'),
  html: member('text/(?:\\*|html)', '[,;]'),
} as const;

/** Listed with the best quality. Browsers list HTML like this; a client that lists JSON like this gets JSON, and so does Java. */
const prefers = {
  json: `${member('application/json', ',|;\\s*q=1')}|${contract.JAVA_ACCEPT}`,
  html: member('text/html', ',|;\\s*q=1'),
} as const;

// Early Safari's `…,text/html;q=0.9,…,*/*;q=0.5`: HTML is no worse than anything else, by the first digit, and JSON is not listed.
// Only the first quality can be that of HTML, as the time for a long header would otherwise be quadratic.
const lower = [9, 8, 7, 6, 5, 4, 3, 2, 1].map(
  (digit) => `${digit}.*,\\s*\\*/\\*\\s*;\\s*q=0?\\.[0-${digit}]`,
);
const ranks = {
  json: member('application/(?:\\*|json)', '[,;]'),
  html: `(?i)^(?:[^;]*,)?\\s*text/html\\s*;\\s*q=0?\\.(?:${lower.join('|')})`,
} as const;

/** What decides whether a client gets the page, by the first that matches its `Accept`. */
export const preferences = [prefers, ranks, accepts] as const;
export const negotiation = preferences.flatMap(({ json, html }) => [
  [json, ''] as const,
  [html, '1'] as const,
]);

/** FNV-1a, as up to 7 letters and digits: nginx refuses variables of more than 46 characters. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(36);
}

/** The folder of a page that is not the first, inside that of its list. */
export const pageFolder = (offset: string): string => `offset/${offset}/`;

/** The routes with everything else that the template of a web server is filled with. */
export function webServer({ routes, baseUrl, root }: HostContext) {
  const { formats, lists, pageSize, prefix } = routes;
  const base = pathOf(baseUrl);
  const address = new URL(baseUrl);
  const kinds = `(?:${lists.map(({ kind }) => kind).join('|')})`;
  const slashlessPrefix = prefix.slice(0, -1);
  return {
    ...routes,
    address,
    /** Where it listens for plain HTTP: TLS is the operator's to add, or of somebody in front of it. */
    port: address.protocol === 'https:' ? 80 : Number(address.port || 80),
    /** The path of the base URL, and the same as a regular expression. */
    base,
    basePattern: escapeExpression(base),
    root,
    slashlessPrefix,
    slashlessDocs: DOCS_PATH.slice(0, -1),
    /** Without anchors. */
    paths: {
      list: `${prefix}${kinds}/`,
      record: `${prefix}${kinds}/[a-z0-9-]+/`,
      /** An endpoint without its trailing slash, as it was sent. */
      slashless: `${slashlessPrefix}(?:/${kinds}(?:/[^/.?]+)?)?`,
      /** Host configuration starts with a dot or `_`, and is not public. */
      hidden: '/[._]',
      /** Relative to the icons' path. */
      icon: '(?:\\w[\\w-]*/)*\\w[\\w-]*(?:\\.\\w[\\w-]*)+',
      download: `/(?:${bulkFolders.join('|')})`,
    },
    /** The limit and offset of built pages, joined by a colon. The offset of a later page is captured. */
    firstPage: `^(?:${pageSize})?:0?$`,
    laterPage: `^(?:${pageSize})?:([1-9][0-9]*)$`,
    anyFormat: formats.join('|'),
    /** The values of `format` for which browsers get the page: the other one is always JSON. */
    browsable: formats.filter((format) => format !== 'json').join('|'),
  };
}

export type WebServer = ReturnType<typeof webServer>;
