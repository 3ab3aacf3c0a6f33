/**
 * Netlify: rules (`_redirects`, `_headers`) for what is built, and an edge function for what rules cannot tell apart. Programs
 * read records without the function, as every call counts.
 */

import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import { PLACEHOLDER_ICON, pathOf } from '../contract/paths.ts';
import type { ListRoute, RouteTable } from '../contract/routes.ts';
import { headersFile } from './cdn-files.ts';
import { escapeExpression, type Host, type HostContext, type Parameter, parameters } from './host.ts';

/** Where netlify.toml says that functions are. */
export const FUNCTION_FOLDER = '_edge/';

export const netlify: Host = {
  // Of records only, as programs read them: rules see neither their format nor the status, and Netlify may drop Allow.
  unsupported: ['unknown-record-format', 'allow', 'fresh-errors', 'repeated', 'not-acceptable'],
  files: (context) => [...netlifyRules.files(context), ...functions(context)],
};

/** The rules alone: only built pages are served. */
export const netlifyRules: Host = {
  unsupported: guaranteeNames.filter(
    (name) =>
      ['requests', 'code'].includes(guarantees[name].needs) && !['any-path', 'compression'].includes(name),
  ),
  files: (context) => [
    { path: '_redirects', body: redirects(context.routes, pathOf(context.baseUrl)) },
    headersFile(context),
  ],
};

/**
 * A function has one declaration, which cannot match a query, so there is one function for each kind of request that it is
 * called for: https://docs.netlify.com/build/edge-functions/declarations/
 */
function functions({ routes, baseUrl, handlerModule }: HostContext) {
  const base = pathOf(baseUrl);
  const kinds = routes.lists.map(({ kind }) => kind).join('|');
  const prefix = escapeExpression(base + routes.prefix.slice(0, -1));
  const declarations = {
    '': { pattern: `^${prefix}/(?:${kinds})/?$` },
    '-methods': { pattern: `^${prefix}(?:/.*)?$`, method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
    '-browsers': { pattern: `^${prefix}(?:/(?:[^/]+/)*[^/.]*)?$`, header: { accept: 'text/html' } },
    '-slashes': { pattern: `^${prefix}(?:/(?:${kinds})/[^/.]+)?$` },
  };
  return Object.entries(declarations).map(([name, declaration]) => {
    const code =
      name === ''
        ? `${handlerModule()}\nexport default createEdgeFunction(${JSON.stringify(base)});`
        : "export { default } from './gamedata.js';";
    // Whatever happens to the function, Netlify then serves by the rules.
    const config = JSON.stringify({ ...declaration, onError: 'bypass' }, null, 2);
    return {
      path: `${FUNCTION_FOLDER}gamedata${name}.js`,
      body: `${code}\n\nexport const config = ${config};\n`,
    };
  });
}

type Query = Partial<Record<Parameter, string | number>>;

/** A placeholder that matches any value; such rules come after those for existing values. */
const anything = (parameter: Parameter): string => `:${parameter}`;

/**
 * A rule's query parameters match as a subset in Netlify's engine, and as an exact set according to its documentation
 * (https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters). One rule for each non-empty subset of
 * the parameters, largest first, is correct either way. A rewrite to a missing file would be Netlify's own text page, so
 * every slug has a rule, and anything else is the JSON 404.
 */
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
