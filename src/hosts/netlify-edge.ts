/**
 * Netlify with an edge function for every request of the API, which is the handler.
 *
 * The declaration of an edge function cannot match a query (https://docs.netlify.com/build/edge-functions/declarations/),
 * so it runs for every API path except those of files. Netlify may drop all headers of redirects
 * (https://docs.netlify.com/manage/routing/headers/#limitations): the function redirects icons itself.
 */

import { PLACEHOLDER_ICON, pathOf } from '../contract/paths.ts';
import type { Host, HostContext } from './host.ts';
import { netlifyRules } from './netlify-rules.ts';

export const netlifyEdge: Host = {
  unsupported: [],
  files: (context) => [
    ...netlifyRules.files(context),
    {
      path: `${FUNCTION_FOLDER}gamedata.js`,
      body: `${context.handlerModule()}${edgeFunction(context)}${functionConfig(declaration(context))}`,
    },
  ],
};

/** Where netlify.toml says that functions are. */
export const FUNCTION_FOLDER = '_edge/';

function declaration({ routes: { prefix, icons }, baseUrl }: HostContext) {
  const base = pathOf(baseUrl);
  const paths = [prefix.slice(0, -1), `${prefix}*`, ...(icons.upstream === null ? [] : [`${icons.path}*`])];
  const files = [`${prefix}index.json`, `${prefix}*/index.json`, `/${PLACEHOLDER_ICON}`];
  return { path: paths.map((path) => base + path), excludedPath: files.map((path) => base + path) };
}

/** Whatever happens to the function, Netlify then serves by the rules. */
export const functionConfig = (declared: object): string =>
  `\nexport const config = ${JSON.stringify({ ...declared, onError: 'bypass' }, null, 2)};\n`;

/** `next` reads files without this function and the rules; `fetch` would start both again. */
export const edgeFunction = ({ baseUrl }: HostContext): string => `
export default async function gamedata(request, context) {
  const store = createFetchStore((file) => context.next(new Request(new URL(\`/\${file}\`, request.url))));
  return createHandler(store, ${JSON.stringify(pathOf(baseUrl))})(request);
}
`;
