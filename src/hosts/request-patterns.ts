/** Regular expressions for a query or an `Accept` header, which PCRE and Go's RE2 read alike. */

import { JAVA_ACCEPT } from '../contract/responses.ts';

/**
 * Matches a raw query and captures the last value of a parameter. The servers' own parameter variables ignore letter case, do
 * not decode names, and return the first value or all of them.
 */
export const lastParameterPattern = (parameter: 'format' | 'limit' | 'offset'): string =>
  `^(?:.*&)?${inAnyEncoding(parameter)}(?:=([^&]*))?(?:&|$)`;

export const jsonFormatPattern = `(?:^|&)${inAnyEncoding('format')}=json(?:&(?!${inAnyEncoding('format')}(?:[=&]|$))[^&]*)*$`;

/** Matches `offset` and `o%66fset`. */
function inAnyEncoding(name: string): string {
  return name.replaceAll(/./g, (letter) => {
    const code = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|%${code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
}

const member = (range: string, parameters: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${parameters}|$)`;

const listed = {
  json: member('(?:\\*/\\*|application/(?:\\*|json))', '[,;]'),
  html: member('text/(?:\\*|html)', '[,;]'),
} as const;

/** The best quality. Browsers list HTML like this; a program that lists JSON like this gets JSON, and so does Java. */
const best = {
  json: `${member('application/json', ',|;\\s*q=1')}|${JAVA_ACCEPT}`,
  html: member('text/html', ',|;\\s*q=1'),
} as const;

// Early Safari's `…,text/html;q=0.9,…,*/*;q=0.5`: HTML is no worse than the rest by the first digit, and JSON is not listed.
// Only the first quality can belong to HTML, because matching a long header would otherwise take quadratic time.
const lowerRest = [9, 8, 7, 6, 5, 4, 3, 2, 1].map(
  (digit) => `${digit}.*,\\s*\\*/\\*\\s*;\\s*q=0?\\.[0-${digit}]`,
);
const ranked = {
  json: member('application/(?:\\*|json)', '[,;]'),
  html: `(?i)^(?:[^;]*,)?\\s*text/html\\s*;\\s*q=0?\\.(?:${lowerRest.join('|')})`,
} as const;

/** The first match wins; within a pair, JSON comes before HTML. */
export const preferencePatterns = [best, ranked, listed] as const;

/** Pattern of `Accept` → `1` if the client gets the page; the first match wins. */
export const negotiationRules = preferencePatterns.flatMap(({ json, html }) => [
  [json, ''] as const,
  [html, '1'] as const,
]);
