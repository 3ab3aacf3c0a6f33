/** Values that the nginx, Caddy and Apache configurations share. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import { kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import { getBasePath, WELL_KNOWN_PATTERN } from '../contract/paths.ts';
import * as responses from '../contract/responses.ts';
import type { HostContext } from './host.ts';
import { escapeRegExp, lastParameterPattern } from './request-patterns.ts';

/** The folder for the files that operators copy to web servers. */
export const CONFIG_FOLDER = '_hosts/';

export const unsupportedByWebServers: readonly GuaranteeName[] = ['page-ranges'];

/** Formats the command that makes a web server reload the redirects. */
export const describeReload = (
  command: string,
  folder: string,
  configuration: string,
): string =>
  `${command}  # the first time, install ${folder}/${configuration}: docs/SERVER.md`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: no configuration can contain them
const FORBIDDEN_IN_ROOT = /[\u0000-\u001f"'`$\\{}<>*?[\]]/;

/**
 * Returns whether the path of a document root is free of characters that have a
 * special meaning in any of the configurations.
 */
export const isPlainRoot = (root: string): boolean => !FORBIDDEN_IN_ROOT.test(root);

/**
 * The headers for each group of responses. We set `Vary` ourselves, because servers
 * omit it from responses that they do not compress, such as 304.
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
 * Formats headers as the arguments of directives, such as `Allow "GET"`. If a header
 * occurs in several sets, the last value wins.
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
export const compressedTypesWithoutCharset = compressedTypes.map((type) =>
  type.replace(/;.*/, ''),
);

export interface FileType {
  /** A regular expression that matches the file names. */
  readonly pattern: string;
  readonly mediaType: string;
}

/** The media types that web servers do not know by default. */
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

/**
 * Creates the values of the placeholders that all web server templates have. If a value is
 * empty, the part of the template that needs it is left out.
 */
export function createWebServerValues({ iconRedirect, baseUrl, root }: HostContext) {
  const { origin, hostname, port, protocol } = new URL(baseUrl);
  const base = getBasePath(baseUrl);
  // The template uses plain HTTP. The operator adds TLS, or puts the server behind a
  // reverse proxy that terminates TLS.
  const hasOwnPort = protocol === 'http:' && port !== '';
  return {
    root,
    origin,
    hostname,
    port: hasOwnPort ? port : '80',
    base,
    basePattern: escapeRegExp(base),
    // Icons that the site does not contain are redirected to this URL.
    icons: iconRedirect ?? '',
    // `.well-known/` exists only at an origin's root.
    wellKnown: base === '' ? WELL_KNOWN_PATTERN : '',
    kinds: `(?:${kindNames.join('|')})`,
    pageSize: String(PAGE_SIZE),
    // The body of the response to a page range that was not built.
    pageError: responses.createErrorBody(responses.errorDetails[400]),
    // If a query repeats a parameter, its last value is used.
    lastFormat: lastParameterPattern('format'),
    lastLimit: lastParameterPattern('limit'),
    lastOffset: lastParameterPattern('offset'),
  };
}
