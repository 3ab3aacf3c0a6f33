/**
 * Netlify: rules (`_redirects`, `_headers`) for what is built, and an edge function for what rules cannot tell apart. Programs
 * read records without the function, as every call counts.
 */

import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import { PLACEHOLDER_ICON, pathOf } from '../contract/paths.ts';
import type { ListRoute, RouteTable } from '../contract/routes.ts';
import { headersFile } from './cdn-files.ts';
import { escapeRegExp, type Host, type HostContext, type Parameter, parameters } from './host.ts';

/** Where netlify.toml says that functions are. */
export const FUNCTION_FOLDER = '_edge/';

export const netlify: Host = {
  // Of records only, as programs read them: rules see neither their format nor the status, and Netlify may drop Allow.
  unsupported: ['unknown-record-format', 'allow', 'fresh-errors', 'repeated'],
  files: (context) => [...netlifyRules.files(context), ...functions(context)],
};

/** The rules alone: only built pages are served. */
export const netlifyRules: Host = {
  unsupported: guaranteeNames.filter(
    (name) =>
      ['requests', 'code'].includes(guarantees[name].needs) && !['any-path', 'compression'].includes(name),
  ),
  files: (context) => [
    {
      path: '_redirects',
      body: Array.from(rules(context), (rule) => `${pathOf(context.baseUrl)}${rule}\n`).join(''),
    },
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
  const prefix = escapeRegExp(base + routes.prefix.slice(0, -1));
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

/** The rules in the order in which they apply, each relative to the base path. */
function* rules({ routes, baseUrl }: HostContext): Generator<string> {
  const { errors, icons, lists, moved, prefix, records, root } = routes;
  const base = pathOf(baseUrl);
  yield* pageRules(routes, { path: root.path, pages: [{ offset: 0, file: root.file }] }, ['format']);
  for (const list of lists) yield* pageRules(routes, list, parameters);
  for (const { path, file } of records) yield `${path} /${file} 200`;
  // Netlify passes the query on: https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
  for (const { path, to } of moved) yield `${path} ${base}${to} 301`;
  yield `${prefix}* /${errors[404]} 404`;
  // Other hosts that read this file may apply rules before existing files.
  yield `/${PLACEHOLDER_ICON} /${PLACEHOLDER_ICON} 200`;
  if (icons.upstream !== null) yield `${icons.path}* ${icons.upstream}:splat 302`;
  if (base !== '') yield '/* /:splat 200';
}

/**
 * A rule's query parameters match as a subset in Netlify's engine, and as an exact set according to its documentation
 * (https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters). One rule for each non-empty subset of
 * the parameters, largest first, is correct either way. A rewrite to a missing file would be Netlify's own text page, so
 * every slug has a rule, and anything else is the JSON 404.
 */
function* pageRules(
  { errors, formats, pageSize }: RouteTable,
  { path, pages }: Pick<ListRoute, 'path' | 'pages'>,
  names: readonly Parameter[],
): Generator<string> {
  const subsets = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_, at) => bits & (1 << at)),
  ).sort((a, b) => b.length - a.length);
  for (const subset of subsets) {
    for (const format of subset.includes('format') ? formats : ['']) {
      for (const { offset, file } of subset.includes('offset') ? pages : pages.slice(0, 1)) {
        const values = { format, limit: pageSize, offset };
        yield [path, ...subset.map((name) => `${name}=${values[name]}`), `/${file} 200`].join(' ');
      }
    }
    // Anything else. The body says which pages exist, unless only the format is wrong.
    const error = subset.some((name) => name !== 'format') ? errors[400] : errors[404];
    if (subset.length > 0)
      yield [path, ...subset.map((name) => `${name}=:${name}`), `/${error} 404`].join(' ');
  }
}
