/**
 * A built site on Netlify: edge functions, then existing files, then the rules, with
 * Netlify's own matching engine and parsers. Its edge runtime starts only online, so
 * edge functions are called directly.
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
import {
  type Engine,
  getSitePath,
  type Respond,
  readSite,
  startWebServer,
} from './engine.ts';
import { typeOf } from './static.ts';

/** https://docs.netlify.com/build/edge-functions/declarations/ */
export interface Declaration {
  readonly pattern: string;
  readonly method?: readonly string[];
  /** A regular expression for the value of each header, by header name. */
  readonly header?: Readonly<Record<string, string>>;
  readonly onError: string;
}

/** https://docs.netlify.com/build/edge-functions/api/ */
interface EdgeFunction {
  readonly default: (
    request: Request,
    context: { next: Respond },
  ) => Promise<Response>;
  readonly config: Declaration;
}

function createEngine(name: string, host: HostName): Engine {
  return {
    name,
    host,
    missing: () => undefined,
    async start(site) {
      const functions = await readFunctions(path.join(site, '_edge'));
      let respond = await readRules(site);
      // The first function is the outermost, so it is added last.
      for (const edgeFunction of functions.reverse()) {
        respond = withEdgeFunction(respond, edgeFunction);
      }
      return startWebServer(respond, getSitePath(site));
    },
  };
}
export const netlify = createEngine('Netlify', 'netlify');
export const netlifyRules = createEngine('Netlify by rules', 'netlify-rules');

/** Netlify calls functions in the order of their names. */
async function readFunctions(folder: string): Promise<EdgeFunction[]> {
  if (!existsSync(folder)) return [];
  return inFolder((copy) => {
    cpSync(folder, copy, { recursive: true });
    // Node would otherwise read the files as CommonJS.
    writeFileSync(path.join(copy, 'package.json'), '{"type":"module"}');
    const functions: Promise<EdgeFunction>[] = [];
    for (const file of readdirSync(folder).sort()) {
      const { href } = pathToFileURL(path.join(copy, file));
      functions.push(import(href));
    }
    return Promise.all(functions);
  });
}

/**
 * Calls an edge function for the requests that its declaration names. The function
 * reaches the rest of the site as `next`.
 */
function withEdgeFunction(
  site: Respond,
  { default: run, config }: EdgeFunction,
): Respond {
  const next: Respond = (request) => {
    const headers = new Headers(request.headers);
    // Netlify removes conditions, because a function needs complete responses.
    for (const condition of ['If-None-Match', 'If-Modified-Since']) {
      headers.delete(condition);
    }
    return site(new Request(request, { headers }));
  };
  return (request) => {
    if (!isDeclared(config, request)) return site(request);
    return run(request, { next });
  };
}

/** Returns whether Netlify calls a function for a request. */
export function isDeclared(declaration: Declaration, request: Request): boolean {
  const { pattern, method, header = {} } = declaration;
  const { pathname } = new URL(request.url);
  if (!new RegExp(pattern).test(pathname)) return false;
  if (method && !method.includes(request.method)) return false;
  return Object.entries(header).every(([name, expression]) => {
    const value = request.headers.get(name) ?? '';
    return new RegExp(expression).test(value);
  });
}

/**
 * Reads a site's files, `_redirects` and `_headers`. An existing file is served
 * before any rule is tried; `/a` also matches the files `/a/index.html` and
 * `/a.html`. A rule with a status of 3xx redirects, and any other rule serves its
 * target with its status. The headers from all matching patterns are added last.
 */
async function readRules(folder: string): Promise<Respond> {
  const files = readSite(folder);
  const redirects = new TextDecoder().decode(files.get('_redirects')?.body);
  const { engine } = await readRedirects(redirects);
  const { headers: headerRules } = await parseAllHeaders({
    headersFiles: [path.join(folder, '_headers')],
    configHeaders: [],
    minimal: false,
  });
  files.delete('_redirects');
  files.delete('_headers');

  function findFile(pathname: string): string | undefined {
    const withoutSlash = pathname.replace(/\/$/, '');
    const candidates = [
      pathname,
      `${withoutSlash}/index.html`,
      `${withoutSlash}.html`,
    ];
    return candidates.find((file) => files.has(file.slice(1)));
  }

  return async ({ method, url, headers: sentHeaders }) => {
    const { pathname, search } = new URL(url);
    const file = findFile(pathname);
    const rule = file ? `200 ${file}` : engine(pathname, search.slice(1));
    const [status = '404', target = ''] = (rule ?? '404 ').split(' ');
    if (status.startsWith('3')) {
      // https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
      const Location = target.includes('?') ? target : target + search;
      return new Response(null, { status: Number(status), headers: { Location } });
    }
    const asset = files.get(target.slice(1));
    if (!asset) return new Response('Not Found - Request ID: 0', { status: 404 });

    const headers = findHeaders(headerRules as Header[], pathname);
    headers.set('ETag', asset.etag);
    if (status === '200' && sentHeaders.get('If-None-Match') === asset.etag) {
      return new Response(null, { status: 304, headers });
    }
    if (!headers.has('Content-Type')) headers.set('Content-Type', typeOf(target));
    headers.set('Content-Length', String(asset.body.length));
    const body = method === 'HEAD' ? null : asset.body;
    return new Response(body, { status: Number(status), headers });
  };
}

/**
 * Collects the headers of all patterns that match a path, on top of Netlify's
 * defaults.
 */
function findHeaders(rules: readonly Header[], pathname: string): Headers {
  // https://docs.netlify.com/platform/caching/
  const headers = new Headers({
    'Cache-Control': 'public, max-age=0, must-revalidate',
  });
  for (const { forRegExp, values } of rules) {
    if (!forRegExp.test(pathname)) continue;
    for (const [name, value] of Object.entries(values)) headers.set(name, value);
  }
  // Netlify may drop this header: https://docs.netlify.com/manage/routing/headers/#limitations
  headers.delete('Allow');
  return headers;
}

const redirector: {
  parseJSON(
    rules: string,
    options: object,
  ): Promise<{ match(request: object): Redirect | null }>;
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

/** The rules in a `_redirects` file, read in two ways that must agree. */
export interface Readings {
  readonly rules: readonly NetlifyRule[];
  readonly errors: readonly unknown[];
  /**
   * Matches as Netlify's engine does: a rule may name a subset of the request's
   * parameters.
   */
  readonly engine: Match;
  /**
   * Matches as described in Netlify's documentation: a rule names exactly the
   * request's parameters.
   */
  readonly exactSet: Match;
}

export function readRedirects(text: string): Promise<Readings> {
  return inFolder(async (folder) => {
    const file = path.join(folder, '_redirects');
    writeFileSync(file, text);
    const options = { redirectsFiles: [file], configRedirects: [], minimal: false };
    const { redirects, errors } = await parseAllRedirects(options);
    const rules = redirects as NetlifyRule[];
    const engine = await createEngineMatcher(rules);
    return { rules, errors, engine, exactSet: createExactSetMatcher(rules) };
  });
}

/** The engine expects rules and requests in the format of Netlify's local server. */
async function createEngineMatcher(rules: readonly NetlifyRule[]): Promise<Match> {
  const engineRules: object[] = [];
  for (const { from, query, ...rule } of rules) {
    engineRules.push({ ...rule, origin: from, params: query });
  }
  const matcher = await redirector.parseJSON(JSON.stringify(engineRules), {});
  const request = {
    scheme: 'https',
    host: 'example.test',
    headers: {},
    cookieValues: {},
    getHeader: () => '',
    getCookie: () => '',
  };
  return (path, query) => {
    const match = matcher.match({ ...request, path, query });
    return match ? `${match.status} ${match.to}` : undefined;
  };
}

/**
 * A rule with parameters matches only requests with exactly these parameters:
 * https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters
 */
function createExactSetMatcher(rules: readonly NetlifyRule[]): Match {
  return (path, search) => {
    const query = new URLSearchParams(search);
    const match = rules.find(
      (rule) => pathFits(rule.path, path) && queryFits(rule.query, query),
    );
    if (!match) return undefined;
    // `*` matches the rest of the path, and `:splat` in the target is replaced with
    // that text.
    const rest = match.path.endsWith('*') ? path.slice(match.path.length - 1) : '';
    return `${match.status} ${match.to.replace(':splat', rest)}`;
  };
}

function pathFits(pattern: string, path: string): boolean {
  if (pattern.endsWith('*')) return path.startsWith(pattern.slice(0, -1));
  return pattern.replace(/\/$/, '') === path.replace(/\/$/, '');
}

/**
 * A value such as `:limit` in a rule matches any value. If a parameter is repeated,
 * its last value counts.
 */
function queryFits(
  wanted: Readonly<Record<string, string>>,
  query: URLSearchParams,
): boolean {
  const names = Object.keys(wanted);
  const sentNames = new Set(query.keys());
  if (names.length > 0 && names.length !== sentNames.size) return false;
  return names.every((name) => {
    const value = query.getAll(name).at(-1);
    const wantedValue = wanted[name];
    if (value === undefined) return false;
    return wantedValue?.startsWith(':') || wantedValue === value;
  });
}
