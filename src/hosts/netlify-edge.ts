/**
 * Netlify with an edge function: the rules serve what is built, the handler everything else.
 *
 * A declaration of an edge function cannot look at the query (https://docs.netlify.com/build/edge-functions/declarations/),
 * so it is called for every address of the API but the files' own, and passes on at once what the rules answer right. Netlify
 * sets no `Allow` there, and no headers at all on redirects (https://docs.netlify.com/manage/routing/headers/#limitations):
 * the function adds the one, and redirects to pictures itself.
 */

import { PLACEHOLDER_ICON } from '../contract/addresses.ts';
import { apiHeaders, commonHeaders } from '../contract/headers.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { Host } from './host.ts';
import { netlify } from './netlify.ts';

export const netlifyEdge: Host = {
  summary: 'rules, and an edge function for what they cannot answer: the whole contract',
  cannot: [],
  files: (context) => [
    ...netlify.files(context),
    { path: '_edge/gamedata.js', body: `${context.handlerModule()}${edgeFunction(context.routes)}` },
  ],
};

/** `next` reads files past this function and its rules: a `fetch` would begin a new chain of both. */
const edgeFunction = ({ prefix, pictures }: RouteTable): string => `
const headers = ${JSON.stringify({ ...commonHeaders, ...apiHeaders })};

export default async function gamedata(request, context) {
  if (asksForBuilt(request)) {
    const response = await context.next({ sendConditionalRequest: true });
    if (response.status === 200 || response.status === 304) {
      const answer = new Response(response.body, response);
      for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
      return answer;
    }
  }
  const store = createFetchStore((file) => context.next(new Request(new URL(\`/\${file}\`, request.url))));
  return createHandler(store)(request);
}

export const config = {
  path: ${JSON.stringify([prefix.slice(0, -1), `${prefix}*`, ...(pictures.upstream === null ? [] : [`${pictures.path}*`])])},
  excludedPath: ${JSON.stringify([`${prefix}index.json`, `${prefix}*/index.json`, `/${PLACEHOLDER_ICON}`])},
};
`;
