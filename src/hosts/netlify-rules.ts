/**
 * Netlify by rules alone: `_redirects` and `_headers`. No code runs there, so only built pages are served.
 *
 * A rule's query parameters match as a subset in Netlify's engine, and as an exact set according to its documentation
 * (https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters). One rule for each non-empty subset of
 * the parameters, largest first, is correct either way. A rewrite to a missing file would be Netlify's own text page, so
 * every slug has a rule, and anything else is the JSON 404.
 */

import { PLACEHOLDER_ICON, pathOf } from '../contract/paths.ts';
import type { ListRoute, RouteTable } from '../contract/routes.ts';
import { headersFile } from './cdn-files.ts';
import { type Host, type Parameter, parameters } from './host.ts';

export const netlifyRules: Host = {
  unsupported: [
    'unknown-record-format',
    'encoded-names',
    'allow',
    'slash',
    'options',
    'method',
    'fresh-errors',
    'browser',
    'windows',
    'repeated',
    'link',
    'not-acceptable',
  ],
  files: (context) => [
    { path: '_redirects', body: redirects(context.routes, pathOf(context.baseUrl)) },
    headersFile(context),
  ],
};

type Query = Partial<Record<Parameter, string | number>>;

/** A placeholder that matches any value; such rules come after those for existing values. */
const anything = (parameter: Parameter): string => `:${parameter}`;

const redirects = (routes: RouteTable, base: string): string =>
  Array.from(rules(routes, base), (rule) => `${base}${rule}\n`).join('');

/** In the order in which they apply. Each starts with a path relative to the base path. */
function* rules(routes: RouteTable, base: string): Generator<string> {
  const missing = routes.errors[404];
  for (const format of routes.formats) yield rule(routes.root.path, { format }, routes.root.file, 200);
  yield rule(routes.root.path, { format: anything('format') }, missing, 404);
  yield rule(routes.root.path, {}, routes.root.file, 200);
  for (const list of routes.lists) yield* listRules(routes, list);
  for (const { path, file } of routes.records) yield `${path} /${file} 200`;
  // Netlify passes the query on: https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
  for (const { path, to } of routes.moved) yield `${path} ${base}${to} 301`;
  yield rule(`${routes.prefix}*`, {}, missing, 404);
  // Other hosts that read this file may apply rules before existing files.
  yield rule(`/${PLACEHOLDER_ICON}`, {}, PLACEHOLDER_ICON, 200);
  const { path, upstream } = routes.icons;
  if (upstream !== null) yield `${path}* ${upstream}:splat 302`;
  if (base !== '') yield '/* /:splat 200';
}

/** The rules of a list: for each subset of the parameters, first existing pages, then the error. */
function* listRules(routes: RouteTable, { path, pages }: ListRoute): Generator<string> {
  for (const subset of subsets) {
    const limit: Query = subset.includes('limit') ? { limit: routes.pageSize } : {};
    const formats: Query[] = subset.includes('format') ? routes.formats.map((format) => ({ format })) : [{}];
    for (const format of formats) {
      for (const { offset, file } of subset.includes('offset') ? pages : pages.slice(0, 1)) {
        const start: Query = subset.includes('offset') ? { offset } : {};
        yield rule(path, { ...format, ...limit, ...start }, file, 200);
      }
    }
    // The body says which pages exist, unless only the format is wrong.
    const body = subset.length === 1 && subset[0] === 'format' ? routes.errors[404] : routes.errors[400];
    if (subset.length > 0) {
      yield rule(path, Object.fromEntries(subset.map((name) => [name, anything(name)])), body, 404);
    }
  }
}

/** Every subset of the parameters, largest first. */
const subsets: readonly (readonly Parameter[])[] = Array.from({ length: 2 ** parameters.length }, (_, bits) =>
  parameters.filter((_, at) => bits & (1 << at)),
).sort((a, b) => b.length - a.length);

function rule(path: string, query: Query, file: string, status: number): string {
  const conditions = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return [path, ...conditions, `/${file}`, status].join(' ');
}
