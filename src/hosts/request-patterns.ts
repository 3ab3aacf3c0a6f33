/** Regular expressions for queries and `Accept`, which PCRE and Go's RE2 interpret identically. */

import { JAVA_ACCEPT } from '../contract/responses.ts';

export const escapeRegExp = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Matches a raw query and captures the last value of a parameter. The servers' own parameter
 * variables ignore letter case, do not decode names, and return the first value or all of them.
 */
export const lastParameterPattern = (parameter: 'format' | 'limit' | 'offset'): string =>
  `^(?:.*&)?${allowEncoding(parameter)}(?:=([^&]*))?(?:&|$)`;

const formatName = allowEncoding('format');

/** Matches a raw query whose last `format` is `json`. */
export const jsonFormatPattern = `(?:^|&)${formatName}=json(?:&(?!${formatName}(?:[=&]|$))[^&]*)*$`;

/** Matches `offset` and `o%66fset`. */
function allowEncoding(name: string): string {
  const letters = [];
  for (const letter of name) {
    const code = letter.charCodeAt(0).toString(16);
    const anyCase = code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`);
    letters.push(`(?:${letter}|%${anyCase})`);
  }
  return letters.join('');
}

/** Matches `Accept` if it lists a media range, followed by one of the parameters or nothing. */
const matchMember = (range: string, parameters: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${parameters}|$)`;

const listed = {
  json: matchMember('(?:\\*/\\*|application/(?:\\*|json))', '[,;]'),
  html: matchMember('text/(?:\\*|html)', '[,;]'),
} as const;

/**
 * Quality 1, as browsers send for HTML. Programs that send it for JSON get JSON, and so does Java.
 */
const best = {
  json: `${matchMember('application/json', ',|;\\s*q=1')}|${JAVA_ACCEPT}`,
  html: matchMember('text/html', ',|;\\s*q=1'),
} as const;

// Early Safari sends `…,text/html;q=0.9,…,*/*;q=0.5`, so without JSON, HTML is compared with `*/*`
// by the first digit. Matches only if HTML has the first q-value in the header, because matching a
// long header would otherwise take quadratic time.
const lowerRest = [9, 8, 7, 6, 5, 4, 3, 2, 1].map(
  (digit) => `${digit}.*,\\s*\\*/\\*\\s*;\\s*q=0?\\.[0-${digit}]`,
);
const ranked = {
  json: matchMember('application/(?:\\*|json)', '[,;]'),
  html: `(?i)^(?:[^;]*,)?\\s*text/html\\s*;\\s*q=0?\\.(?:${lowerRest.join('|')})`,
} as const;

/** The first match wins. In each pair, JSON comes before HTML. */
export const preferencePatterns = [best, ranked, listed] as const;

export interface NegotiationRule {
  /** A pattern for `Accept`. */
  readonly accept: string;
  readonly getsPage: boolean;
}

/** The first match wins. */
export const negotiationRules: readonly NegotiationRule[] = listNegotiationRules();

function listNegotiationRules(): NegotiationRule[] {
  const rules: NegotiationRule[] = [];
  for (const { json, html } of preferencePatterns) {
    rules.push({ accept: json, getsPage: false });
    rules.push({ accept: html, getsPage: true });
  }
  return rules;
}
