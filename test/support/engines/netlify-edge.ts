/**
 * Netlify with the site's edge functions before its rules. Netlify's own edge runtime starts only online, so each is called as
 * what it is: a function of a request and a context.
 */

import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostName } from '../../../src/hosts/names.ts';
import type { Engine } from './engine.ts';
import { netlifySite } from './netlify-site.ts';
import { basePathOf } from './site-folder.ts';
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
  readonly config: Declaration;
}

/** https://docs.netlify.com/build/edge-functions/declarations/ */
export interface Declaration {
  readonly path?: readonly string[];
  readonly excludedPath?: readonly string[];
  readonly pattern?: string;
  readonly method?: readonly string[];
  /** Header → an expression that its value has to contain. */
  readonly header?: Readonly<Record<string, string>>;
  readonly onError: string;
}

const netlifyWithFunctions = (name: string, host: HostName): Engine => ({
  name,
  host,
  missing: () => undefined,
  async start(site) {
    const folder = path.join(site, '_edge');
    const functions = existsSync(folder) ? await readFunctions(folder) : [];
    const answer = functions.reduceRight(withEdgeFunction, await netlifySite(site));
    return startWebServer(answer, basePathOf(site));
  },
});
export const netlify = netlifyWithFunctions('Netlify', 'netlify');
export const netlifyRules = netlifyWithFunctions('Netlify by rules', 'netlify-rules');
export const netlifyEdge = netlifyWithFunctions('Netlify, all by function', 'netlify-edge');

/** In the order in which Netlify calls them: by name. */
export async function readFunctions(folder: string): Promise<EdgeModule[]> {
  const copy = mkdtempSync(path.join(tmpdir(), 'gamedata-edge-'));
  try {
    cpSync(folder, copy, { recursive: true });
    // Node would take the files for CommonJS.
    writeFileSync(path.join(copy, 'package.json'), '{"type":"module"}');
    const files = readdirSync(folder).sort();
    return await Promise.all(files.map((file) => import(pathToFileURL(path.join(copy, file)).href)));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Puts an edge function before what follows it, for the requests that it declares. */
export function withEdgeFunction(site: Answer, { default: run, config }: EdgeModule): Answer {
  return async (request) => {
    if (!isDeclared(config, request)) return site(request);
    const next: Context['next'] = (first, second) => {
      const [asked, options] = first instanceof Request ? [first, second] : [request, first];
      return site(options?.sendConditionalRequest ? asked : unconditional(asked));
    };
    try {
      return (await run(request, { next })) ?? site(request);
    } catch (error) {
      if (config.onError !== 'bypass') throw error;
      return site(request);
    }
  };
}

export function isDeclared(
  { path: paths = [], excludedPath = [], pattern, method, header = {} }: Declaration,
  request: Request,
): boolean {
  const { pathname } = new URL(request.url);
  const isPath = pattern === undefined ? matches(paths, pathname) : new RegExp(pattern).test(pathname);
  const hasHeaders = Object.entries(header).every(([name, expression]) =>
    new RegExp(expression).test(request.headers.get(name) ?? ''),
  );
  return (
    isPath && !matches(excludedPath, pathname) && hasHeaders && (method?.includes(request.method) ?? true)
  );
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
