/** How the response of a deployment is compared with the request handler's. */

import { formatValue } from '../contract/parse.ts';
import type { ProbeRequest, ProbeResponse } from '../http/probe.ts';
import type { ExpectedResponse, ExpectedSite } from './expected.ts';

export interface Exchange {
  readonly request: ProbeRequest;
  readonly got: ProbeResponse;
  readonly expected: ExpectedResponse;
  readonly site: ExpectedSite;
  /** Sends another request to the deployment. */
  send(request: ProbeRequest): Promise<ProbeResponse>;
}

export type Problem = string | false | undefined;

/** Returns the first difference that matters. */
export type Comparator = (exchange: Exchange) => Problem | Promise<Problem>;

/** Skips other responses. Deployments of other programs may lack some files. */
export const ifOk =
  (compare: Comparator): Comparator =>
  (exchange) =>
    exchange.got.status === 200 && compare(exchange);

export const ifPage =
  (compare: Comparator): Comparator =>
  (exchange) =>
    exchange.got.header('content-type')?.startsWith('text/html') && compare(exchange);

const expectStatus = ({ status }: ProbeResponse, ...expected: readonly number[]): Problem =>
  !expected.includes(status) && `got status ${status}, expected ${expected.join(' or ')}`;

export const sameStatus: Comparator = ({ got, expected }) => expectStatus(got, expected.status);

/** Ignores the handler's status. */
export const hasStatus =
  (...statuses: readonly number[]): Comparator =>
  ({ got }) =>
    expectStatus(got, ...statuses);

export const sameJson: Comparator = ({ request, got, expected }) => {
  const wanted = expected.text;
  if (got.text === wanted) return undefined;
  const found = stringify(got);
  // Built pages cannot keep the format of the request in their links.
  const built = wanted.replaceAll('?format=json&', '?format=api&');
  const isSame = found === wanted || (request.path.includes('format=json') && found === built);
  return !isSame && describeDifference(found, wanted);
};

function stringify({ json, text }: ProbeResponse): string {
  try {
    return JSON.stringify(json) ?? text;
  } catch {
    // The value is nested too deeply.
    return text;
  }
}

/** Shows both texts from shortly before the first difference. */
function describeDifference(got: string, expected: string): string {
  let at = 0;
  while (at < got.length && got[at] === expected[at]) at++;
  const from = Math.max(0, at - 20);
  const cut = (text: string): string => `${from > 0 ? '…' : ''}${text.slice(from, from + 80)}`;
  return `got ${cut(got)}, expected ${cut(expected)}`;
}

/** Suggests an option if the links have another base URL. */
export const sameRoot: Comparator = async (exchange) => {
  const problem = await sameJson(exchange);
  const [, baseUrl] = /"(https?:[^"]*)\/api\/gamedata\//.exec(exchange.got.text) ?? [];
  if (!problem || baseUrl === undefined || baseUrl === exchange.site.linkBase.baseUrl) return problem;
  return `${problem}; if the site was built for that base URL, use --link-base ${baseUrl}`;
};

/** Compares the JSON of errors. Only hosts that run code name the method in a 405. */
export const sameError: Comparator = ({ got, expected }) => {
  const { detail } = JSON.parse(expected.text);
  return expectStatus(got, expected.status) || expectError(got, detail);
};

/** Accepts a JSON error with one of these statuses. */
export const isError =
  (...statuses: readonly number[]): Comparator =>
  ({ got }) =>
    expectStatus(got, ...statuses) || expectError(got);

function expectError(response: ProbeResponse, expected?: string): Problem {
  const type = response.header('content-type');
  if (!isSameType(type, 'application/json')) return `got Content-Type ${type}, expected application/json`;
  const { detail } = Object(response.json);
  const withoutMethod = (text: unknown): string => String(text).replace(/"\w+" /, '');
  const isRight =
    typeof detail === 'string' &&
    [undefined, withoutMethod(detail)].includes(expected && withoutMethod(expected));
  return (
    !isRight && `got ${formatValue(response.json)}, expected ${JSON.stringify({ detail: expected ?? '…' })}`
  );
}

/** A host that cannot serve a page range must reject it, and never return another page. */
export const sameOrRejected: Comparator = (exchange) =>
  exchange.got.status === 200 ? sameJson(exchange) : isError(400, 404)(exchange);

/** Accepts a relative `Location`, or one with the base URL's scheme, because browsers block mixed content. */
export const sameLocation: Comparator = ({ got, expected: { headers }, site: { linkBase } }) => {
  const { baseUrl } = linkBase;
  const location = got.header('location') ?? '';
  const { protocol, pathname, search } = new URL(URL.canParse(location, baseUrl) ? location : '/', baseUrl);
  if (pathname + search === headers.Location && protocol === new URL(baseUrl).protocol) return undefined;
  return `got Location ${location}, expected ${headers.Location}, relative or with the scheme of ${baseUrl}`;
};

/** Accepts a redirect to another host if the site does not have the icon. */
export const isImage: Comparator = ({ got, expected }) => {
  const type = got.header('content-type');
  if (got.status === 200 && type?.startsWith('image/')) return undefined;
  const isLinked = expected.status === 302;
  if (isLinked && got.status === 302 && /^https?:/.test(got.header('location') ?? '')) return undefined;
  return `got status ${got.status}, ${type}, expected an image${isLinked ? ' or a redirect to one' : ''}`;
};

type Compare = (got: string | undefined, expected: string | undefined) => boolean;
const isEqual: Compare = (got, expected) => got === expected;

/** Compares a header with the handler's. */
export const sameHeader =
  (name: string, isSame = isEqual): Comparator =>
  ({ got, expected }) =>
    expectHeader(got, name, expected.headers[name], isSame);

export function expectHeader(
  response: ProbeResponse,
  name: string,
  expected: string | undefined,
  isSame = isEqual,
): Problem {
  const got = response.header(name);
  return !isSame(got, expected) && `got ${name} ${got}, expected ${expected}`;
}

/** The members of a list header or a policy, in lower case. */
const readMembers = (value = ''): string[] =>
  value
    .toLowerCase()
    .trim()
    .split(/\s*[,;]\s*/);

export const hasMembers: Compare = (got, expected) =>
  readMembers(got).join() === readMembers(expected).join();

/** Accepts further members: another `Vary`, or a stricter policy. */
export const includesMembers: Compare = (got, expected) =>
  readMembers(expected).every((member) => readMembers(got).includes(member));

/** Accepts a charset of UTF-8 for JSON. */
export const isSameType: Compare = (got = '', expected = '') => {
  const [type, ...parameters] = got.toLowerCase().split(/; */);
  return type === expected.split(';')[0] && parameters.every((one) => one === 'charset=utf-8');
};
