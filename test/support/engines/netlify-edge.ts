/**
 * Netlify with the site's edge function before its rules. Netlify's own edge runtime starts only online, so the function is
 * called as what it is: a function of a request and a context.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from './engine.ts';
import { netlifySite } from './netlify-site.ts';
import { type Answer, startWebServer } from './web-server.ts';

/** https://docs.netlify.com/build/edge-functions/api/ */
interface Context {
  next(request?: Request | NextOptions, options?: NextOptions): Promise<Response>;
}
interface NextOptions {
  readonly sendConditionalRequest?: boolean;
}
export interface EdgeModule {
  readonly default: (request: Request, context: Context) => Promise<Response | undefined>;
  readonly config: { readonly path: readonly string[]; readonly excludedPath: readonly string[] };
}

export const netlifyEdge: Engine = {
  name: 'Netlify with an edge function',
  host: 'netlify-edge',
  missing: () => undefined,
  async start(site) {
    const text = readFileSync(path.join(site, '_edge', 'gamedata.js'), 'base64');
    // By its text: Node would take a file of this name outside of a package for CommonJS.
    const edge: EdgeModule = await import(`data:text/javascript;base64,${text}`);
    return startWebServer(withEdgeFunction(edge, await netlifySite(site)));
  },
};

/** Puts an edge function before what follows it, for the paths that it declares. */
export function withEdgeFunction({ default: run, config }: EdgeModule, site: Answer): Answer {
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (!matches(config.path, pathname) || matches(config.excludedPath, pathname)) return site(request);
    const next: Context['next'] = (first, second) => {
      const [asked, options] = first instanceof Request ? [first, second] : [request, first];
      return site(options?.sendConditionalRequest ? asked : unconditional(asked));
    };
    return (await run(request, { next })) ?? site(request);
  };
}

/** As much of URLPattern as is used: a star is anything. */
const matches = (patterns: readonly string[], pathname: string): boolean =>
  patterns.some((pattern) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(pathname),
  );

/** Without `sendConditionalRequest` a function gets the whole answer, whatever the client has. */
function unconditional(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete('If-None-Match');
  headers.delete('If-Modified-Since');
  return new Request(request, { headers });
}
