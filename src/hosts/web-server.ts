/** What the configurations of nginx, Caddy and Apache have in common. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import { kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import { getBasePath, WELL_KNOWN_PATTERN } from '../contract/paths.ts';
import * as responses from '../contract/responses.ts';
import type { HostContext } from './host.ts';
import { escapeRegExp, lastParameterPattern } from './request-patterns.ts';

/** Operators copy the files in this folder to web servers. */
export const CONFIG_FOLDER = '_hosts/';

export const unsupportedByWebServers = ['windows', 'repeated'] as const satisfies GuaranteeName[];

// biome-ignore lint/suspicious/noControlCharactersInRegex: no configuration can contain them
const FORBIDDEN_IN_ROOT = /[\u0000-\u001f"'`$\\{}<>*?[\]]/;

/** Whether the path of a document root has a special meaning in none of the configurations. */
export const isPlainRoot = (root: string): boolean => !FORBIDDEN_IN_ROOT.test(root);

/**
 * We set `Vary` ourselves, because servers omit it from responses that they do not compress, such
 * as 304.
 */
export const headerSets = {
  common: responses.commonHeaders,
  api: { ...responses.apiHeaders, Vary: 'Accept, Accept-Encoding' },
  file: { ...responses.freshHeaders, Vary: 'Accept-Encoding' },
  html: responses.htmlHeaders,
  apiPage: responses.apiPageHeaders,
  download: { ...responses.downloadHeaders, Vary: 'Accept-Encoding' },
  preflight: responses.preflightHeaders,
  error: responses.errorHeaders,
} as const;

/**
 * Formats headers as arguments of a directive, such as `Allow "GET"`. Of equal names, the last one
 * wins.
 */
export type HeaderFormat = (...sets: Readonly<Record<string, string>>[]) => string[];

export function createHeaderFormat(quote: (value: string) => string): HeaderFormat {
  return (...sets) => {
    const headers: Record<string, string> = Object.assign({}, ...sets);
    return Object.entries(headers).map(([name, value]) => `${name} ${quote(value)}`);
  };
}

export const formatHeaderSets = (format: HeaderFormat) => ({
  commonHeaders: format(headerSets.common),
  apiHeaders: format(headerSets.api),
  fileHeaders: format(headerSets.file),
  htmlHeaders: format(headerSets.html),
  pageCaching: headerSets.apiPage['Cache-Control'],
  downloadHeaders: format(headerSets.download),
  preflightHeaders: format(headerSets.preflight),
});

const mediaTypes = new Set(Object.values(responses.mediaTypes));
export const compressedTypes = [...mediaTypes].filter(responses.isCompressible);
export const compressedTypesWithoutCharset = compressedTypes.map((type) => type.replace(/;.*/, ''));

export interface FileType {
  /** A regular expression for the names of files. */
  readonly pattern: string;
  readonly mediaType: string;
}

/** The media types that the servers lack. */
export const ownMediaTypes: readonly FileType[] = listOwnMediaTypes();

function listOwnMediaTypes(): FileType[] {
  const types: FileType[] = [];
  for (const [ending, mediaType] of Object.entries(responses.mediaTypes)) {
    const isKnownToServers = ending === '.html' || ending === '.json';
    if (isKnownToServers) continue;
    types.push({ pattern: `${escapeRegExp(ending)}$`, mediaType });
  }
  return types;
}

/** Creates the values that every template of a web server uses. */
export function createWebServerValues({ iconRedirect, baseUrl, root }: HostContext) {
  const { origin, hostname, port, protocol } = new URL(baseUrl);
  const base = getBasePath(baseUrl);
  // The template uses plain HTTP. The operator adds TLS, or a reverse proxy terminates it.
  const hasOwnPort = protocol === 'http:' && port !== '';
  return {
    root,
    origin,
    hostname,
    port: hasOwnPort ? port : '80',
    base,
    basePattern: escapeRegExp(base),
    icons: iconRedirect ?? '',
    // Only the root of an origin has a `.well-known/`.
    wellKnown: base === '' ? WELL_KNOWN_PATTERN : '',
    kinds: `(?:${kindNames.join('|')})`,
    pageSize: String(PAGE_SIZE),
    pageError: responses.createErrorBody(responses.errorDetails[400]),
    lastFormat: lastParameterPattern('format'),
    lastLimit: lastParameterPattern('limit'),
    lastOffset: lastParameterPattern('offset'),
  };
}
