/**
 * Regular expressions for queries and the `Accept` header. They use only syntax that
 * PCRE and Go's RE2 interpret identically.
 */

import { JAVA_ACCEPT } from '../contract/responses.ts';

export const escapeRegExp = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Creates an expression that matches a raw query and captures the last value of a
 * parameter. We do not use the servers' own variables for parameters: they ignore
 * letter case, do not decode names, and return the first value or all values.
 */
export const lastParameterPattern = (
  parameter: 'format' | 'limit' | 'offset',
): string => `^(?:.*&)?${allowEncoding(parameter)}(?:=([^&]*))?(?:&|$)`;

const formatName = allowEncoding('format');

/** Matches a raw query in which the last `format` parameter is `json`. */
export const jsonFormatPattern = `(?:^|&)${formatName}=json(?:&(?!${formatName}(?:[=&]|$))[^&]*)*$`;

/**
 * Creates an expression for a name whose letters may be percent-encoded: it matches
 * `offset` and `o%66fset`.
 */
function allowEncoding(name: string): string {
  const letters = [];
  for (const letter of name) {
    const code = letter.charCodeAt(0).toString(16);
    const anyCase = code.replace(
      /[a-f]/,
      (digit) => `[${digit}${digit.toUpperCase()}]`,
    );
    letters.push(`(?:${letter}|%${anyCase})`);
  }
  return letters.join('');
}

/**
 * Creates an expression for an `Accept` header that lists a media range. The range
 * must be followed by one of the given parameters or by the end of the header.
 */
const matchMember = (range: string, parameters: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${parameters}|$)`;

const listed = {
  json: matchMember('(?:\\*/\\*|application/(?:\\*|json))', '[,;]'),
  html: matchMember('text/(?:\\*|html)', '[,;]'),
} as const;

/**
 * Matches a media type with quality 1. Browsers accept HTML with this quality, so
 * they get the page. Programs that accept JSON with this quality get JSON, and so do
 * Java programs that send Java's default header.
 */
const best = {
  json: `${matchMember('application/json', ',|;\\s*q=1')}|${JAVA_ACCEPT}`,
  html: matchMember('text/html', ',|;\\s*q=1'),
} as const;

// Early versions of Safari send `…,text/html;q=0.9,…,*/*;q=0.5`. If the header does
// not list JSON, we therefore compare the first digits of the qualities of HTML and
// `*/*`. The expression matches only if the first quality in the header belongs to
// HTML, because a search for any position would take quadratic time on a long
// header.
const lowerRest = [9, 8, 7, 6, 5, 4, 3, 2, 1].map(
  (digit) => `${digit}.*,\\s*\\*/\\*\\s*;\\s*q=0?\\.[0-${digit}]`,
);
const ranked = {
  json: matchMember('application/(?:\\*|json)', '[,;]'),
  html: `(?i)^(?:[^;]*,)?\\s*text/html\\s*;\\s*q=0?\\.(?:${lowerRest.join('|')})`,
} as const;

/**
 * Pairs of expressions for `Accept`. The first match wins, and within a pair, JSON
 * comes before HTML.
 */
export const preferencePatterns = [best, ranked, listed] as const;

export interface NegotiationRule {
  /** A regular expression for the `Accept` header. */
  readonly accept: string;
  readonly getsPage: boolean;
}

/** The rules that choose between JSON and the page. The first match wins. */
export const negotiationRules: readonly NegotiationRule[] = listNegotiationRules();

function listNegotiationRules(): NegotiationRule[] {
  const rules: NegotiationRule[] = [];
  for (const { json, html } of preferencePatterns) {
    rules.push({ accept: json, getsPage: false });
    rules.push({ accept: html, getsPage: true });
  }
  return rules;
}
