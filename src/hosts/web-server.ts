import type { GuaranteeName } from '../contract/guarantees.ts';
import { kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import { getBasePath, WELL_KNOWN_PATTERN } from '../contract/paths.ts';
import * as responses from '../contract/responses.ts';
import { escapeRegExp, type HostContext } from './host.ts';

export const unsupportedByWebServers = ['windows', 'repeated'] as const satisfies GuaranteeName[];

/** We set `Vary` ourselves, because servers omit it from responses that they do not compress, such as 304. */
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

export const createHeaderFormat =
  (quote: (value: string) => string) =>
  (...sets: Readonly<Record<string, string>>[]): string[] =>
    Object.entries<string>(Object.assign({}, ...sets)).map(
      ([name, value]) => `${name} ${quote(value)}`,
    );

export function formatHeaderSets(format: ReturnType<typeof createHeaderFormat>) {
  return {
    commonHeaders: format(headerSets.common),
    apiHeaders: format(headerSets.api),
    fileHeaders: format(headerSets.file),
    htmlHeaders: format(headerSets.html),
    pageCaching: headerSets.apiPage['Cache-Control'],
    downloadHeaders: format(headerSets.download),
    preflightHeaders: format(headerSets.preflight),
  };
}

export const compressedTypes = [...new Set(Object.values(responses.mediaTypes))].filter(
  responses.isCompressible,
);
export const compressedTypesWithoutCharset = compressedTypes.map((type) => type.replace(/;.*/, ''));

/** Media types that the servers lack, each with a regular expression for file names. */
export const ownMediaTypes = Object.entries(responses.mediaTypes)
  .filter(([ending]) => ending !== '.html' && ending !== '.json')
  .map(([ending, type]) => [`${escapeRegExp(ending)}$`, type] as const);

// PCRE and Go's RE2 interpret the following regular expressions identically.

/**
 * Matches a raw query and captures the last value of a parameter. The servers' own parameter variables ignore letter case, do
 * not decode names, and return the first value or all of them.
 */
export const lastParameterPattern = (parameter: 'format' | 'limit' | 'offset'): string =>
  `^(?:.*&)?${allowEncoding(parameter)}(?:=([^&]*))?(?:&|$)`;

export const jsonFormatPattern = `(?:^|&)${allowEncoding('format')}=json(?:&(?!${allowEncoding('format')}(?:[=&]|$))[^&]*)*$`;

/** Matches `offset` and `o%66fset`. */
function allowEncoding(name: string): string {
  return name.replaceAll(/./g, (letter) => {
    const code = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|%${code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
}

const matchMember = (range: string, parameters: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${parameters}|$)`;

const listed = {
  json: matchMember('(?:\\*/\\*|application/(?:\\*|json))', '[,;]'),
  html: matchMember('text/(?:\\*|html)', '[,;]'),
} as const;

/** Quality 1, as browsers send for HTML. Programs that send it for JSON get JSON, and so does Java. */
const best = {
  json: `${matchMember('application/json', ',|;\\s*q=1')}|${responses.JAVA_ACCEPT}`,
  html: matchMember('text/html', ',|;\\s*q=1'),
} as const;

// Early Safari sends `…,text/html;q=0.9,…,*/*;q=0.5`, so without JSON, HTML is compared with `*/*` by the first digit.
// Matches only if HTML has the first q-value in the header, because matching a long header would otherwise take quadratic time.
const lowerRest = [9, 8, 7, 6, 5, 4, 3, 2, 1].map(
  (digit) => `${digit}.*,\\s*\\*/\\*\\s*;\\s*q=0?\\.[0-${digit}]`,
);
const ranked = {
  json: matchMember('application/(?:\\*|json)', '[,;]'),
  html: `(?i)^(?:[^;]*,)?\\s*text/html\\s*;\\s*q=0?\\.(?:${lowerRest.join('|')})`,
} as const;

/** The first match wins. In each pair, JSON comes before HTML. */
export const preferencePatterns = [best, ranked, listed] as const;

/** `Accept` pattern → `1` if the client gets the page. The first match wins. */
export const negotiationRules = preferencePatterns.flatMap(({ json, html }) => [
  [json, ''] as const,
  [html, '1'] as const,
]);

export function createWebServerValues({ iconRedirect, baseUrl, root }: HostContext) {
  const { origin, hostname, port, protocol } = new URL(baseUrl);
  const base = getBasePath(baseUrl);
  return {
    root,
    origin,
    hostname,
    // The template uses plain HTTP. The operator adds TLS, or a reverse proxy terminates it.
    port: protocol === 'https:' ? '80' : port || '80',
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
    .replaceAll(/^#if (\w+)\n(.*?)^#end\n/gms, (_, name, lines) =>
      lookUp(name).length > 0 ? lines : '',
    )
    .replaceAll(/^.*\{\{.*\n/gm, fillLine);
}
