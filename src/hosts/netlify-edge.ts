/**
 * Netlify with an edge function: rules serve what is built, the handler everything else.
 *
 * The declaration of an edge function cannot match a query (https://docs.netlify.com/build/edge-functions/declarations/),
 * so it runs for every API path except those of files, and passes on what the rules handle correctly. Netlify may drop
 * `Allow`, and all headers of redirects (https://docs.netlify.com/manage/routing/headers/#limitations): the function adds
 * the former, and redirects icons itself.
 */

import { apiHeaders, commonHeaders } from '../contract/headers.ts';
import { PLACEHOLDER_ICON } from '../contract/paths.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { Host } from './host.ts';
import { netlify } from './netlify.ts';

export const netlifyEdge: Host = {
  summary: 'rules plus an edge function: the whole contract',
  unsupported: [],
  files: (context) => [
    ...netlify.files(context),
    { path: '_edge/gamedata.js', body: `${context.handlerModule()}${edgeFunction(context.routes)}` },
  ],
};

/** `next` reads files without this function and the rules; `fetch` would start both again. */
const edgeFunction = ({ prefix, icons }: RouteTable): string => `
const headers = ${JSON.stringify({ ...commonHeaders, ...apiHeaders })};

export default async function gamedata(request, context) {
  if (rulesSuffice(request)) {
    const response = await context.next({ sendConditionalRequest: true });
    if (response.status === 200 || response.status === 304) {
      const complete = new Response(response.body, response);
      for (const [name, value] of Object.entries(headers)) complete.headers.set(name, value);
      return complete;
    }
  }
  const store = createFetchStore((file) => context.next(new Request(new URL(\`/\${file}\`, request.url))));
  return createHandler(store)(request);
}

export const config = {
  path: ${JSON.stringify([prefix.slice(0, -1), `${prefix}*`, ...(icons.upstream === null ? [] : [`${icons.path}*`])])},
  excludedPath: ${JSON.stringify([`${prefix}index.json`, `${prefix}*/index.json`, `/${PLACEHOLDER_ICON}`])},
};
`;
