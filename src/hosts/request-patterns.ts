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
 * letter case and return the first value or all values.
 */
export const lastParameterPattern = (
  parameter: 'format' | 'limit' | 'offset',
): string => `^(?:.*&)?${parameter}(?:=([^&]*))?(?:&|$)`;

/** Matches a raw query in which the last `format` parameter is `json`. */
export const jsonFormatPattern =
  '(?:^|&)format=json(?:&(?!format(?:[=&]|$))[^&]*)*$';

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

/**
 * Pairs of expressions for `Accept`. The first match wins, and within a pair, JSON
 * comes before HTML.
 */
export const preferencePatterns = [best, listed] as const;

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
