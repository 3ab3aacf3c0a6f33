/** nginx, Caddy and Apache run no code, so they serve only built pages. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import { kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import { getBasePath } from '../contract/paths.ts';
import * as contract from '../contract/responses.ts';
import { escapeRegExp, type HostContext } from './host.ts';
import { lastParameterPattern } from './request-patterns.ts';

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

/** Formats each header of several sets; the last value of a name wins. */
export const createHeaderFormat =
  (quote: (value: string) => string) =>
  (...sets: Readonly<Record<string, string>>[]): string[] =>
    Object.entries<string>(Object.assign({}, ...sets)).map(([name, value]) => `${name} ${quote(value)}`);

/** Caddy and Apache add the headers of several sets to a response. */
export function formatHeaderSets(format: ReturnType<typeof createHeaderFormat>) {
  const { api, apiPage, common, download, file, html, preflight } = headerSets;
  return {
    commonHeaders: format(common),
    apiHeaders: format(api),
    fileHeaders: format(file),
    htmlHeaders: format(html),
    pageCaching: apiPage['Cache-Control'],
    downloadHeaders: format(download),
    preflightHeaders: format(preflight),
  };
}

export const compressedTypes = [...new Set(Object.values(contract.mediaTypes))].filter(
  contract.isCompressible,
);
export const compressedTypesWithoutCharset = compressedTypes.map((type) => type.replace(/;.*/, ''));

/** Types that the servers do not know, by a regular expression for the end of a file name. */
export const ownMediaTypes = Object.entries(contract.mediaTypes)
  .filter(([ending]) => ending !== '.html' && ending !== '.json')
  .map(([ending, type]) => [`${escapeRegExp(ending)}$`, type] as const);

/** The values of every template. */
export function createWebServerValues({ icons, baseUrl, root }: HostContext) {
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
    icons: icons ?? '',
    kinds: `(?:${kindNames.join('|')})`,
    pageSize: String(PAGE_SIZE),
    pageError: contract.createErrorBody(contract.errorDetails[400]),
    lastFormat: lastParameterPattern('format'),
    lastLimit: lastParameterPattern('limit'),
    lastOffset: lastParameterPattern('offset'),
  };
}

/**
 * Replaces each `{{name}}` with its value. A line with a list is repeated for each element. The lines between `#if name` and
 * `#end` are kept only if the value is not empty.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string | readonly string[]>>,
): string {
  const lookUp = (name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`template: got no value for ${name}`);
    return value;
  };
  const fillLine = (line: string): string => {
    const fields = Array.from(line.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => lookUp(name));
    const items = fields.find((value) => typeof value !== 'string') ?? [''];
    const fill = (item: string) =>
      line.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
        const value = lookUp(name);
        return typeof value === 'string' ? value : item;
      });
    return items.map(fill).join('');
  };
  return template
    .replaceAll(/^#if (\w+)\n(.*?)^#end\n/gms, (_, name: string, lines: string) =>
      lookUp(name).length > 0 ? lines : '',
    )
    .replaceAll(/^.*\{\{.*\n/gm, fillLine);
}
