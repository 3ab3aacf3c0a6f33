/**
 * Netlify: rules for what is built, and an edge function for what rules cannot tell apart. The function runs for lists, and
 * otherwise only for other methods, browsers and missing slashes, as every call counts: programs read records without it.
 */

import { pathOf } from '../contract/paths.ts';
import { escapeExpression, type Host, type HostContext } from './host.ts';
import { edgeFunction, FUNCTION_FOLDER, functionConfig } from './netlify-edge.ts';
import { netlifyRules } from './netlify-rules.ts';

export const netlify: Host = {
  // Of records only, as programs read them: rules see neither their format nor the status, and Netlify may drop Allow.
  unsupported: ['unknown-record-format', 'allow', 'fresh-errors', 'repeated', 'not-acceptable'],
  files: (context) => {
    const { lists, ...others } = declarations(context);
    return [
      ...netlifyRules.files(context),
      {
        path: `${FUNCTION_FOLDER}gamedata.js`,
        body: `${context.handlerModule()}${edgeFunction(context)}${functionConfig(lists)}`,
      },
      ...Object.entries(others).map(([name, declaration]) => ({
        path: `${FUNCTION_FOLDER}gamedata-${name}.js`,
        body: `export { default } from './gamedata.js';\n${functionConfig(declaration)}`,
      })),
    ];
  },
};

/**
 * Which requests each function is called for. A function has one declaration, so there is one function for each:
 * https://docs.netlify.com/build/edge-functions/declarations/
 */
function declarations({ routes, baseUrl }: HostContext) {
  const kinds = routes.lists.map(({ kind }) => kind).join('|');
  const prefix = escapeExpression(pathOf(baseUrl) + routes.prefix.slice(0, -1));
  return {
    lists: { pattern: `^${prefix}/(?:${kinds})/?$` },
    methods: { pattern: `^${prefix}(?:/.*)?$`, method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
    browsers: { pattern: `^${prefix}(?:/(?:[^/]+/)*[^/.]*)?$`, header: { accept: 'text/html' } },
    slashes: { pattern: `^${prefix}(?:/(?:${kinds})/[^/.]+)?$` },
  };
}
