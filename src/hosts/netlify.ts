/**
 * Rules (`_redirects`, `_headers`) serve the built files; an edge function responds to requests that rules cannot distinguish. Programs
 * read records without the function, because every call is billed.
 */

import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import { kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import { errorFiles, formats } from '../contract/responses.ts';
import { createHeadersFile } from './headers-file.ts';
import { escapeRegExp, type Host, type HostContext } from './host.ts';

export const FUNCTION_FOLDER = '_edge/';

export const netlify: Host = {
  // For programs that read records: rules see neither the format nor the status, and Netlify may drop Allow.
  unsupported: ['unknown-record-format', 'allow', 'fresh-errors', 'repeated'],
  files: (context) => [...netlifyRules.files(context), ...createFunctions(context)],
};

export const netlifyRules: Host = {
  unsupported: guaranteeNames.filter(
    (name) =>
      ['requests', 'code'].includes(guarantees[name].needs) &&
      !['any-path', 'compression'].includes(name),
  ),
  files: (context) => {
    const base = paths.getBasePath(context.baseUrl);
    const rules = Array.from(createRules(context, base), (rule) => `${base}${rule}\n`);
    return [{ path: '_redirects', body: rules.join('') }, createHeadersFile(context)];
  },
};

/**
 * Creates a function for each kind of request, because a function has only one declaration:
 * https://docs.netlify.com/build/edge-functions/declarations/
 */
function createFunctions({ baseUrl, handlerModule }: HostContext) {
  const base = paths.getBasePath(baseUrl);
  const kinds = kindNames.join('|');
  const prefix = escapeRegExp(base + paths.API_PREFIX.slice(0, -1));
  const declarations = {
    '': { pattern: `^${prefix}/(?:${kinds})/?$` },
    '-methods': {
      pattern: `^${prefix}(?:/.*)?$`,
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    },
    '-browsers': { pattern: `^${prefix}(?:/(?:[^/]+/)*[^/.]*)?$`, header: { accept: 'text/html' } },
    '-slashes': { pattern: `^${prefix}(?:/(?:${kinds})/[^/.]+)?$` },
  };
  return Object.entries(declarations).map(([name, declaration]) => {
    const code =
      name === ''
        ? `${handlerModule()}\nexport default createEdgeFunction(${JSON.stringify(base)});`
        : "export { default } from './gamedata.js';";
    const config = JSON.stringify({ ...declaration, onError: 'bypass' }, null, 2);
    return {
      path: `${FUNCTION_FOLDER}gamedata${name}.js`,
      body: `${code}\n\nexport const config = ${config};\n`,
    };
  });
}

function* createRules(
  { records, redirects, iconRedirect }: HostContext,
  base: string,
): Generator<string> {
  yield* createPageRules(paths.API_PREFIX, [{ offset: 0, file: paths.rootFile }], ['format']);
  for (const kind of kindNames) {
    const offsets = pageOffsets(records[kind].length);
    const pages = offsets.map((offset) => ({ offset, file: paths.listPageFile(kind, offset) }));
    yield* createPageRules(paths.listPath(kind), pages, ['format', 'limit', 'offset']);
  }
  for (const kind of kindNames)
    for (const { slug } of records[kind])
      yield `${paths.recordPath(kind, slug)} /${paths.recordFile(kind, slug)} 200`;
  // Netlify keeps the query: https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
  for (const { path, to } of redirects) yield `${path} ${base}${to} 301`;
  yield `${paths.API_PREFIX}* /${errorFiles[404]} 404`;
  // Other hosts that read this file may apply rules before existing files.
  yield `/${paths.PLACEHOLDER_ICON} /${paths.PLACEHOLDER_ICON} 200`;
  if (iconRedirect !== null) yield `${paths.ICONS_PATH}* ${iconRedirect}:splat 302`;
  if (base !== '') yield '/* /:splat 200';
}

/**
 * A rule's query parameters match as a subset in Netlify's engine, and as an exact set according to its documentation
 * (https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters). One rule for each non-empty subset of
 * the parameters, largest first, is correct either way. A rewrite to a missing file would be Netlify's own text page, so
 * every slug has a rule, and anything else is the JSON 404.
 */
function* createPageRules(
  path: string,
  pages: readonly { readonly offset: number; readonly file: string }[],
  parameters: readonly ('format' | 'limit' | 'offset')[],
): Generator<string> {
  const subsets = Array.from({ length: 2 ** parameters.length }, (_, bits) =>
    parameters.filter((_, at) => bits & (1 << at)),
  ).sort((a, b) => b.length - a.length);
  for (const subset of subsets) {
    for (const format of subset.includes('format') ? formats : ['']) {
      for (const { offset, file } of subset.includes('offset') ? pages : pages.slice(0, 1)) {
        const values = { format, limit: PAGE_SIZE, offset };
        yield [path, ...subset.map((name) => `${name}=${values[name]}`), `/${file} 200`].join(' ');
      }
    }
    // 400.json explains page ranges, so it does not fit if only the format is wrong.
    const error = subset.some((name) => name !== 'format') ? errorFiles[400] : errorFiles[404];
    if (subset.length > 0)
      yield [path, ...subset.map((name) => `${name}=:${name}`), `/${error} 404`].join(' ');
  }
}
