import { formatValue } from '../contract/parse.ts';
import { API_PREFIX } from '../contract/paths.ts';
import type { ProbeRequest, ProbeResponse } from '../http/probe.ts';
import type { ExpectedResponse, ExpectedSite } from './expected.ts';

export interface Exchange {
  readonly request: ProbeRequest;
  readonly got: ProbeResponse;
  readonly expected: ExpectedResponse;
  readonly site: ExpectedSite;
  send(request: ProbeRequest): Promise<ProbeResponse>;
}

type Problem = string | false | undefined;
export type Comparator = (exchange: Exchange) => Problem | Promise<Problem>;

/** Skips errors, because deployments not built by gamedata may lack some files. */
export const ifOk =
  (compare: Comparator): Comparator =>
  (exchange) =>
    exchange.got.status === 200 && compare(exchange);

export const ifPage =
  (compare: Comparator): Comparator =>
  (exchange) =>
    exchange.got.header('content-type')?.startsWith('text/html') && compare(exchange);

const compareStatus = ({ status }: ProbeResponse, ...expected: readonly number[]): Problem =>
  !expected.includes(status) && `got status ${status}, expected ${expected.join(' or ')}`;

export const matchStatus: Comparator = ({ got, expected }) => compareStatus(got, expected.status);

export const acceptStatus =
  (...statuses: readonly number[]): Comparator =>
  ({ got }) =>
    compareStatus(got, ...statuses);

export const matchJson: Comparator = ({ request, got, expected }) => {
  const wanted = expected.text;
  if (got.text === wanted) return undefined;
  const found = stringify(got);
  // Links in built pages cannot repeat the request's format.
  const built = wanted.replaceAll('?format=json&', '?format=api&');
  const isSame = found === wanted || (request.path.includes('format=json') && found === built);
  return !isSame && describeDifference(found, wanted);
};

function stringify({ json, text }: ProbeResponse): string {
  try {
    return JSON.stringify(json) ?? text;
  } catch {
    return text;
  }
}

/** Quotes both texts from just before the first difference. */
function describeDifference(got: string, expected: string): string {
  let at = 0;
  while (at < got.length && got[at] === expected[at]) at++;
  const from = Math.max(0, at - 20);
  const cut = (text: string): string => `${from > 0 ? '…' : ''}${text.slice(from, from + 80)}`;
  return `got ${cut(got)}, expected ${cut(expected)}`;
}

export const matchRoot: Comparator = async (exchange) => {
  const problem = await matchJson(exchange);
  const [, baseUrl] = /"(https?:[^"]*)\/api\/gamedata\//.exec(exchange.got.text) ?? [];
  if (!problem || baseUrl === undefined || baseUrl === exchange.site.linkBase.baseUrl)
    return problem;
  return `${problem}; if the site was built for that base URL, use --link-base ${baseUrl}`;
};

/** Compares JSON errors. Only hosts that run code name the method in a 405. */
export const matchError: Comparator = ({ got, expected }) =>
  compareStatus(got, expected.status) || compareError(got, JSON.parse(expected.text).detail);

export const acceptError =
  (...statuses: readonly number[]): Comparator =>
  ({ got }) =>
    compareStatus(got, ...statuses) || compareError(got);

function compareError(response: ProbeResponse, expected?: string): Problem {
  const type = response.header('content-type');
  if (!isSameType(type, 'application/json'))
    return `got Content-Type ${type}, expected application/json`;
  const { detail } = Object(response.json);
  const isSame = [expected, expected?.replace(/"\w+" /, '')].includes(detail);
  if (typeof detail === 'string' && (expected === undefined || isSame)) return undefined;
  return `got ${formatValue(response.json)}, expected ${JSON.stringify({ detail: expected ?? '…' })}`;
}

/** A host that cannot serve a page range must reject the request instead of returning another page. */
export const matchOrReject: Comparator = (exchange) =>
  exchange.got.status === 200 ? matchJson(exchange) : acceptError(400, 404)(exchange);

/** Rejects a `Location` whose scheme differs from the base URL's scheme, because browsers block mixed content. */
export const matchLocation: Comparator = ({ got, expected: { headers }, site: { linkBase } }) => {
  const { baseUrl } = linkBase;
  const location = got.header('location') ?? '';
  const { protocol, pathname, search } = new URL(
    URL.canParse(location, baseUrl) ? location : '/',
    baseUrl,
  );
  if (pathname + search === headers.Location && protocol === new URL(baseUrl).protocol)
    return undefined;
  return `got Location ${location}, expected ${headers.Location}, relative or with the scheme of ${baseUrl}`;
};

/** Accepts a redirect to another host if the site does not have the icon. */
export const acceptImage: Comparator = ({ got, expected }) => {
  const type = got.header('content-type');
  if (got.status === 200 && type?.startsWith('image/')) return undefined;
  const isLinked = expected.status === 302;
  if (isLinked && got.status === 302 && /^https?:/.test(got.header('location') ?? ''))
    return undefined;
  return `got status ${got.status}, ${type}, expected an image${isLinked ? ' or a redirect to one' : ''}`;
};

type Compare = (got: string | undefined, expected: string | undefined) => boolean;
const isEqual: Compare = (got, expected) => got === expected;

export const matchHeader =
  (name: string, isSame = isEqual): Comparator =>
  ({ got, expected }) =>
    compareHeader(got, name, expected.headers[name], isSame);

function compareHeader(
  response: ProbeResponse,
  name: string,
  expected: string | undefined,
  isSame = isEqual,
): Problem {
  const got = response.header(name);
  return !isSame(got, expected) && `got ${name} ${got}, expected ${expected}`;
}

const readMembers = (value = ''): string[] => {
  const members = value.toLowerCase().split(/[,;]/);
  return members.map((member) => member.trim());
};

export const hasMembers: Compare = (got, expected) =>
  readMembers(got).join() === readMembers(expected).join();

/** Accepts additional members, such as another `Vary` field or a stricter policy. */
export const includesMembers: Compare = (got, expected) =>
  readMembers(expected).every((member) => readMembers(got).includes(member));

export const isSameType: Compare = (got = '', expected = '') => {
  const [type, ...parameters] = got.toLowerCase().split(/; */);
  return type === expected.split(';')[0] && parameters.every((one) => one === 'charset=utf-8');
};

export const matchHead: Comparator = async ({ request, got, send }) => {
  const head = await send({ ...request, method: 'HEAD' });
  if (head.status !== got.status)
    return `got status ${head.status} for HEAD, expected ${got.status}`;
  if (head.text !== '')
    return `got a body of ${head.text.length} characters for HEAD, expected none`;
  return compareHeaders(head, ['Content-Type', 'ETag'], got);
};

const compareHeaders = (
  got: ProbeResponse,
  names: readonly string[],
  expected: ProbeResponse,
  isSame = isEqual,
) =>
  names
    .map((name) => compareHeader(got, name, expected.header(name), isSame))
    .find((problem) => problem);

const addCondition = (request: ProbeRequest, etag: string | undefined): ProbeRequest => ({
  ...request,
  headers: { ...request.headers, 'If-None-Match': etag },
});

export const checkETag: Comparator = async ({ request, got, send }) => {
  const etag = got.header('etag');
  if (etag === undefined) return 'got no ETag';
  const root = await send({ path: API_PREFIX });
  if (root.header('etag') === etag && root.text.length !== got.text.length)
    return `got ETag ${etag}, the same as ${API_PREFIX}`;
  const known = await send(addCondition(request, etag));
  if (known.status !== 304 || known.text !== '')
    return `got status ${known.status}, expected 304 without a body`;
  const { status } = await send(addCondition(request, '"other"'));
  return status !== 200 && `got status ${status} with a different If-None-Match, expected 200`;
};

/** Caches replace stored headers with the headers of a 304: https://www.rfc-editor.org/rfc/rfc9110#status.304 */
export const checkNotModified: Comparator = async ({ request, got, send }) => {
  if (got.status !== 200) return undefined;
  const response = await send(addCondition(request, got.header('etag')));
  // nginx weakens the ETag of a response that it compresses, but not of a 304.
  const toStrong = (value?: string) => value?.replace(/^W\//, '');
  const isSame: Compare = (a, b) => hasMembers(toStrong(a), toStrong(b));
  const names = ['ETag', 'Vary', 'Cache-Control'];
  return compareStatus(response, 304) || compareHeaders(response, names, got, isSame);
};

/** Smaller files fit into one packet, so hosts need not compress them. */
const MIN_COMPRESSED = 1024;

/**
 * Repeats the request with gzip and expects the same content with a different or weak ETag.
 *
 * @param isRequired whether hosts must compress the file
 */
export const checkCompression =
  (isRequired: boolean): Comparator =>
  async ({ request, got: plain, send }) => {
    if (plain.status !== 200 || plain.text.length < MIN_COMPRESSED) return undefined;
    const headers = { 'Accept-Encoding': 'gzip' };
    const got = await send({ ...request, headers });
    if (got.encoding !== 'gzip')
      return isRequired && `got Content-Encoding ${got.encoding}, expected gzip`;
    const [etag, vary] = [got.header('etag'), got.header('vary')];
    if (got.text !== plain.text) return 'got different content than without Accept-Encoding';
    if (!includesMembers(vary, 'accept-encoding'))
      return `got Vary ${vary}, expected it to include Accept-Encoding`;
    if (etag === undefined) return 'got no ETag';
    if (etag === plain.header('etag') && !etag.startsWith('W/'))
      return `got ETag ${etag}, the same as without Accept-Encoding, expected a different or weak ETag`;
    return compareHeader(await send({ ...request, method: 'HEAD', headers }), 'ETag', etag);
  };
