import { formatValue } from '../contract/parse.ts';
import { API_PREFIX } from '../contract/paths.ts';
import type { ProbeRequest, ProbeResponse } from '../upstream/probe.ts';
import type { ExpectedResponse, ExpectedSite } from './expected.ts';

/**
 * A request, the response from the deployment, and the response that the contract
 * expects.
 */
export interface Exchange {
  readonly request: ProbeRequest;
  readonly got: ProbeResponse;
  readonly expected: ExpectedResponse;
  readonly site: ExpectedSite;
  /** Sends another request, for guarantees that involve several responses. */
  send(request: ProbeRequest): Promise<ProbeResponse>;
}

/**
 * A description such as `got status 404, expected 200`, or undefined if the response
 * is correct.
 */
type Problem = string | undefined;

/** Checks one property of a response. */
export type Comparator = (exchange: Exchange) => Problem | Promise<Problem>;

/** Runs the comparator only for successful responses. */
export function ifOk(compare: Comparator): Comparator {
  return (exchange) => (exchange.got.status === 200 ? compare(exchange) : undefined);
}

export function ifPage(compare: Comparator): Comparator {
  return (exchange) => {
    const isPage =
      exchange.got.header('content-type')?.startsWith('text/html') === true;
    return isPage ? compare(exchange) : undefined;
  };
}

function compareStatus(
  { status }: ProbeResponse,
  ...expected: readonly number[]
): Problem {
  if (expected.includes(status)) return undefined;
  return `got status ${status}, expected ${expected.join(' or ')}`;
}

export const matchStatus: Comparator = ({ got, expected }) =>
  compareStatus(got, expected.status);

export function acceptStatus(...statuses: readonly number[]): Comparator {
  return ({ got }) => compareStatus(got, ...statuses);
}

export const matchJson: Comparator = ({ request, got, expected }) => {
  if (got.text === expected.text) return undefined;
  // The same JSON may be formatted differently.
  const gotText = stringify(got);
  if (gotText === expected.text) return undefined;
  // On static hosts, each page is a prebuilt file, so its links always have
  // `format=api`, even if the request has `format=json`.
  const builtText = expected.text.replaceAll('?format=json&', '?format=api&');
  if (request.path.includes('format=json') && gotText === builtText) {
    return undefined;
  }
  return describeDifference(gotText, expected.text);
};

function stringify({ json, text }: ProbeResponse): string {
  try {
    return JSON.stringify(json) ?? text;
  } catch {
    // `JSON.parse` accepts deeper nesting than `JSON.stringify`.
    return text;
  }
}

/** Quotes both texts, starting shortly before the first difference. */
function describeDifference(got: string, expected: string): string {
  let at = 0;
  while (at < got.length && got[at] === expected[at]) at++;
  const from = Math.max(0, at - 20);
  const mark = from > 0 ? '…' : '';
  const gotPart = got.slice(from, from + 80);
  const expectedPart = expected.slice(from, from + 80);
  return `got ${mark}${gotPart}, expected ${mark}${expectedPart}`;
}

export const matchError: Comparator = ({ got, expected }) => {
  const statusProblem = compareStatus(got, expected.status);
  if (statusProblem !== undefined) return statusProblem;
  const { detail } = JSON.parse(expected.text) as { detail: string };
  return compareError(got, detail);
};

/** Accepts a JSON error with any `detail`. */
export function acceptError(...statuses: readonly number[]): Comparator {
  return ({ got }) => compareStatus(got, ...statuses) ?? compareError(got);
}

function compareError(response: ProbeResponse, expectedDetail?: string): Problem {
  const type = response.header('content-type');
  if (!isSameType(type, 'application/json')) {
    return `got Content-Type ${type}, expected application/json`;
  }
  // The response may be any JSON value, or no JSON at all.
  const { detail } = Object(response.json) as { detail?: unknown };
  if (typeof detail === 'string') {
    if (expectedDetail === undefined || detail === expectedDetail) return undefined;
    // Only hosts that run code include the request's method in the body of a 405
    // response.
    if (detail === expectedDetail.replace(/"\w+" /, '')) return undefined;
  }
  const expected = JSON.stringify({ detail: expectedDetail ?? '…' });
  return `got ${formatValue(response.json)}, expected ${expected}`;
}

const rejectRequest = acceptError(400, 404);

/**
 * Accepts the expected page. If a host cannot serve a page range, it must reject the
 * request instead of returning a different page.
 */
export const matchOrReject: Comparator = (exchange) =>
  exchange.got.status === 200 ? matchJson(exchange) : rejectRequest(exchange);

/**
 * Accepts relative and absolute locations. Rejects a location whose scheme differs
 * from the base URL's scheme, because browsers block mixed content.
 */
export const matchLocation: Comparator = ({ got, expected, site }) => {
  const { baseUrl } = site.linkBase;
  const location = got.header('location') ?? '';
  const url = new URL(URL.canParse(location, baseUrl) ? location : '/', baseUrl);
  const isSamePath = url.pathname + url.search === expected.headers.Location;
  const isSameScheme = url.protocol === new URL(baseUrl).protocol;
  if (isSamePath && isSameScheme) return undefined;
  return `got Location ${location}, expected ${expected.headers.Location}, relative or with the scheme of ${baseUrl}`;
};

/**
 * Accepts an image. If the site does not store the icon, also accepts a redirect to
 * another host.
 */
export const acceptImage: Comparator = ({ got, expected }) => {
  const type = got.header('content-type');
  const isImage = got.status === 200 && type?.startsWith('image/');
  if (isImage) return undefined;
  if (expected.status !== 302) {
    return `got status ${got.status}, ${type}, expected an image`;
  }
  const isRedirect =
    got.status === 302 && /^https?:/.test(got.header('location') ?? '');
  if (isRedirect) return undefined;
  return `got status ${got.status}, ${type}, expected an image or a redirect to one`;
};

/** Returns whether two values of a header are equivalent. */
type IsSame = (got: string | undefined, expected: string | undefined) => boolean;
const isEqual: IsSame = (got, expected) => got === expected;

export function matchHeader(name: string, isSame = isEqual): Comparator {
  return ({ got, expected }) =>
    compareHeader(got, name, expected.headers[name], isSame);
}

function compareHeader(
  response: ProbeResponse,
  name: string,
  expected: string | undefined,
  isSame = isEqual,
): Problem {
  const got = response.header(name);
  if (isSame(got, expected)) return undefined;
  return `got ${name} ${got}, expected ${expected}`;
}

/**
 * Splits the value of a header such as `Accept, Origin` or `a=1; b=2` into its
 * members.
 */
function readMembers(value = ''): string[] {
  const members = value.toLowerCase().split(/[,;]/);
  return members.map((member) => member.trim());
}

export const hasMembers: IsSame = (got, expected) =>
  readMembers(got).join() === readMembers(expected).join();

/** Accepts additional members, such as another `Vary` field or a stricter policy. */
export const includesMembers: IsSame = (got, expected) => {
  const gotMembers = readMembers(got);
  return readMembers(expected).every((member) => gotMembers.includes(member));
};

/** Accepts no parameters other than `charset=utf-8`. */
export const isSameType: IsSame = (got = '', expected = '') => {
  const [type, ...parameters] = got.toLowerCase().split(/; */);
  const [expectedType] = expected.split(';');
  if (type !== expectedType) return false;
  return parameters.every((parameter) => parameter === 'charset=utf-8');
};

export const matchHead: Comparator = async ({ request, got, send }) => {
  const head = await send({ ...request, method: 'HEAD' });
  if (head.status !== got.status) {
    return `got status ${head.status} for HEAD, expected ${got.status}`;
  }
  if (head.text !== '') {
    return `got a body of ${head.text.length} characters for HEAD, expected none`;
  }
  return compareHeaders(head, ['Content-Type', 'ETag'], got);
};

/** Returns the first difference between the given headers of two responses. */
function compareHeaders(
  got: ProbeResponse,
  names: readonly string[],
  expected: ProbeResponse,
  isSame = isEqual,
): Problem {
  for (const name of names) {
    const problem = compareHeader(got, name, expected.header(name), isSame);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function addCondition(
  request: ProbeRequest,
  etag: string | undefined,
): ProbeRequest {
  const headers = { ...request.headers, 'If-None-Match': etag };
  return { ...request, headers };
}

/**
 * Checks the ETag with additional requests. It must differ from the ETag of another
 * response, a request that sends it must get a 304, and a request with a different
 * ETag must get a 200.
 */
export const checkETag: Comparator = async ({ request, got, send }) => {
  const etag = got.header('etag');
  if (etag === undefined) return 'got no ETag';
  const root = await send({ path: API_PREFIX });
  const isOtherResponse = root.text.length !== got.text.length;
  if (isOtherResponse && root.header('etag') === etag) {
    return `got ETag ${etag}, the same as ${API_PREFIX}`;
  }
  const unchanged = await send(addCondition(request, etag));
  if (unchanged.status !== 304 || unchanged.text !== '') {
    return `got status ${unchanged.status}, expected 304 without a body`;
  }
  const changed = await send(addCondition(request, '"other"'));
  if (changed.status === 200) return undefined;
  return `got status ${changed.status} with a different If-None-Match, expected 200`;
};

/**
 * nginx weakens a response's ETag when it compresses the body, but does not weaken
 * it in a 304.
 */
const hasMembersIfStrong: IsSame = (got, expected) => {
  const toStrong = (value?: string): string | undefined =>
    value?.replace(/^W\//, '');
  return hasMembers(toStrong(got), toStrong(expected));
};

/**
 * Checks the headers of a 304, because caches replace their stored headers with
 * them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#status.304
 */
export const checkNotModified: Comparator = async ({ request, got, send }) => {
  if (got.status !== 200) return undefined;
  const unchanged = await send(addCondition(request, got.header('etag')));
  const names = ['ETag', 'Vary', 'Cache-Control'];
  return (
    compareStatus(unchanged, 304) ??
    compareHeaders(unchanged, names, got, hasMembersIfStrong)
  );
};

/** Smaller files fit into a single packet, so hosts need not compress them. */
const MIN_COMPRESSED = 1024;

/**
 * Repeats the request with gzip. The content must be the same, and the ETag must be
 * different or weak.
 *
 * @param isRequired whether the host must compress the file
 */
export function checkCompression(isRequired: boolean): Comparator {
  return async ({ request, got: plain, send }) => {
    if (plain.status !== 200 || plain.text.length < MIN_COMPRESSED) return undefined;
    const headers = { 'Accept-Encoding': 'gzip' };
    const compressed = await send({ ...request, headers });
    if (compressed.encoding !== 'gzip') {
      if (!isRequired) return undefined;
      return `got Content-Encoding ${compressed.encoding}, expected gzip`;
    }
    if (compressed.text !== plain.text) {
      return 'got different content than without Accept-Encoding';
    }
    const vary = compressed.header('vary');
    if (!includesMembers(vary, 'accept-encoding')) {
      return `got Vary ${vary}, expected it to include Accept-Encoding`;
    }
    const etag = compressed.header('etag');
    if (etag === undefined) return 'got no ETag';
    // With the same strong ETag, a cache could combine parts of the compressed and
    // the plain body.
    const isStrong = !etag.startsWith('W/');
    if (isStrong && etag === plain.header('etag')) {
      return `got ETag ${etag}, the same as without Accept-Encoding, expected a different or weak ETag`;
    }
    const head = await send({ ...request, method: 'HEAD', headers });
    return compareHeader(head, 'ETag', etag);
  };
}
