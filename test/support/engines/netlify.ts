/**
 * A built site as Netlify serves it: edge functions first, then an existing file, then the rules by Netlify's own matching
 * engine, with the headers that Netlify's own parser reads. Netlify's edge runtime starts only online, so each function is
 * called as what it is: a function of a request and a context. Methods are as in its local server, which answers any of them
 * alike.
 */

import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Header, parseAllHeaders } from '@netlify/headers-parser';
import type { HostName } from '../../../src/hosts/names.ts';
import { inFolder } from '../folders.ts';
import { readRedirects } from '../netlify.ts';
import type { Engine } from './engine.ts';
import { basePathOf, readSite } from './site-folder.ts';
import { type Answer, startWebServer } from './web-server.ts';

/** https://docs.netlify.com/build/edge-functions/declarations/ */
export interface Declaration {
  readonly pattern: string;
  readonly method?: readonly string[];
  /** Header → an expression that its value has to contain. */
  readonly header?: Readonly<Record<string, string>>;
  readonly onError: string;
}

/** https://docs.netlify.com/build/edge-functions/api/ */
export interface EdgeFunction {
  readonly default: (request: Request, context: { next: Answer }) => Promise<Response>;
  readonly config: Declaration;
}

const engine = (name: string, host: HostName): Engine => ({
  name,
  host,
  missing: () => undefined,
  async start(site) {
    const functions = await readFunctions(path.join(site, '_edge'));
    return startWebServer(functions.reduceRight(withEdgeFunction, await rules(site)), basePathOf(site));
  },
});
export const netlify = engine('Netlify', 'netlify');
export const netlifyRules = engine('Netlify by rules', 'netlify-rules');

/** In the order in which Netlify calls them: by name. */
async function readFunctions(folder: string): Promise<EdgeFunction[]> {
  if (!existsSync(folder)) return [];
  return inFolder((copy) => {
    cpSync(folder, copy, { recursive: true });
    // Node would take the files for CommonJS.
    writeFileSync(path.join(copy, 'package.json'), '{"type":"module"}');
    const files = readdirSync(folder).sort();
    return Promise.all(files.map((file) => import(pathToFileURL(path.join(copy, file)).href)));
  });
}

/** Puts an edge function before what follows it, for the requests that it declares. */
export function withEdgeFunction(site: Answer, { default: run, config }: EdgeFunction): Answer {
  // A function gets the whole answer, whatever the client has.
  const next: Answer = (request) => {
    const headers = new Headers(request.headers);
    headers.delete('If-None-Match');
    headers.delete('If-Modified-Since');
    return site(new Request(request, { headers }));
  };
  return async (request) => {
    if (!isDeclared(config, request)) return site(request);
    try {
      return await run(request, { next });
    } catch (error) {
      if (config.onError !== 'bypass') throw error;
      return site(request);
    }
  };
}

export const isDeclared = ({ pattern, method, header = {} }: Declaration, request: Request): boolean =>
  new RegExp(pattern).test(new URL(request.url).pathname) &&
  (method?.includes(request.method) ?? true) &&
  Object.entries(header).every(([name, expression]) =>
    new RegExp(expression).test(request.headers.get(name) ?? ''),
  );

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=UTF-8',
  '.html': 'text/html; charset=UTF-8',
  '.js': 'application/javascript; charset=UTF-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=UTF-8',
};

async function rules(folder: string): Promise<Answer> {
  const files = readSite(folder);
  const { engine } = await readRedirects(new TextDecoder().decode(files.get('_redirects')?.body));
  const { headers } = await parseAllHeaders({
    headersFiles: [path.join(folder, '_headers')],
    configHeaders: [],
    minimal: false,
  });
  for (const control of ['_redirects', '_headers']) files.delete(control);

  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const own = [pathname, `${pathname.replace(/\/$/, '')}/index.html`, `${pathname}.html`].find((file) =>
      files.has(file.slice(1)),
    );
    const [status = '404', target = ''] =
      own === undefined ? (engine(pathname, search.slice(1))?.split(' ') ?? []) : ['200', own];
    if (status.startsWith('3')) {
      // https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
      const headers = { Location: target.includes('?') ? target : target + search };
      return new Response(null, { status: Number(status), headers });
    }
    const asset = files.get(target.slice(1));
    if (!asset) return new Response('Not Found - Request ID: 0', { status: 404 });
    const fields = headersFor(headers as Header[], pathname);
    fields.set('ETag', asset.etag);
    if (status === '200' && request.headers.get('If-None-Match') === asset.etag)
      return new Response(null, { status: 304, headers: fields });
    if (!fields.has('Content-Type'))
      fields.set('Content-Type', mediaTypes[path.extname(target)] ?? 'application/octet-stream');
    fields.set('Content-Length', String(asset.body.length));
    const body = request.method === 'HEAD' ? null : asset.body;
    return new Response(body, { status: Number(status), headers: fields });
  };
}

function headersFor(all: readonly Header[], pathname: string): Headers {
  // What Netlify sends by itself: https://docs.netlify.com/platform/caching/
  const fields = new Headers({ 'Cache-Control': 'public, max-age=0, must-revalidate' });
  for (const { values } of all.filter(({ forRegExp }) => forRegExp.test(pathname))) {
    for (const [name, value] of Object.entries(values)) fields.set(name, value);
  }
  // It may drop this one: https://docs.netlify.com/manage/routing/headers/#limitations
  fields.delete('Allow');
  return fields;
}
