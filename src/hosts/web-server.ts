/** What nginx, Caddy and Apache have in common. They run no code, so they serve only built pages. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import * as contract from '../contract/headers.ts';
import { getBasePath } from '../contract/paths.ts';
import { createErrorBody, errorDetails } from '../contract/routes.ts';
import { escapeRegExp, type HostContext } from './host.ts';
import { lastParameterPattern, preferencePatterns } from './request-patterns.ts';

export const unsupportedByWebServers = ['windows', 'repeated'] as const satisfies GuaranteeName[];

/** Servers omit `Vary` from responses that they do not compress, such as 304, so it is set here. */
export const headerSets = {
  common: contract.commonHeaders,
  api: { ...contract.apiHeaders, Vary: 'Accept, Accept-Encoding' },
  file: { ...contract.freshHeaders, Vary: 'Accept-Encoding' },
  html: contract.htmlHeaders,
  apiPage: contract.apiPageHeaders,
  download: { ...contract.downloadHeaders, Vary: 'Accept-Encoding' },
  preflight: contract.preflightHeaders,
  error: contract.errorHeaders,
} as const;

export const compressedTypes = [...new Set(Object.values(contract.mediaTypes))].filter(
  contract.isCompressible,
);
export const withoutCharset = (type: string): string => type.replace(/;.*/, '');

/** Types that the servers do not know, by a regular expression for the end of a file name. */
export const ownMediaTypes = Object.entries(contract.mediaTypes)
  .filter(([ending]) => ending !== '.html' && ending !== '.json')
  .map(([ending, type]) => [`${escapeRegExp(ending)}$`, type] as const);

/** Pattern of `Accept` → whether the client gets the page; the first match wins. */
export const negotiationRules = preferencePatterns.flatMap(({ json, html }) => [
  [json, ''] as const,
  [html, '1'] as const,
]);

/** The values of every template. */
export function webServerValues({ routes, baseUrl, root }: HostContext) {
  const { origin, hostname, port, protocol } = new URL(baseUrl);
  const base = getBasePath(baseUrl);
  return {
    root,
    origin,
    hostname,
    // Plain HTTP: the operator adds TLS, or a proxy in front of the server terminates it.
    port: protocol === 'https:' ? '80' : port || '80',
    base,
    basePattern: escapeRegExp(base),
    icons: routes.icons.upstream ?? '',
    kinds: `(?:${routes.lists.map(({ kind }) => kind).join('|')})`,
    pageSize: String(routes.pageSize),
    pageError: createErrorBody(errorDetails[400]),
    lastFormat: lastParameterPattern('format'),
    lastLimit: lastParameterPattern('limit'),
    lastOffset: lastParameterPattern('offset'),
  };
}
