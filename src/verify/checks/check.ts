/** What the checks of a deployment share. */

import { type Kind, kindNames } from '../../contract/kinds.ts';
import { type LinkBase, listPath, recordPath } from '../../contract/paths.ts';
import type { Probe, ProbeRequest, ProbeResponse } from '../../http/probe.ts';
import type { CrawledList } from '../../sources/crawl.ts';

export interface VerifyContext {
  readonly probe: Probe;
  /** What the deployment's links have to start with and point to. */
  readonly linkBase: LinkBase;
  /** The lists as they were crawled: what every other response is compared with. */
  readonly lists: Readonly<Record<Kind, CrawledList>>;
}

/** Reports a failure of the guarantee being checked. */
export type Fail = (response: Pick<ProbeResponse, 'request'>, problem: string) => void;

/** A check of a guarantee. Reports failures in a fixed order, although requests are concurrent. */
export type Check = (context: VerifyContext, fail: Fail) => Promise<void>;

type Problem = string | false | undefined;

/** A check that looks at each of its requests by itself: `look` sends it, and returns a response and what is wrong with it. */
export function checkRequests<R extends ProbeRequest>(
  requestsOf: (context: VerifyContext) => readonly R[],
  look: (request: R, context: VerifyContext) => Promise<readonly [ProbeResponse, ...Problem[]]>,
): Check {
  return async (context, fail) => {
    // Responses are not kept: there may be hundreds of thousands.
    const found = requestsOf(context).map(async (sent) => {
      const [{ request }, ...problems] = await look(sent, context);
      return { request, problems };
    });
    for (const { request, problems } of await Promise.all(found))
      for (const problem of problems) if (problem) fail({ request }, problem);
  };
}

/** A check of the response to each request. */
export const checkEach = <R extends ProbeRequest>(
  requestsOf: (context: VerifyContext) => readonly R[],
  problemOf: (response: ProbeResponse, request: R, context: VerifyContext) => Problem,
): Check =>
  checkRequests(requestsOf, async (request, context) => {
    const response = await context.probe.send(request);
    return [response, problemOf(response, request, context)];
  });

export const toRequests = (paths: readonly string[], headers: ProbeRequest['headers'] = {}) =>
  [...new Set(paths)].map((path) => ({ path, headers }));

export const statusProblem = ({ status }: ProbeResponse, ...expected: readonly number[]) =>
  expected.includes(status) ? undefined : `got status ${status}, expected ${expected.join(' or ')}`;

/** What is wrong with an error: its status, its type or its body. */
export function errorProblem(response: ProbeResponse, ...statuses: readonly number[]): string | undefined {
  const problem = statusProblem(response, ...statuses);
  if (problem !== undefined) return problem;
  const type = response.header('content-type');
  if (!isJsonType(type)) return `got Content-Type ${type}, expected application/json`;
  const detail = (response.json as { detail?: unknown } | null | undefined)?.detail;
  return typeof detail === 'string' ? undefined : 'got a body without a detail, expected {"detail": "…"}';
}

/** Of responses that are not checked for other headers. */
export const corsProblem = (response: ProbeResponse): string | false =>
  response.header('access-control-allow-origin') !== '*' && 'got no Access-Control-Allow-Origin: *';

/** `application/json`, with or without a charset of UTF-8. */
export const isJsonType = (type = ''): boolean => /^application\/json(?:; ?charset=utf-8)?$/i.test(type);

/** Each list, and its first record if there is one. */
export const endpoints = ({ lists }: VerifyContext): string[] =>
  kindNames.flatMap((kind) => {
    const records = lists[kind].records.slice(0, 1);
    return [listPath(kind), ...records.map(({ slug }) => recordPath(kind, slug))];
  });

/** A record of each kind that does not exist. */
export const unknownRecords = kindNames.map((kind) => recordPath(kind, 'no-such-slug'));
