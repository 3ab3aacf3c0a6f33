/**
 * Netlify's documented reading of query parameters: a rule that names some matches a request that has exactly those.
 * https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters
 */

import type { Match, NetlifyRule } from './netlify.ts';

export function exactSetMatcher(rules: readonly NetlifyRule[]): Match {
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
