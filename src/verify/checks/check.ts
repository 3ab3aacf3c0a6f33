/** What the checks of a deployment share. */

import type { Kind } from '../../contract/kinds.ts';
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

/** The check of one guarantee. Reports failures in a fixed order, although requests are concurrent. */
export type Check = (context: VerifyContext, fail: Fail) => Promise<void>;

type Problem = string | false | undefined;

/** A check that looks at each of its requests by itself: `look` sends it, and returns a response and what is wrong with it. */
export function checkRequests<R extends ProbeRequest>(
  requestsOf: (context: VerifyContext) => readonly R[],
  look: (request: R, context: VerifyContext) => Promise<readonly [ProbeResponse, ...Problem[]]>,
): Check {
  return async (context, fail) => {
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

/** What is wrong with an error: its status, its type or its body. */
export function errorProblem(response: ProbeResponse, ...statuses: readonly number[]): string | undefined {
  if (!statuses.includes(response.status))
    return `got status ${response.status}, expected ${statuses.join(' or ')}`;
  const type = response.header('content-type');
  if (!isJsonType(type)) return `got Content-Type ${type}, expected application/json`;
  const { json } = response;
  const detail = typeof json === 'object' && json !== null && 'detail' in json ? json.detail : undefined;
  return typeof detail === 'string' ? undefined : 'got a body without a detail, expected {"detail": "…"}';
}

/** Of responses that are not checked for other headers. */
export const corsProblem = (response: ProbeResponse): string | undefined =>
  response.header('access-control-allow-origin') === '*'
    ? undefined
    : 'got no Access-Control-Allow-Origin: *';

/** `application/json`, with or without a charset of UTF-8. */
export const isJsonType = (type = ''): boolean => /^application\/json(?:; ?charset=utf-8)?$/i.test(type);

/** Both lists, and a record if there is one. */
export function endpoints({ lists }: VerifyContext): string[] {
  const [move] = lists.move.records;
  return [listPath('move'), listPath('item'), ...(move ? [recordPath('move', move.slug)] : [])];
}
