/** Checks of what depends on the complete request: its path, which may exist, redirect or not exist, its method, its headers. */

import { apiHeaders } from '../../contract/headers.ts';
import { type Kind, kindNames } from '../../contract/kinds.ts';
import { show } from '../../contract/parse.ts';
import { API_PREFIX, listPath, MOVED_FILE, pathOf, recordPath } from '../../contract/paths.ts';
import type { ProbeRequest, ProbeResponse } from '../../http/probe.ts';
import {
  type Check,
  checkEach,
  corsProblem,
  endpoints,
  errorProblem,
  isJsonType,
  type VerifyContext,
} from './check.ts';

const preflight = {
  origin: 'https://app.invalid',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'x-test',
};

/** What would make a browser block the request that the preflight is for. */
function preflightProblem(response: ProbeResponse): string | undefined {
  const header = (name: string): string => response.header(`access-control-allow-${name}`) ?? '';
  if (header('origin') !== '*') return `got Access-Control-Allow-Origin ${header('origin')}, expected *`;
  if (!header('methods').includes('GET'))
    return `got Access-Control-Allow-Methods ${header('methods')}, expected it to include GET`;
  if (!/\*|x-test/i.test(header('headers')))
    return `got Access-Control-Allow-Headers ${header('headers')}, expected * or x-test`;
  return undefined;
}

/** What browsers send: https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Content_negotiation/List_of_default_Accept_values */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const accepts = [BROWSER, '*/*', 'application/json', undefined];

/** Paths below the prefix that do not exist, in the shapes that hosts tell apart. */
const missingPaths = ['no-such-kind', 'no-such-kind/', 'move/no-such-slug/', 'move/a/b/', 'a/b/c'].map(
  (path) => API_PREFIX + path,
);

const notFound = (pathsOf: (context: VerifyContext) => readonly string[]): Check =>
  checkEach(
    (context) => pathsOf(context).map((path) => ({ path })),
    (response) => errorProblem(response, 404),
  );

/** The slug of the first record of a kind. */
const knownSlug = ({ lists }: VerifyContext, kind: Kind): string => lists[kind].records[0]?.slug ?? 'none';

const withUnknownFormats = (path: string): string[] =>
  ['xml', 'API', 'html'].map((format) => `${path}?format=${format}`);

/** What is wrong with a redirect to a path of the site. Hosts may send an absolute `Location`. */
function redirectProblem(
  response: ProbeResponse,
  { target }: { target: string },
  { probe }: VerifyContext,
): string | undefined {
  const location = pathOf(probe.address) + target;
  if (response.status !== 301) return `got status ${response.status}, expected 301 to ${location}`;
  const got = response.header('location') ?? '';
  const base = 'http://host.invalid';
  const { pathname, search } = new URL(URL.canParse(got, base) ? got : '', base);
  return pathname + search === location ? undefined : `got Location ${got}, expected ${location}`;
}

/**
 * What `moved.json` lists has to redirect; a site without it has no renamed records. A redirect of a present record is found
 * by its status.
 */
const checkMoved: Check = async (context, fail) => {
  const { probe, lists } = context;
  const listed = await probe.send({ path: `/${MOVED_FILE}` });
  if (listed.status !== 200 || typeof listed.json !== 'object' || listed.json === null) return;
  const records = new Set(
    kindNames.flatMap((kind) => lists[kind].records.map(({ slug }) => recordPath(kind, slug))),
  );
  const requests = Object.entries(listed.json).flatMap(([path, to]) => {
    if (records.has(to)) return [{ path: `${path}?format=api`, target: `${to}?format=api` }];
    fail(listed, `got ${show(path)}: ${show(to)}, expected the path of a record`);
    return [];
  });
  await checkEach(() => requests, redirectProblem)(context, fail);
};

export const requestsChecks = {
  slash: checkEach(
    (context) =>
      [API_PREFIX, ...endpoints(context), recordPath('move', 'no-such-slug')].flatMap((path) =>
        ['', '?format=api&limit=100&offset=100', '?x=%20%C3%A9'].map((query) => ({
          path: `${path.slice(0, -1)}${query}`,
          target: `${path}${query}`,
        })),
      ),
    (response, request, context) => redirectProblem(response, request, context) ?? corsProblem(response),
  ),
  moved: checkMoved,
  'unknown-slug': notFound((context) =>
    kindNames.flatMap((kind) => [
      recordPath(kind, 'no-such-slug'),
      `${recordPath(kind, 'no-such-slug')}?format=api`,
      recordPath(kind, knownSlug(context, kind).toUpperCase()),
      recordPath(kind, '0'),
    ]),
  ),
  'unknown-path': notFound((context) => [
    '/api/gamedata/no-such-kind/',
    `${listPath('move')}offset/100/`,
    `${recordPath('move', knownSlug(context, 'move'))}more/`,
  ]),
  'unknown-format': notFound(() => kindNames.flatMap((kind) => withUnknownFormats(listPath(kind)))),
  'unknown-record-format': notFound((context) =>
    kindNames.flatMap((kind) => withUnknownFormats(recordPath(kind, knownSlug(context, kind)))),
  ),
  /** What servers may refuse before they look at their configuration. */
  'any-path': checkEach(
    () =>
      ['%zz', '%00', 'a%2Fb', '%5C', '%0D%0A', '%E9', 'x'.repeat(3000)].map((slug) => ({
        path: `${listPath('move')}${slug}/`,
      })),
    (response) => errorProblem(response, 400, 403, 404, 414) ?? corsProblem(response),
  ),
  options: checkEach(
    (context) =>
      endpoints(context).flatMap((path): ProbeRequest[] => [
        { method: 'OPTIONS', path },
        { method: 'OPTIONS', path, headers: preflight },
      ]),
    (response, { headers }) => {
      if (response.status !== 200 && response.status !== 204)
        return `got status ${response.status}, expected 200 or 204`;
      const allow = response.header('allow');
      if (allow?.replaceAll(' ', '') !== apiHeaders.Allow.replaceAll(' ', ''))
        return `got Allow ${allow}, expected ${apiHeaders.Allow}`;
      return headers && preflightProblem(response);
    },
  ),
  method: checkEach(
    (context) =>
      endpoints(context).flatMap((path) =>
        ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ method, path })),
      ),
    (response) => {
      const problem = errorProblem(response, 405);
      if (problem !== undefined) return problem;
      const { detail } = response.json as { detail: string };
      if (!/^Method .*not allowed\.$/.test(detail))
        return `got detail ${detail}, expected Method … not allowed.`;
      const allow = response.header('allow');
      return !allow?.includes('GET') && `got Allow ${allow}, expected ${apiHeaders.Allow}`;
    },
  ),
  browser: checkEach(
    (context) => [
      ...[...endpoints(context), ...missingPaths].flatMap((path) =>
        ['', '?format=api', '?format=json'].flatMap((query) =>
          accepts.map((accept) => ({
            path: path + query,
            headers: accept === undefined ? {} : { accept },
            isPage: accept === BROWSER && query !== '?format=json',
            status: missingPaths.includes(path) ? 404 : 200,
          })),
        ),
      ),
      ...['format=xml', 'limit=7', 'offset=50'].map((query) => ({
        path: `${listPath('move')}?${query}`,
        headers: { accept: BROWSER },
        isPage: true,
        // The second and third are pages of the list where code runs.
        status: query === 'format=xml' ? 404 : undefined,
      })),
    ],
    (response, { isPage, status }) => {
      if (status !== undefined && response.status !== status)
        return `got status ${response.status}, expected ${status}`;
      const type = response.header('content-type');
      if (isPage) return !type?.startsWith('text/html') && `got ${type}, expected text/html`;
      return !isJsonType(type) && `got ${type}, expected application/json`;
    },
  ),
  'not-acceptable': checkEach(
    (context) => endpoints(context).map((path) => ({ path, headers: { accept: 'image/png' } })),
    (response) => errorProblem(response, 406),
  ),
};
