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
  statusProblem,
  toRequests,
  unknownRecords,
  type VerifyContext,
} from './check.ts';

const preflight = {
  origin: 'https://app.invalid',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization,x-test',
};

/** What a browser needs to send the request that the preflight is for. */
const preflightRows = [
  ['Access-Control-Allow-Origin', /^\*$/, '*'],
  ['Access-Control-Allow-Methods', /GET/, 'it to include GET'],
  ['Access-Control-Allow-Headers', /\*|x-test/i, '* or x-test'],
  // The asterisk does not cover it: https://fetch.spec.whatwg.org/#cors-non-wildcard-request-header-name
  ['Access-Control-Allow-Headers', /authorization/i, 'it to include Authorization'],
] as const;

function preflightProblem(response: ProbeResponse): string | undefined {
  for (const [name, pattern, expected] of preflightRows) {
    const got = response.header(name) ?? '';
    if (!pattern.test(got)) return `got ${name} ${got}, expected ${expected}`;
  }
  return undefined;
}

/** What browsers send: https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Content_negotiation/List_of_default_Accept_values */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const accepts = [browser, { accept: '*/*' }, { accept: 'application/json' }, {}];

/** Paths below the prefix that do not exist, in the shapes that hosts tell apart. */
const missingPaths = [
  ...['no-such-kind', 'no-such-kind/', 'a/b/c'].map((path) => API_PREFIX + path),
  ...kindNames.map((kind) => recordPath(kind, 'a/b')),
  ...unknownRecords,
];

/** @param pathsOf makes paths that do not exist, out of a list's own and the slug of its first record */
const notFound = (pathsOf: (list: string, slug: string) => readonly string[]): Check =>
  checkEach(
    ({ lists }) => {
      const slugOf = (kind: Kind): string => lists[kind].records[0]?.slug ?? 'none';
      return toRequests(kindNames.flatMap((kind) => pathsOf(listPath(kind), slugOf(kind))));
    },
    (response) => errorProblem(response, 404),
  );

const inUnknownFormats = (path: string): string[] =>
  ['xml', 'API', 'html'].map((format) => `${path}?format=${format}`);

/** What is wrong with a redirect to a path of the site. Of an absolute `Location`, browsers block another scheme than the page's. */
function redirectProblem(
  response: ProbeResponse,
  { target }: { target: string },
  { linkBase, probe }: VerifyContext,
): string | undefined {
  const location = pathOf(probe.address) + target;
  if (response.status !== 301) return `got status ${response.status}, expected 301 to ${location}`;
  const got = response.header('location') ?? '';
  const { baseUrl } = linkBase;
  const { protocol, pathname, search } = new URL(URL.canParse(got, baseUrl) ? got : '/', baseUrl);
  if (pathname + search === location && protocol === new URL(baseUrl).protocol) return undefined;
  return `got Location ${got}, expected ${location}, relative or with the scheme of ${baseUrl}`;
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
      [API_PREFIX, ...endpoints(context), ...unknownRecords].flatMap((path) =>
        ['', '?format=api&limit=100&offset=100', '?x=%20%C3%A9'].map((query) => ({
          path: `${path.slice(0, -1)}${query}`,
          target: `${path}${query}`,
        })),
      ),
    (response, request, context) => redirectProblem(response, request, context) ?? corsProblem(response),
  ),
  moved: checkMoved,
  'unknown-slug': notFound((list, slug) =>
    ['no-such-slug/', 'no-such-slug/?format=api', `${slug.toUpperCase()}/`, '0/'].map((path) => list + path),
  ),
  'unknown-path': notFound((list, slug) => [
    `${API_PREFIX}no-such-kind/`,
    `${list}offset/100/`,
    `${list}${slug}/more/`,
  ]),
  'unknown-format': notFound((list) => inUnknownFormats(list)),
  'unknown-record-format': notFound((list, slug) => inUnknownFormats(`${list}${slug}/`)),
  /** What servers may refuse before they look at their configuration. */
  'any-path': checkEach(
    () =>
      toRequests(
        ['%zz', '%00', 'a%2Fb', '%5C', '%0D%0A', '%E9', 'x'.repeat(3000)].flatMap((slug) =>
          kindNames.map((kind) => recordPath(kind, slug)),
        ),
      ),
    (response) => errorProblem(response, 400, 403, 404, 414) ?? corsProblem(response),
  ),
  options: checkEach(
    (context) =>
      endpoints(context).flatMap((path): ProbeRequest[] => [
        { method: 'OPTIONS', path },
        { method: 'OPTIONS', path, headers: preflight },
      ]),
    (response, { headers }) => {
      const problem = statusProblem(response, 200, 204);
      if (problem !== undefined) return problem;
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
          accepts.map((headers) => ({
            path: path + query,
            headers,
            isPage: headers === browser && query !== '?format=json',
            status: missingPaths.includes(path) ? 404 : 200,
          })),
        ),
      ),
      // The last two are pages of the list where code runs.
      ...([['format=xml', 404], ['limit=7'], ['offset=50']] as const).flatMap(([query, status]) =>
        kindNames.map((kind) => ({
          path: `${listPath(kind)}?${query}`,
          headers: browser,
          isPage: true,
          status,
        })),
      ),
    ],
    (response, { isPage, status = response.status }) => {
      const problem = statusProblem(response, status);
      if (problem !== undefined) return problem;
      const type = response.header('content-type');
      if (isPage) return !type?.startsWith('text/html') && `got ${type}, expected text/html`;
      return !isJsonType(type) && `got ${type}, expected application/json`;
    },
  ),
};
