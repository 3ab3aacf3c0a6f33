/**
 * A built site on Netlify: edge functions, then existing files, then the rules, with Netlify's own matching engine and parsers.
 * Its edge runtime starts only online, so edge functions are called directly.
 */

import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Header, parseAllHeaders } from '@netlify/headers-parser';
import { parseAllRedirects } from '@netlify/redirect-parser';
// @ts-expect-error: the package has no types.
import untyped from 'netlify-redirector';
import type { HostName } from '../../../src/hosts/index.ts';
import { inFolder } from '../folders.ts';
import { type Engine, getSitePath, type Respond, readSite, startWebServer } from './engine.ts';
import { typeOf } from './static.ts';

/** https://docs.netlify.com/build/edge-functions/declarations/ */
export interface Declaration {
  readonly pattern: string;
  readonly method?: readonly string[];
  /** Header → a regular expression that matches its value. */
  readonly header?: Readonly<Record<string, string>>;
  readonly onError: string;
}

/** https://docs.netlify.com/build/edge-functions/api/ */
interface EdgeFunction {
  readonly default: (request: Request, context: { next: Respond }) => Promise<Response>;
  readonly config: Declaration;
}

const createEngine = (name: string, host: HostName): Engine => ({
  name,
  host,
  missing: () => undefined,
  async start(site) {
    const functions = await readFunctions(path.join(site, '_edge'));
    return startWebServer(
      functions.reduceRight(withEdgeFunction, await readRules(site)),
      getSitePath(site),
    );
  },
});
export const netlify = createEngine('Netlify', 'netlify');
export const netlifyRules = createEngine('Netlify by rules', 'netlify-rules');

/** Netlify calls functions in order of their names. */
async function readFunctions(folder: string): Promise<EdgeFunction[]> {
  if (!existsSync(folder)) return [];
  return inFolder((copy) => {
    cpSync(folder, copy, { recursive: true });
    // Node would otherwise read the files as CommonJS.
    writeFileSync(path.join(copy, 'package.json'), '{"type":"module"}');
    const files = readdirSync(folder).sort();
    return Promise.all(files.map((file) => import(pathToFileURL(path.join(copy, file)).href)));
  });
}

function withEdgeFunction(site: Respond, { default: run, config }: EdgeFunction): Respond {
  const next: Respond = (request) => {
    const headers = new Headers(request.headers);
    // Netlify removes conditions, because a function needs complete responses.
    for (const condition of ['If-None-Match', 'If-Modified-Since']) headers.delete(condition);
    return site(new Request(request, { headers }));
  };
  return (request) => (isDeclared(config, request) ? run(request, { next }) : site(request));
}

export const isDeclared = (
  { pattern, method, header = {} }: Declaration,
  request: Request,
): boolean =>
  new RegExp(pattern).test(new URL(request.url).pathname) &&
  (method?.includes(request.method) ?? true) &&
  Object.entries(header).every(([name, expression]) =>
    new RegExp(expression).test(request.headers.get(name) ?? ''),
  );

async function readRules(folder: string): Promise<Respond> {
  const files = readSite(folder);
  const { engine } = await readRedirects(new TextDecoder().decode(files.get('_redirects')?.body));
  const headersFiles = [path.join(folder, '_headers')];
  const { headers } = await parseAllHeaders({ headersFiles, configHeaders: [], minimal: false });
  for (const control of ['_redirects', '_headers']) files.delete(control);

  return async ({ method, url, headers: sent }) => {
    const { pathname, search } = new URL(url);
    const existing = ['', '/index.html', '.html']
      .map((ending) => (ending === '' ? pathname : pathname.replace(/\/$/, '') + ending))
      .find((file) => files.has(file.slice(1)));
    const rule = existing ? `200 ${existing}` : (engine(pathname, search.slice(1)) ?? '404 ');
    const [status, target = ''] = rule.split(' ');
    if (status?.startsWith('3')) {
      // https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
      const Location = target.includes('?') ? target : target + search;
      return new Response(null, { status: Number(status), headers: { Location } });
    }
    const asset = files.get(target.slice(1));
    if (!asset) return new Response('Not Found - Request ID: 0', { status: 404 });
    const fields = findHeaders(headers as Header[], pathname);
    fields.set('ETag', asset.etag);
    if (status === '200' && sent.get('If-None-Match') === asset.etag)
      return new Response(null, { status: 304, headers: fields });
    if (!fields.has('Content-Type')) fields.set('Content-Type', typeOf(target));
    fields.set('Content-Length', String(asset.body.length));
    return new Response(method === 'HEAD' ? null : asset.body, {
      status: Number(status),
      headers: fields,
    });
  };
}

function findHeaders(all: readonly Header[], pathname: string): Headers {
  // Netlify's default: https://docs.netlify.com/platform/caching/
  const fields = new Headers({ 'Cache-Control': 'public, max-age=0, must-revalidate' });
  for (const { forRegExp, values } of all)
    if (forRegExp.test(pathname))
      for (const [name, value] of Object.entries(values)) fields.set(name, value);
  // Netlify may drop this header: https://docs.netlify.com/manage/routing/headers/#limitations
  fields.delete('Allow');
  return fields;
}

const redirector: {
  parseJSON(rules: string, options: object): Promise<{ match(request: object): Redirect | null }>;
} = untyped;

interface Redirect {
  readonly to: string;
  readonly status: number;
}
interface NetlifyRule extends Redirect {
  readonly from: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly conditions: object;
}

/** Returns `<status> <target>` of the first matching rule. */
export type Match = (path: string, query: string) => string | undefined;

export type Readings = Awaited<ReturnType<typeof readRedirects>>;

/** Reads `_redirects` as Netlify's engine does (a subset of parameters) and as its documentation says (an exact set). */
export const readRedirects = (text: string) =>
  inFolder(async (folder) => {
    const file = path.join(folder, '_redirects');
    writeFileSync(file, text);
    const options = { redirectsFiles: [file], configRedirects: [], minimal: false };
    const { redirects, errors } = await parseAllRedirects(options);
    const rules = redirects as NetlifyRule[];
    return { rules, errors, engine: await engineMatcher(rules), exactSet: exactSetMatcher(rules) };
  });

/** The engine expects rules and requests in the format of Netlify's local server. */
async function engineMatcher(rules: readonly NetlifyRule[]): Promise<Match> {
  const renamed = rules.map(({ from, query, ...rule }) => ({
    ...rule,
    origin: from,
    params: query,
  }));
  const matcher = await redirector.parseJSON(JSON.stringify(renamed), {});
  const headers = { headers: {}, cookieValues: {}, getHeader: () => '', getCookie: () => '' };
  return (path, query) => {
    const match = matcher.match({ scheme: 'https', host: 'example.test', path, query, ...headers });
    return match ? `${match.status} ${match.to}` : undefined;
  };
}

/**
 * A rule with parameters matches only requests with exactly these parameters:
 * https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters
 */
const exactSetMatcher =
  (rules: readonly NetlifyRule[]): Match =>
  (path, search) => {
    const query = new URLSearchParams(search);
    const rule = rules.find((one) => pathFits(one.path, path) && queryFits(one.query, query));
    const splat = rule?.path.endsWith('*') ? path.slice(rule.path.length - 1) : '';
    return rule && `${rule.status} ${rule.to.replace(':splat', splat)}`;
  };

const pathFits = (pattern: string, path: string): boolean =>
  pattern.endsWith('*')
    ? path.startsWith(pattern.slice(0, -1))
    : pattern.replace(/\/$/, '') === path.replace(/\/$/, '');

function queryFits(wanted: Readonly<Record<string, string>>, query: URLSearchParams): boolean {
  const names = Object.keys(wanted);
  if (names.length > 0 && names.length !== new Set(query.keys()).size) return false;
  return names.every((name) => {
    const value = query.getAll(name).at(-1);
    return value !== undefined && (wanted[name]?.startsWith(':') || wanted[name] === value);
  });
}
