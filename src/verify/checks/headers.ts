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
import { type Check, checkEach, checkRequests, isJsonType, type VerifyContext } from './check.ts';

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
const meta: ProbeRequest = { path: `/${paths.META_FILE}` };

/** The members of a list header, in lower case. */
const members = (value = ''): string[] => value.split(',').map((member) => member.trim().toLowerCase());

type Compare = (got?: string, expected?: string) => boolean;
const hasMembers: Compare = (got, expected) => members(got).join() === members(expected).join();
const includes: Compare = (got, expected) =>
  members(expected).every((member) => members(got).includes(member));
/** A strong and a weak ETag, as nginx weakens it later, and lists with and without spaces. */
const isEquivalent: Compare = (got, expected) =>
  hasMembers(got?.replace(/^W\//, ''), expected?.replace(/^W\//, ''));

function headerProblem(
  response: ProbeResponse,
  name: string,
  expected: string | undefined,
  isRight: Compare = (got) => got === expected,
): string | undefined {
  const got = response.header(name);
  return isRight(got, expected) ? undefined : `got ${name} ${got}, expected ${expected}`;
}

/** A check of a header on samples and additional requests. */
const headerCheck = (
  name: string,
  expected: string,
  { also = [], isRight }: { also?: readonly ProbeRequest[]; isRight?: Compare } = {},
): Check =>
  checkEach(
    (context) => [...samples(context), ...also],
    (response) => headerProblem(response, name, expected, isRight),
  );

const cachingProblem = (response: ProbeResponse, expected: { 'Cache-Control': string }): string | undefined =>
  headerProblem(response, 'Cache-Control', expected['Cache-Control'], hasMembers);

/** URLs that may be HTML, and endpoints as a browser requests them. */
const pages: readonly ProbeRequest[] = [
  ...['/', '/index.html', '/browse.html', '/browse/', '/docs/', '/docs/index.html', '/404.html'],
  ...kindNames.map((kind) => paths.listPath(kind)),
].map((path) => ({ path, headers: { Accept: 'text/html' } }));

const conditional = (request: ProbeRequest, etag = ''): ProbeRequest => ({
  ...request,
  headers: { ...request.headers, 'If-None-Match': etag },
});

const checkConditional = checkRequests(samples, async (request, { probe }) => {
  const { header } = await probe.send(request);
  const known = await probe.send(conditional(request, header('etag')));
  const { status } = await probe.send(conditional(request, '"other"'));
  return [
    known,
    (known.status !== 304 || known.text !== '') && `got status ${known.status}, expected 304 without a body`,
    status !== 200 && `got status ${status} with another If-None-Match, expected 200`,
  ];
});

/** Responses that differ have different ETags, and conditional requests are honored. */
const checkTags: Check = async (context, fail) => {
  const seen = new Map<string | undefined, string>();
  for (const response of await context.probe.sendAll(samples(context), (response) => response)) {
    const etag = response.header('etag');
    const other = seen.get(etag) ?? response.text;
    if (etag === undefined) fail(response, 'got no ETag');
    else if (other !== response.text) fail(response, `got ETag ${etag}, which another response has too`);
    seen.set(etag, response.text);
  }
  await checkConditional(context, fail);
};

/** What hosts need not compress, as it fits into one packet. */
const MIN_LENGTH = 1024;
/** Of the API, hosts may compress: then by the same rules. */
const files = [`/${paths.OPENAPI_FILE}`, `/${paths.SEARCH_FILE}`, names.path];
const optional = [paths.listPath('move'), `/${paths.META_FILE}`];

/** The same content as without compression, and a validator of its own, or a weak one. */
const checkCompression = checkRequests(
  () => [...files, ...optional].map((path) => ({ path })),
  async ({ path }, { probe }) => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const plain = await probe.send({ path });
    const packed = await probe.send({ path, headers });
    if (plain.status !== 200 || plain.text.length < MIN_LENGTH) return [packed];
    if (packed.encoding !== 'gzip')
      return [packed, files.includes(path) && `got Content-Encoding ${packed.encoding}, expected gzip`];
    const head = await probe.send({ method: 'HEAD', path, headers });
    const [etag, other] = [packed.header('etag'), plain.header('etag')];
    return [
      packed,
      packed.text !== plain.text && 'got other content than without Accept-Encoding',
      headerProblem(packed, 'Vary', 'it to include Accept-Encoding', (got) =>
        members(got).includes('accept-encoding'),
      ),
      etag === undefined && 'got no ETag',
      etag === other &&
        etag?.startsWith('W/') === false &&
        `got ETag ${etag}, the same as without Accept-Encoding, expected another, or a weak one`,
      head.header('etag') !== etag && `got ETag ${etag}, but ${head.header('etag')} for HEAD`,
    ];
  },
);

/** Caches on the way replace the stored headers by those of 304: https://www.rfc-editor.org/rfc/rfc9110#status.304 */
const checkNotModified = checkRequests(
  (context) =>
    ['identity', 'gzip'].flatMap((encoding) =>
      [...samples(context), ...files.map((path) => ({ path })), icon].map(({ path }) => ({
        path,
        headers: { 'Accept-Encoding': encoding },
      })),
    ),
  async (request, { probe }) => {
    const full = await probe.send(request);
    if (full.status !== 200) return [full];
    const response = await probe.send(conditional(request, full.header('etag')));
    return [
      response,
      response.status !== 304 && `got status ${response.status}, expected 304`,
      ...['ETag', 'Vary', 'Cache-Control'].map((name) =>
        headerProblem(response, name, full.header(name), isEquivalent),
      ),
    ];
  },
);

const checkHead = checkRequests(samples, async (request, { probe }) => {
  const get = await probe.send(request);
  const head = await probe.send({ ...request, method: 'HEAD' });
  return [
    head,
    head.status !== get.status && `got status ${head.status}, expected ${get.status}`,
    head.text !== '' && `got a body of ${head.text.length} characters, expected none`,
    headerProblem(head, 'content-type', get.header('content-type')),
    headerProblem(head, 'etag', get.header('etag')),
  ];
});

/** A deployment may have a stricter policy, but not a weaker one. */
const checkPagePolicy = checkRequests(
  () => pages,
  async (request, { probe }) => {
    const response = await probe.send(request);
    if (!response.header('content-type')?.startsWith('text/html')) return [response];
    const got = response.header('content-security-policy')?.split(/\s*;\s*/);
    const policy = htmlHeaders['Content-Security-Policy'].split('; ');
    return [
      response,
      ...policy.map((rule) => !got?.includes(rule) && `got no Content-Security-Policy ${rule}`),
      headerProblem(response, 'X-Content-Type-Options', 'nosniff'),
    ];
  },
);

export const headersChecks = {
  compression: checkCompression,
  'media-type': headerCheck('Content-Type', 'application/json', { isRight: isJsonType }),
  head: checkHead,
  etag: checkTags,
  'not-modified': checkNotModified,
  cors: headerCheck('Access-Control-Allow-Origin', '*', { also: [unknownSlug, icon, names] }),
  nosniff: headerCheck('X-Content-Type-Options', 'nosniff', { also: [unknownSlug, icon] }),
  'page-policy': checkPagePolicy,
  exposed: headerCheck('Access-Control-Expose-Headers', commonHeaders['Access-Control-Expose-Headers'], {
    also: [unknownSlug, meta],
    isRight: includes,
  }),
  caching: checkEach(
    (context) => [...samples(context), names],
    (response) => response.status !== 404 && cachingProblem(response, apiHeaders),
  ),
  freshness: checkEach(
    () => [{ path: '/' }, meta, { path: `/${paths.SEARCH_FILE}` }, { path: '/style.css' }, icon],
    (response) => response.status === 200 && cachingProblem(response, freshHeaders),
  ),
  'fresh-errors': checkEach(
    () => [
      unknownSlug,
      { path: '/api/gamedata/no-such-kind/' },
      { path: `${paths.listPath('move')}?format=xml` },
      { path: paths.recordPath('item', 'no-such-slug'), headers: { Accept: 'text/html' } },
    ],
    (response) => cachingProblem(response, errorHeaders),
  ),
  vary: headerCheck('Vary', 'it to include Accept', {
    also: [unknownSlug],
    isRight: (got) => members(got).includes('accept'),
  }),
  allow: headerCheck('Allow', apiHeaders.Allow, { also: [unknownSlug], isRight: includes }),
};
