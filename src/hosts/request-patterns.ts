/**
 * Regular expressions for queries and the `Accept` header. They use only syntax that
 * PCRE and Go's RE2 interpret identically.
 */

import { JAVA_ACCEPT } from '../contract/responses.ts';

/** Escapes text that a regular expression should match literally, such as `.json`. */
export const escapeRegExp = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Creates an expression that matches a raw query, such as `limit=20&offset=40`, and
 * captures the last value of a parameter. The first group skips as many parameters as
 * possible, so the expression matches the last occurrence.
 *
 * We do not use the servers' own variables for parameters, because they ignore letter
 * case and return the first value or all values.
 */
export const lastParameterPattern = (
  parameter: 'format' | 'limit' | 'offset',
): string => `^(?:.*&)?${parameter}(?:=([^&]*))?(?:&|$)`;

/**
 * Matches a raw query in which the last `format` parameter is `json`. Other parameters may
 * follow, but none called `format`.
 */
export const jsonFormatPattern =
  '(?:^|&)format=json(?:&(?!format(?:[=&]|$))[^&]*)*$';

/**
 * Creates an expression for an `Accept` header that lists a media range, such as
 * `text/html, application/json;q=0.9`. Letter case does not matter.
 *
 * @param following what may follow the range, besides the end of the header
 */
const matchMember = (range: string, following: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${following}|$)`;

/** Matches a media type with any quality, or a range that includes it, such as `text/*`. */
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

/**
 * Pairs of expressions for `Accept`. The first match wins, so the media type that a
 * client prefers comes before those that it merely accepts. Within a pair, JSON comes
 * before HTML.
 */
export const preferencePatterns = [best, listed] as const;

export interface NegotiationRule {
  /** A regular expression for the `Accept` header. */
  readonly accept: string;
  readonly getsPage: boolean;
}

/** The rules that choose between JSON and the page. The first match wins. */
export const negotiationRules: readonly NegotiationRule[] = listNegotiationRules();

/** Flattens the pairs into a list of rules, in the same order. */
function listNegotiationRules(): NegotiationRule[] {
  const rules: NegotiationRule[] = [];
  for (const { json, html } of preferencePatterns) {
    rules.push({ accept: json, getsPage: false });
    rules.push({ accept: html, getsPage: true });
  }
  return rules;
}
