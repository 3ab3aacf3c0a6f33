/** Checks of headers, on samples of every kind of response. */

import {
  apiHeaders,
  commonHeaders,
  errorHeaders,
  freshHeaders,
  htmlHeaders,
} from '../../contract/headers.ts';
import { kindNames } from '../../contract/kinds.ts';
import { members } from '../../contract/members.ts';
import {
  listPath,
  listUrl,
  META_FILE,
  PLACEHOLDER_ICON,
  recordPath,
  recordUrl,
  SEARCH_FILE,
} from '../../contract/paths.ts';
import { PAGE_SIZE, pageOffsets } from '../../contract/windows.ts';
import type { ProbeRequest, ProbeResponse } from '../../http/probe.ts';
import { type Check, checkEach, isJsonType, type VerifyContext } from '../context.ts';

/** First and last page, first and last record of each kind. */
function samples({ linkBase, lists }: VerifyContext): ProbeRequest[] {
  const urls = kindNames.flatMap((kind) => {
    const { count, records } = lists[kind];
    const offset = pageOffsets(count).at(-1) ?? 0;
    const ends = [records[0], records.at(-1)].flatMap((record) =>
      record ? [recordUrl(linkBase, kind, record.slug)] : [],
    );
    return [listUrl(linkBase, kind), listUrl(linkBase, kind, { limit: PAGE_SIZE, offset }), ...ends];
  });
  return [...new Set(urls)].map((url) => ({ path: url.slice(linkBase.baseUrl.length) }));
}

const unknownSlug: ProbeRequest = { path: '/api/gamedata/move/no-such-slug/' };
const icon: ProbeRequest = { path: `/${PLACEHOLDER_ICON}` };

/** For a few requests, whose responses are compared with each other. */
const both = <R>(response: ProbeResponse, request: R): [ProbeResponse, R] => [response, request];

/** A check of one header, on samples and additional requests. */
const headerCheck = (
  others: readonly ProbeRequest[],
  problemOf: (response: ProbeResponse) => string | undefined,
): Check => checkEach((context) => [...samples(context), ...others], problemOf);

const expectHeader = (
  response: ProbeResponse,
  name: string,
  isRight: (value: string) => boolean,
  expected: string,
): string | undefined =>
  isRight(response.header(name) ?? '')
    ? undefined
    : `got ${name} ${response.header(name)}, expected ${expected}`;

const checkMediaType = headerCheck([], (response) =>
  isJsonType(response)
    ? undefined
    : `got Content-Type ${response.header('content-type')}, expected application/json`,
);

const checkCors = headerCheck([unknownSlug, icon], (response) =>
  expectHeader(response, 'Access-Control-Allow-Origin', (value) => value === '*', '*'),
);

const checkExposed = headerCheck([unknownSlug, { path: `/${META_FILE}` }], (response) => {
  const name = 'Access-Control-Expose-Headers';
  const isRight = (value: string): boolean =>
    members(commonHeaders[name]).every((header) => members(value).includes(header));
  return expectHeader(response, name, isRight, commonHeaders[name]);
});

const noSniffing = (response: ProbeResponse): string | undefined =>
  expectHeader(response, 'X-Content-Type-Options', (value) => value === 'nosniff', 'nosniff');

const checkNosniff = headerCheck([unknownSlug, icon], noSniffing);

/** URLs that may be HTML, and endpoints as a browser requests them. */
const pages: readonly ProbeRequest[] = [
  ...['/', '/index.html', '/browse.html', '/browse/', '/docs/', '/docs/index.html', '/404.html'],
  ...kindNames.map((kind) => listPath(kind)),
].map((path) => ({ path, headers: { Accept: 'text/html' } }));

/** A deployment may have a stricter policy, but not a weaker one. */
const checkPagePolicy: Check = async ({ probe }, fail) => {
  for (const [response] of await probe.sendAll(pages, both)) {
    if (!response.header('content-type')?.startsWith('text/html')) continue;
    const got = directives(response.header('content-security-policy') ?? '');
    for (const directive of directives(htmlHeaders['Content-Security-Policy'])) {
      if (!got.includes(directive)) fail(response, `got no Content-Security-Policy ${directive}`);
    }
    const sniffing = noSniffing(response);
    if (sniffing !== undefined) fail(response, sniffing);
  }
};

const directives = (policy: string): string[] => policy.split(';').map((directive) => directive.trim());

const cachingProblem =
  (expected: string) =>
  (response: ProbeResponse): string | undefined =>
    expectHeader(
      response,
      'Cache-Control',
      (value) => members(value).join() === members(expected).join(),
      expected,
    );

const checkCaching = headerCheck([], cachingProblem(apiHeaders['Cache-Control']));

const checkFreshness = checkEach(
  () =>
    ['/', `/${META_FILE}`, `/${SEARCH_FILE}`, '/style.css', `/${PLACEHOLDER_ICON}`].map((path) => ({ path })),
  (response) =>
    response.status === 200 ? cachingProblem(freshHeaders['Cache-Control'])(response) : undefined,
);

const checkFreshErrors = checkEach(
  () => [
    unknownSlug,
    { path: '/api/gamedata/no-such-kind/' },
    { path: `${listPath('move')}?format=xml` },
    { path: `${recordPath('item', 'no-such-slug')}`, headers: { Accept: 'text/html' } },
  ],
  cachingProblem(errorHeaders['Cache-Control']),
);

const checkVary = headerCheck([unknownSlug], (response) =>
  expectHeader(response, 'Vary', (value) => members(value).includes('accept'), 'it to include Accept'),
);

const checkAllow = headerCheck([unknownSlug], (response) => {
  const allows = (value: string): boolean =>
    members(apiHeaders.Allow).every((method) => members(value).includes(method));
  return expectHeader(response, 'Allow', allows, apiHeaders.Allow);
});

/** Every response has an ETag of its own, and conditional requests are honored. */
const checkEtag: Check = async (context, fail) => {
  const { probe } = context;
  const seen = new Map<string, string>();
  const responses = await probe.sendAll(samples(context), both);
  for (const [response] of responses) {
    const etag = response.header('etag');
    if (etag === undefined) {
      fail(response, 'got no ETag');
      continue;
    }
    const other = seen.get(etag);
    if (other !== undefined && other !== response.text)
      fail(response, `got ETag ${etag}, which another response has too`);
    seen.set(etag, response.text);
  }
  const conditional = responses.flatMap(([response, request]) => [
    { ...request, headers: { 'If-None-Match': response.header('etag') ?? '' }, status: 304 },
    { ...request, headers: { 'If-None-Match': '"something-else"' }, status: 200 },
  ]);
  for (const [response, { status }] of await probe.sendAll(conditional, both)) {
    if (response.status === status && (status === 200 || response.text === '')) continue;
    const expected = status === 304 ? '304 without a body' : '200';
    fail(response, `got status ${response.status}, expected ${expected}`);
  }
};

const checkHead: Check = async (context, fail) => {
  const requests = samples(context);
  const gets = await context.probe.sendAll(requests, (response) => response);
  const headRequests = requests.map((request) => ({ ...request, method: 'HEAD' }));
  const heads = await context.probe.sendAll(headRequests, (response) => response);
  for (const [at, get] of gets.entries()) {
    const head = heads[at];
    if (!head) continue;
    if (head.status !== get.status) fail(head, `got status ${head.status}, expected ${get.status}`);
    if (head.text !== '') fail(head, `got a body of ${head.text.length} characters, expected none`);
    for (const name of ['content-type', 'etag']) {
      if (head.header(name) !== get.header(name))
        fail(head, `got ${name} ${head.header(name)}, expected ${get.header(name)}`);
    }
  }
};

export const headersChecks = {
  'media-type': checkMediaType,
  head: checkHead,
  etag: checkEtag,
  cors: checkCors,
  nosniff: checkNosniff,
  'page-policy': checkPagePolicy,
  exposed: checkExposed,
  caching: checkCaching,
  freshness: checkFreshness,
  'fresh-errors': checkFreshErrors,
  vary: checkVary,
  allow: checkAllow,
};
