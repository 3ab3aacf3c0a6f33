import type { ProbeRequest, ProbeResponse } from '../upstream/probe.ts';
import type { ExpectedResponse, ExpectedSite, PlannedRequest } from './expected.ts';

/**
 * A request, the response from the deployment, and the response that the contract
 * expects.
 */
export interface Exchange {
  readonly request: PlannedRequest;
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

function compareStatus(
  { status }: ProbeResponse,
  ...expected: readonly number[]
): Problem {
  if (expected.includes(status)) return undefined;
  return `got status ${status}, expected ${expected.join(' or ')}`;
}

export const matchStatus: Comparator = ({ got, expected }) =>
  compareStatus(got, expected.status);

/** Accepts a response to OPTIONS with or without a body. */
export const acceptOptions: Comparator = ({ got }) => compareStatus(got, 200, 204);

/** Compares the status and the JSON. */
export const matchJson: Comparator = ({ request, got, expected }) => {
  const statusProblem = compareStatus(got, expected.status);
  if (statusProblem !== undefined) return statusProblem;
  if (got.text === expected.text) return undefined;
  // On static hosts, each page is a prebuilt file, so its links always have
  // `format=api`, even if the request has `format=json`.
  const builtText = expected.text.replaceAll('?format=json&', '?format=api&');
  const wantsJson = request.path.includes('format=json');
  if (wantsJson && got.text === builtText) return undefined;
  return describeDifference(got.text, expected.text);
};

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

/** Compares the status, the media type and the JSON of an error. */
export const matchError: Comparator = ({ got, expected }) => {
  const problem = compareStatus(got, expected.status) ?? findTypeProblem(got);
  if (problem !== undefined) return problem;
  // Only hosts that run code include the method in the body of a 405 response.
  const textWithoutMethod = expected.text.replace(QUOTED_METHOD, '');
  const texts = [expected.text, textWithoutMethod];
  if (texts.includes(got.text)) return undefined;
  return describeDifference(got.text, expected.text);
};

/** Matches the method in the JSON `{"detail":"Method \"PUT\" not allowed."}`. */
const QUOTED_METHOD = /\\"\w+\\" /;

function findTypeProblem(response: ProbeResponse): Problem {
  const type = response.header('content-type');
  if (isSameType(type, 'application/json')) return undefined;
  return `got Content-Type ${type}, expected application/json`;
}

/**
 * Accepts the expected page. If a host cannot serve a page range, it must reject the
 * request instead of returning a different page.
 */
export const matchOrReject: Comparator = (exchange) => {
  const { got } = exchange;
  if (got.status === 200) return matchJson(exchange);
  return compareStatus(got, 200, 400, 404) ?? findTypeProblem(got);
};

/**
 * Accepts relative and absolute locations. Rejects a location whose scheme differs
 * from the base URL's scheme, because browsers block mixed content.
 */
export const matchLocation: Comparator = ({ got, expected, site }) => {
  const { base_url: baseUrl } = site.meta;
  const location = got.header('location') ?? '';
  const expectedLocation = expected.header('location');
  if (URL.canParse(location, baseUrl)) {
    const url = new URL(location, baseUrl);
    const isSamePath = url.pathname + url.search === expectedLocation;
    const isSameScheme = url.protocol === new URL(baseUrl).protocol;
    if (isSamePath && isSameScheme) return undefined;
  }
  return `got Location ${location}, expected ${expectedLocation}, relative or with the scheme of ${baseUrl}`;
};

/** Accepts an image, or the redirect of a site that does not store its icons. */
export const acceptImage: Comparator = ({ got, expected }) => {
  const type = got.header('content-type') ?? '';
  const isImage = got.status === 200 && type.startsWith('image/');
  const isRedirect = got.status === 302 && expected.status === 302;
  if (isImage || isRedirect) return undefined;
  return `got status ${got.status} with Content-Type ${type}, expected an image`;
};

/** Returns whether two values of a header are equivalent. */
type IsSame = (got: string | undefined, expected: string | undefined) => boolean;

/** Compares a header with the one that the contract expects. */
export function matchHeader(name: string, isSame = hasMembers): Comparator {
  return ({ got, expected }) => compareHeader(name, got, expected, isSame);
}

function compareHeader(
  name: string,
  gotResponse: Pick<ProbeResponse, 'header'>,
  expectedResponse: Pick<ProbeResponse, 'header'>,
  isSame: IsSame = hasMembers,
): Problem {
  const got = gotResponse.header(name);
  const expected = expectedResponse.header(name);
  if (isSame(got, expected)) return undefined;
  return `got ${name} ${got}, expected ${expected}`;
}

/**
 * Splits the value of a header such as `Accept, Origin` or `a=1; b=2` into its
 * members.
 */
function readMembers(value = ''): string[] {
  const members = value.toLowerCase().split(/[,;]/);
  return members.map((member) => member.trim()).filter((member) => member !== '');
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
  return (
    compareHeader('Content-Type', head, got) ?? compareHeader('ETag', head, got)
  );
};

/**
 * nginx and Apache weaken the ETag of a compressed response, but do not weaken the ETag
 * of its 304.
 */
function toStrong(etag: string | undefined): string | undefined {
  return etag?.replace(/^W\//, '');
}

/**
 * Repeats the request with the response's ETag, and expects a 304. The 304 must have
 * the same headers, because caches replace their stored headers with them. A request
 * with a different ETag must get a 200.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#status.304
 */
export const checkNotModified: Comparator = async ({ request, got, send }) => {
  const etag = got.header('etag');
  if (etag === undefined) return 'got no ETag';
  const unchanged = await send(addCondition(request, etag));
  const unchangedEtag = unchanged.header('etag');
  if (unchanged.status !== 304 || unchanged.text !== '') {
    return `got status ${unchanged.status} with If-None-Match, expected 304 without a body`;
  }
  if (toStrong(unchangedEtag) !== toStrong(etag)) {
    return `got ETag ${unchangedEtag} in a 304, expected ${etag}`;
  }
  const changed = await send(addCondition(request, '"other"'));
  return (
    compareHeader('Vary', unchanged, got) ??
    compareHeader('Cache-Control', unchanged, got) ??
    compareStatus(changed, 200)
  );
};

function addCondition(request: PlannedRequest, etag: string): ProbeRequest {
  const headers = { ...request.headers, 'If-None-Match': etag };
  return { ...request, headers };
}

/** Smaller files fit into a single packet, so hosts need not compress them. */
const MIN_COMPRESSED = 1024;

/**
 * Repeats the request with gzip. The content must be the same. The ETag must be weak or
 * different; otherwise, a cache could combine parts of the compressed and the plain body.
 */
export const checkCompression: Comparator = async ({ request, got, send }) => {
  if (got.body.length < MIN_COMPRESSED) return undefined;
  const headers = { ...request.headers, 'Accept-Encoding': 'gzip' };
  const compressed = await send({ ...request, headers });
  const etag = compressed.header('etag');
  const isWeak = etag?.startsWith('W/');
  if (!isWeak && etag === got.header('etag')) {
    return `got ETag ${etag} with and without compression, expected a different or weak ETag`;
  }
  if (!compressed.body.equals(got.body)) {
    return 'got different content than without Accept-Encoding';
  }
  const encoding = compressed.header('content-encoding');
  if (encoding !== 'gzip') return `got Content-Encoding ${encoding}, expected gzip`;
  const vary = compressed.header('vary');
  if (includesMembers(vary, 'accept-encoding')) return undefined;
  return `got Vary ${vary}, expected it to include Accept-Encoding`;
};
