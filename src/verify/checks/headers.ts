/** Checks of headers, on samples of every kind of response, and of compressed responses. */

import {
  apiHeaders,
  commonHeaders,
  errorHeaders,
  freshHeaders,
  htmlHeaders,
} from '../../contract/headers.ts';
import { kindNames } from '../../contract/kinds.ts';
import * as paths from '../../contract/paths.ts';
import { PAGE_SIZE, pageOffsets } from '../../contract/windows.ts';
import type { ProbeRequest, ProbeResponse } from '../../http/probe.ts';
import { type Check, checkEach, isJsonType, members, type VerifyContext } from '../context.ts';

/** First and last page, first and last record of each kind. */
function samples({ linkBase, lists }: VerifyContext): ProbeRequest[] {
  const urls = kindNames.flatMap((kind) => {
    const { count, records } = lists[kind];
    const offset = pageOffsets(count).at(-1) ?? 0;
    const ends = [records[0], records.at(-1)].flatMap((record) =>
      record ? [paths.recordUrl(linkBase, kind, record.slug)] : [],
    );
    return [
      paths.listUrl(linkBase, kind),
      paths.listUrl(linkBase, kind, { limit: PAGE_SIZE, offset }),
      ...ends,
    ];
  });
  return [...new Set(urls)].map((url) => ({ path: url.slice(linkBase.baseUrl.length) }));
}

const unknownSlug: ProbeRequest = { path: '/api/gamedata/move/no-such-slug/' };
const names: ProbeRequest = { path: `/${paths.NAMES_INDEX_FILE}` };
const icon: ProbeRequest = { path: `/${paths.PLACEHOLDER_ICON}` };

/** The same for a strong and a weak ETag, as nginx weakens it later, and for lists with and without spaces. */
const comparable = (value = ''): string => members(value.replace(/^W\//, '')).join();

/** For a few requests, whose responses are compared with each other. */
const both = <R>(response: ProbeResponse, request: R): [ProbeResponse, R] => [response, request];

/** A check of one header, on samples and additional requests. */
const headerCheck = (
  others: readonly ProbeRequest[],
  problemOf: (response: ProbeResponse) => string | undefined,
): Check => checkEach((context) => [...samples(context), ...others], problemOf);

const headerProblem = (
  response: ProbeResponse,
  name: string,
  expected: string,
  isRight = (value: string): boolean => value === expected,
): string | undefined =>
  isRight(response.header(name) ?? '')
    ? undefined
    : `got ${name} ${response.header(name)}, expected ${expected}`;

/** A list header that has to have these members, and may have more. */
const membersProblem = (response: ProbeResponse, name: string, expected: string): string | undefined =>
  headerProblem(response, name, expected, (value) =>
    members(expected).every((member) => members(value).includes(member)),
  );

const cachingProblem =
  ({ 'Cache-Control': expected }: { 'Cache-Control': string }) =>
  (response: ProbeResponse): string | undefined =>
    headerProblem(
      response,
      'Cache-Control',
      expected,
      (value) => members(value).join() === members(expected).join(),
    );

const noSniffing = (response: ProbeResponse): string | undefined =>
  headerProblem(response, 'X-Content-Type-Options', 'nosniff');

/** URLs that may be HTML, and endpoints as a browser requests them. */
const pages: readonly ProbeRequest[] = [
  ...['/', '/index.html', '/browse.html', '/browse/', '/docs/', '/docs/index.html', '/404.html'],
  ...kindNames.map((kind) => paths.listPath(kind)),
].map((path) => ({ path, headers: { Accept: 'text/html' } }));

/** A deployment may have a stricter policy, but not a weaker one. */
const checkPagePolicy: Check = async ({ probe }, fail) => {
  for (const [response] of await probe.sendAll(pages, both)) {
    if (!response.header('content-type')?.startsWith('text/html')) continue;
    const got =
      response
        .header('content-security-policy')
        ?.split(';')
        .map((part) => part.trim()) ?? [];
    for (const directive of htmlHeaders['Content-Security-Policy'].split('; ')) {
      if (!got.includes(directive)) fail(response, `got no Content-Security-Policy ${directive}`);
    }
    const sniffing = noSniffing(response);
    if (sniffing !== undefined) fail(response, sniffing);
  }
};

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

/** Caches on the way replace the stored headers by those of 304: https://www.rfc-editor.org/rfc/rfc9110#status.304 */
const checkNotModified: Check = async (context, fail) => {
  const { probe } = context;
  const requests = ['identity', 'gzip'].flatMap((encoding) =>
    [...samples(context), ...files.map((path) => ({ path })), icon].map((request) => ({
      ...request,
      headers: { 'Accept-Encoding': encoding },
    })),
  );
  const fresh = (await probe.sendAll(requests, both)).filter(([{ status }]) => status === 200);
  const known = fresh.map(([full, request]) => ({
    ...request,
    headers: { ...request.headers, 'If-None-Match': full.header('etag') ?? '' },
    full,
  }));
  for (const [response, { full }] of await probe.sendAll(known, both)) {
    if (response.status !== 304) fail(response, `got status ${response.status}, expected 304`);
    for (const name of ['ETag', 'Vary', 'Cache-Control']) {
      const [got, expected] = [response, full].map((one) => one.header(name));
      if (comparable(got) !== comparable(expected))
        fail(response, `got ${name} ${got}, expected ${expected}, as with 200`);
    }
  }
};

const checkHead: Check = async (context, fail) => {
  const { probe } = context;
  const gets = await probe.sendAll(samples(context), both);
  const heads = gets.map(([get, request]) => ({ ...request, method: 'HEAD', get }));
  for (const [head, { get }] of await probe.sendAll(heads, both)) {
    if (head.status !== get.status) fail(head, `got status ${head.status}, expected ${get.status}`);
    if (head.text !== '') fail(head, `got a body of ${head.text.length} characters, expected none`);
    for (const name of ['content-type', 'etag']) {
      if (head.header(name) !== get.header(name))
        fail(head, `got ${name} ${head.header(name)}, expected ${get.header(name)}`);
    }
  }
};

/** What hosts need not compress, as it fits into one packet. */
const MIN_LENGTH = 1024;

/** Of the API, hosts may compress: then by the same rules. */
const files = [`/${paths.OPENAPI_FILE}`, `/${paths.SEARCH_FILE}`, names.path];
const optional = [paths.listPath('move'), `/${paths.META_FILE}`];

/** The same content as without compression, smaller, and with a validator that works. */
const checkCompression: Check = async ({ probe }, fail) => {
  const headers = { 'Accept-Encoding': 'gzip' };
  for (const path of [...files, ...optional]) {
    const plain = await probe.send({ path });
    if (plain.status !== 200 || plain.text.length < MIN_LENGTH) continue;
    const packed = await probe.send({ path, headers });
    for (const problem of problemsOf(path, plain, packed)) fail(packed, problem);
    if (packed.encoding === undefined) continue;
    const etag = packed.header('etag') ?? '';
    const head = await probe.send({ method: 'HEAD', path, headers });
    if (head.header('etag') !== etag) fail(head, `got ETag ${head.header('etag')}, expected ${etag}`);
  }
};

function* problemsOf(path: string, plain: ProbeResponse, packed: ProbeResponse): Generator<string> {
  if (packed.encoding !== 'gzip') {
    if (files.includes(path)) yield `got Content-Encoding ${packed.encoding}, expected gzip`;
    return;
  }
  if (packed.text !== plain.text) yield 'got other content than without Accept-Encoding';
  const vary = members(packed.header('vary') ?? '');
  if (!vary.includes('accept-encoding'))
    yield `got Vary ${vary.join(', ')}, expected it to include Accept-Encoding`;
  const [etag, other] = [packed.header('etag'), plain.header('etag')];
  if (etag === undefined) yield 'got no ETag';
  else if (etag === other && !etag.startsWith('W/'))
    yield `got ETag ${etag}, the same as without Accept-Encoding, expected another, or a weak one`;
}

export const headersChecks = {
  compression: checkCompression,
  'media-type': headerCheck([], (response) =>
    headerProblem(response, 'Content-Type', 'application/json', () => isJsonType(response)),
  ),
  head: checkHead,
  etag: checkEtag,
  'not-modified': checkNotModified,
  cors: headerCheck([unknownSlug, icon, names], (response) =>
    headerProblem(response, 'Access-Control-Allow-Origin', '*'),
  ),
  nosniff: headerCheck([unknownSlug, icon], noSniffing),
  'page-policy': checkPagePolicy,
  exposed: headerCheck([unknownSlug, { path: `/${paths.META_FILE}` }], (response) => {
    const name = 'Access-Control-Expose-Headers';
    return membersProblem(response, name, commonHeaders[name]);
  }),
  caching: headerCheck([names], (response) =>
    response.status === 404 ? undefined : cachingProblem(apiHeaders)(response),
  ),
  freshness: checkEach(
    () =>
      ['/', `/${paths.META_FILE}`, `/${paths.SEARCH_FILE}`, '/style.css', icon.path].map((path) => ({
        path,
      })),
    (response) => (response.status === 200 ? cachingProblem(freshHeaders)(response) : undefined),
  ),
  'fresh-errors': checkEach(
    () => [
      unknownSlug,
      { path: '/api/gamedata/no-such-kind/' },
      { path: `${paths.listPath('move')}?format=xml` },
      { path: paths.recordPath('item', 'no-such-slug'), headers: { Accept: 'text/html' } },
    ],
    cachingProblem(errorHeaders),
  ),
  vary: headerCheck([unknownSlug], (response) =>
    headerProblem(response, 'Vary', 'it to include Accept', (value) => members(value).includes('accept')),
  ),
  allow: headerCheck([unknownSlug], (response) => membersProblem(response, 'Allow', apiHeaders.Allow)),
};
