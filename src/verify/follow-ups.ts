/** Comparators that send further requests: a response must fit the one before. */

import { API_PREFIX } from '../contract/paths.ts';
import type { ProbeRequest, ProbeResponse } from '../http/probe.ts';
import { type Comparator, expectHeader, hasMembers, includesMembers, type Problem } from './comparators.ts';

/** Sends the request as HEAD. */
export const sameHead: Comparator = async ({ request, got, send }) => {
  const head = await send({ ...request, method: 'HEAD' });
  if (head.status !== got.status) return `got status ${head.status} for HEAD, expected ${got.status}`;
  if (head.text !== '') return `got a body of ${head.text.length} characters for HEAD, expected none`;
  return findDifferentHeader(head, got, ['Content-Type', 'ETag']);
};

const findDifferentHeader = (
  got: ProbeResponse,
  expected: ProbeResponse,
  names: readonly string[],
  isSame?: Parameters<typeof expectHeader>[3],
): Problem =>
  names.map((name) => expectHeader(got, name, expected.header(name), isSame)).find((problem) => problem);

const makeConditional = (request: ProbeRequest, etag: string | undefined): ProbeRequest => ({
  ...request,
  headers: { ...request.headers, 'If-None-Match': etag },
});

/** Revalidates the response with its ETag and with another one. */
export const hasETag: Comparator = async ({ request, got, send }) => {
  const etag = got.header('etag');
  if (etag === undefined) return 'got no ETag';
  const root = await send({ path: API_PREFIX });
  if (root.header('etag') === etag && root.text.length !== got.text.length)
    return `got ETag ${etag}, which ${API_PREFIX} has, too`;
  const known = await send(makeConditional(request, etag));
  if (known.status !== 304 || known.text !== '')
    return `got status ${known.status}, expected 304 without a body`;
  const { status } = await send(makeConditional(request, '"other"'));
  return status !== 200 && `got status ${status} with another If-None-Match, expected 200`;
};

/** Caches replace their stored headers with those of a 304: https://www.rfc-editor.org/rfc/rfc9110#status.304 */
export const sameNotModified: Comparator = async ({ request, got, send }) => {
  if (got.status !== 200) return undefined;
  const response = await send(makeConditional(request, got.header('etag')));
  if (response.status !== 304) return `got status ${response.status}, expected 304`;
  // nginx weakens the ETag of a response that it compresses, but not of a 304.
  const toStrong = (value?: string) => value?.replace(/^W\//, '');
  return findDifferentHeader(response, got, ['ETag', 'Vary', 'Cache-Control'], (a, b) =>
    hasMembers(toStrong(a), toStrong(b)),
  );
};

/** Smaller files fit into one packet, so hosts need not compress them. */
const MIN_COMPRESSED = 1024;

/**
 * Requests the same with gzip: expects the same content, and another ETag or a weak one.
 *
 * @param isRequired whether hosts must compress the file
 */
export const sameCompressed =
  (isRequired: boolean): Comparator =>
  async ({ request, got: plain, send }) => {
    if (plain.status !== 200 || plain.text.length < MIN_COMPRESSED) return undefined;
    const headers = { 'Accept-Encoding': 'gzip' };
    const got = await send({ ...request, headers });
    if (got.encoding !== 'gzip') return isRequired && `got Content-Encoding ${got.encoding}, expected gzip`;
    const [etag, vary] = [got.header('etag'), got.header('vary')];
    if (got.text !== plain.text) return 'got other content than without Accept-Encoding';
    if (!includesMembers(vary, 'accept-encoding'))
      return `got Vary ${vary}, expected it to include Accept-Encoding`;
    if (etag === undefined) return 'got no ETag';
    if (etag === plain.header('etag') && !etag.startsWith('W/'))
      return `got ETag ${etag}, the same as without Accept-Encoding, expected another or a weak one`;
    const head = await send({ ...request, method: 'HEAD', headers });
    return expectHeader(head, 'ETag', etag);
  };
