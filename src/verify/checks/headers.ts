/** Checks of headers, on samples of every kind of response, and of compressed responses. */

import { fileRows } from '../../contract/files.ts';
import * as contract from '../../contract/headers.ts';
import { kindNames } from '../../contract/kinds.ts';
import * as paths from '../../contract/paths.ts';
import { PAGE_SIZE, pageOffsets } from '../../contract/windows.ts';
import type { ProbeRequest, ProbeResponse } from '../../http/probe.ts';
import {
  type Check,
  checkEach,
  checkRequests,
  isJsonType,
  toRequests,
  unknownRecords,
  type VerifyContext,
} from './check.ts';

/** First and last page, first and last record of each kind, and other paths. */
function samples({ linkBase, lists }: VerifyContext, also: readonly string[] = [], headers = {}) {
  const urls = kindNames.flatMap((kind) => {
    const { count, records } = lists[kind];
    const last = { limit: PAGE_SIZE, offset: pageOffsets(count).at(-1) ?? 0 };
    const ends = [...records.slice(0, 1), ...records.slice(-1)];
    const own = ends.map(({ slug }) => paths.recordUrl(linkBase, kind, slug));
    return [paths.listUrl(linkBase, kind), paths.listUrl(linkBase, kind, last), ...own];
  });
  return toRequests([...urls.map((url) => url.slice(linkBase.baseUrl.length)), ...also], headers);
}

const namesIndex = `/${paths.NAMES_INDEX_FILE}`;
const icon = `/${paths.PLACEHOLDER_ICON}`;
const siteFiles = fileRows.site.map(({ path }) => `/${path}`).filter((path) => !path.includes('{'));

/** The members of a list header, in lower case. */
const members = (value = ''): string[] => value.split(',').map((member) => member.trim().toLowerCase());

type Compare = (got?: string, expected?: string) => boolean;
const isEqual: Compare = (got, expected) => got === expected;
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
  isRight = isEqual,
): string | undefined {
  const got = response.header(name);
  return isRight(got, expected) ? undefined : `got ${name} ${got}, expected ${expected}`;
}

/** A check of a header on samples and other paths. */
const headerCheck = (name: string, expected: string, also: readonly string[], isRight?: Compare): Check =>
  checkEach(
    (context) => samples(context, also),
    (response) => headerProblem(response, name, expected, isRight),
  );

/** A check of a header that every response has. Sites of earlier versions lack some files. */
const commonCheck = (
  name: keyof typeof contract.commonHeaders,
  also: readonly string[],
  isRight?: Compare,
): Check =>
  checkEach(
    (context) => samples(context, [...unknownRecords, ...also, ...siteFiles]),
    (response, { path }) =>
      (response.status !== 404 || also.includes(path) || !siteFiles.includes(path)) &&
      headerProblem(response, name, contract.commonHeaders[name], isRight),
  );

const cachingProblem = (response: ProbeResponse, expected: { 'Cache-Control': string }): string | undefined =>
  headerProblem(response, 'Cache-Control', expected['Cache-Control'], hasMembers);

/** URLs that may be HTML, and endpoints. */
const pages = [
  ...['/', '/index.html', '/browse.html', '/browse/', '/docs/', '/docs/index.html', '/404.html'],
  ...kindNames.map(paths.listPath),
];

const conditional = (request: ProbeRequest, etag = ''): ProbeRequest => ({
  ...request,
  headers: { ...request.headers, 'If-None-Match': etag },
});

/**
 * Responses of different sizes have different ETags. Those of files are made of their time and size, and a tag is compared with
 * others of its URL only.
 */
const checkTags: Check = async (context, fail) => {
  const seen = new Map<string | undefined, number>();
  for (const response of await context.probe.sendAll(samples(context), (response) => response)) {
    const etag = response.header('etag');
    const size = Buffer.byteLength(response.text);
    if (etag === undefined) fail(response, 'got no ETag');
    else if ((seen.get(etag) ?? size) !== size)
      fail(response, `got ETag ${etag}, which another response has too`);
    seen.set(etag, size);
  }
};

/** What hosts need not compress, as it fits into one packet. */
const MIN_LENGTH = 1024;
const compressed = [`/${paths.OPENAPI_FILE}`, `/${paths.SEARCH_FILE}`, namesIndex];
/** Hosts may compress these: then by the same rules. */
const optional = [...kindNames.map(paths.listPath), `/${paths.META_FILE}`];

export const headersChecks = {
  /** The same content as without compression, and a validator of its own, or a weak one. */
  compression: checkRequests(
    () => toRequests([...compressed, ...optional]),
    async ({ path }, { probe }) => {
      const headers = { 'Accept-Encoding': 'gzip' };
      const plain = await probe.send({ path });
      const packed = await probe.send({ path, headers });
      if (plain.status !== 200 || plain.text.length < MIN_LENGTH) return [packed];
      if (packed.encoding !== 'gzip')
        return [packed, !optional.includes(path) && `got Content-Encoding ${packed.encoding}, expected gzip`];
      const head = await probe.send({ method: 'HEAD', path, headers });
      const [etag, other] = [packed.header('etag'), plain.header('etag')];
      return [
        packed,
        packed.text !== plain.text && 'got other content than without Accept-Encoding',
        headerProblem(packed, 'Vary', 'it to include Accept-Encoding', (got) =>
          includes(got, 'accept-encoding'),
        ),
        etag === undefined && 'got no ETag',
        etag === other &&
          etag?.startsWith('W/') === false &&
          `got ETag ${etag}, the same as without Accept-Encoding, expected another, or a weak one`,
        head.header('etag') !== etag && `got ETag ${etag}, but ${head.header('etag')} for HEAD`,
      ];
    },
  ),
  'media-type': headerCheck('Content-Type', contract.mediaTypes['.json'], [], isJsonType),
  head: checkRequests(
    (context) => samples(context),
    async (request, { probe }) => {
      const get = await probe.send(request);
      const head = await probe.send({ ...request, method: 'HEAD' });
      return [
        head,
        head.status !== get.status && `got status ${head.status}, expected ${get.status}`,
        head.text !== '' && `got a body of ${head.text.length} characters, expected none`,
        ...['content-type', 'etag'].map((name) => headerProblem(head, name, get.header(name))),
      ];
    },
  ),
  etag: [
    checkTags,
    checkRequests(
      (context) => samples(context),
      async (request, { probe }) => {
        const { header } = await probe.send(request);
        const known = await probe.send(conditional(request, header('etag')));
        const { status } = await probe.send(conditional(request, '"other"'));
        return [
          known,
          (known.status !== 304 || known.text !== '') &&
            `got status ${known.status}, expected 304 without a body`,
          status !== 200 && `got status ${status} with another If-None-Match, expected 200`,
        ];
      },
    ),
  ],
  /** Caches on the way replace the stored headers by those of 304: https://www.rfc-editor.org/rfc/rfc9110#status.304 */
  'not-modified': checkRequests(
    (context) =>
      ['identity', 'gzip'].flatMap((encoding) =>
        samples(context, [...compressed, icon], { 'Accept-Encoding': encoding }),
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
  ),
  cors: commonCheck('Access-Control-Allow-Origin', [icon, namesIndex]),
  nosniff: commonCheck('X-Content-Type-Options', [icon]),
  /** A deployment may have a stricter policy, but not a weaker one. */
  'page-policy': checkRequests(
    () => toRequests(pages, { Accept: 'text/html' }),
    async (request, { probe }) => {
      const response = await probe.send(request);
      if (!response.header('content-type')?.startsWith('text/html')) return [response];
      const got = response.header('content-security-policy')?.split(/\s*;\s*/);
      const policy = contract.htmlHeaders['Content-Security-Policy'].split('; ');
      return [
        response,
        ...policy.map((rule) => !got?.includes(rule) && `got no Content-Security-Policy ${rule}`),
        headerProblem(response, 'X-Content-Type-Options', 'nosniff'),
      ];
    },
  ),
  exposed: commonCheck('Access-Control-Expose-Headers', [`/${paths.META_FILE}`], includes),
  caching: checkEach(
    (context) => samples(context, [namesIndex]),
    (response) => response.status !== 404 && cachingProblem(response, contract.apiHeaders),
  ),
  freshness: checkEach(
    () => toRequests([...siteFiles, icon, '/', '/style.css']),
    (response) => response.status === 200 && cachingProblem(response, contract.freshHeaders),
  ),
  'fresh-errors': checkEach(
    () => [
      ...toRequests([...unknownRecords, `${paths.API_PREFIX}no-such-kind/`]),
      ...toRequests(unknownRecords, { Accept: 'text/html' }),
      ...toRequests(kindNames.map((kind) => `${paths.listPath(kind)}?format=xml`)),
    ],
    (response) => cachingProblem(response, contract.errorHeaders),
  ),
  vary: headerCheck('Vary', 'it to include Accept', unknownRecords, (got) =>
    includes(got, contract.apiHeaders.Vary),
  ),
  allow: headerCheck('Allow', contract.apiHeaders.Allow, unknownRecords, includes),
};
