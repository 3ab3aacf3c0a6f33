/** Matches `_redirects` as Netlify's engine does (a subset of parameters) and as its documentation says (an exact set). */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllRedirects } from '@netlify/redirect-parser';
// @ts-expect-error: the package has no types.
import untyped from 'netlify-redirector';
import { inFolder } from './folders.ts';

interface Matcher {
  match(request: object): { to: string; status: number } | null;
}
const redirector: { parseJSON(rules: string, options: object): Promise<Matcher> } = untyped;

export interface NetlifyRule {
  readonly from: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly to: string;
  readonly status: number;
  readonly conditions: object;
}

/** Returns `<status> <target>` of the first matching rule. */
export type Match = (path: string, query: string) => string | undefined;

export interface Readings {
  readonly rules: readonly NetlifyRule[];
  readonly errors: readonly unknown[];
  readonly engine: Match;
  readonly exactSet: Match;
}

export const readRedirects = (text: string): Promise<Readings> =>
  inFolder(async (folder) => {
    const file = path.join(folder, '_redirects');
    writeFileSync(file, text);
    const options = { redirectsFiles: [file], configRedirects: [], minimal: false };
    const { redirects, errors } = await parseAllRedirects(options);
    const rules = redirects as NetlifyRule[];
    return { rules, errors, engine: await engineMatcher(rules), exactSet: exactSetMatcher(rules) };
  });

/** The engine expects rules and requests in the format of Netlify's local server. */
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

/**
 * A rule with parameters matches only requests with exactly these parameters:
 * https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters
 */
function exactSetMatcher(rules: readonly NetlifyRule[]): Match {
  return (path, search) => {
    const query = new URLSearchParams(search);
    const rule = rules.find(
      (candidate) => pathFits(candidate.path, path) && queryFits(candidate.query, query),
    );
    if (!rule) return undefined;
    const splat = rule.path.endsWith('*') ? path.slice(rule.path.length - 1) : '';
    return `${rule.status} ${rule.to.replace(':splat', splat)}`;
  };
}

function pathFits(pattern: string, path: string): boolean {
  if (pattern.endsWith('*')) return path.startsWith(pattern.slice(0, -1));
  return pattern.replace(/\/$/, '') === path.replace(/\/$/, '');
}

function queryFits(wanted: Readonly<Record<string, string>>, query: URLSearchParams): boolean {
  const names = Object.keys(wanted);
  if (names.length === 0) return true;
  if (names.length !== new Set(query.keys()).size) return false;
  return names.every((name) => {
    const value = query.getAll(name).at(-1);
    return value !== undefined && (wanted[name]?.startsWith(':') || wanted[name] === value);
  });
}
