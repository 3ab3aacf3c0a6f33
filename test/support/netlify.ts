/** Netlify's two readings of `_redirects`: its own engine (a subset), and its documentation (an exact set). */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllRedirects } from '@netlify/redirect-parser';
import redirector from 'netlify-redirector';
import { exactSetMatcher } from './netlify-exact-set.ts';

/** A rule as Netlify's parser gives it. */
export interface NetlifyRule {
  readonly from: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly to: string;
  readonly status: number;
  readonly conditions: object;
}

/** Answers a path and query with `<status> <target>`; undefined if no rule does. */
export type Match = (path: string, query: string) => string | undefined;

export interface Readings {
  readonly rules: readonly NetlifyRule[];
  readonly errors: readonly unknown[];
  readonly engine: Match;
  readonly exactSet: Match;
}

export async function readRedirects(text: string): Promise<Readings> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-netlify-'));
  try {
    const file = path.join(folder, '_redirects');
    writeFileSync(file, text);
    const { redirects, errors } = await parseAllRedirects({
      redirectsFiles: [file],
      configRedirects: [],
      minimal: false,
    });
    const rules = redirects as NetlifyRule[];
    return { rules, errors, engine: await engineMatcher(rules), exactSet: exactSetMatcher(rules) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The engine wants its rules, and a request, in the shape in which Netlify's own local server gives them. */
async function engineMatcher(rules: readonly NetlifyRule[]): Promise<Match> {
  const renamed = rules.map(({ from, query, ...rule }) => ({ ...rule, origin: from, params: query }));
  const matcher = await redirector.parseJSON(JSON.stringify(renamed), {});
  return (path, query) => {
    const match = matcher.match({
      scheme: 'https',
      host: 'example.test',
      path,
      query,
      headers: {},
      cookieValues: {},
      getHeader: () => '',
      getCookie: () => '',
    });
    return match ? `${match.status} ${match.to}` : undefined;
  };
}
