/** What the checks of a deployment share. */

import type { Kind } from '../contract/kinds.ts';
import { type LinkBase, listPath, recordPath } from '../contract/paths.ts';
import type { Probe, ProbeRequest, ProbeResponse } from '../http/probe.ts';
import type { CrawledList } from '../sources/crawl.ts';

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

/** A check that sends requests and looks at each response by itself. */
export function checkEach<R extends ProbeRequest>(
  requestsOf: (context: VerifyContext) => readonly R[],
  problemOf: (response: ProbeResponse, request: R, context: VerifyContext) => string | undefined,
): Check {
  return async (context, fail) => {
    const results = await context.probe.sendAll(requestsOf(context), (response, request) => ({
      request: response.request,
      problem: problemOf(response, request, context),
    }));
    for (const { request, problem } of results) if (problem !== undefined) fail({ request }, problem);
  };
}

/** What is wrong with an error: its status, its type or its body. */
export function errorProblem(response: ProbeResponse, ...statuses: readonly number[]): string | undefined {
  if (!statuses.includes(response.status))
    return `got status ${response.status}, expected ${statuses.join(' or ')}`;
  if (!isJsonType(response))
    return `got Content-Type ${response.header('content-type')}, expected application/json`;
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
export const isJsonType = (response: ProbeResponse): boolean =>
  /^application\/json(?:; ?charset=utf-8)?$/i.test(response.header('content-type') ?? '');

/** The members of a list header, in lower case. */
export const members = (value: string): string[] =>
  value.split(',').map((member) => member.trim().toLowerCase());

/** Both lists, and a record if there is one. */
export function endpoints({ lists }: VerifyContext): string[] {
  const [move] = lists.move.records;
  return [listPath('move'), listPath('item'), ...(move ? [recordPath('move', move.slug)] : [])];
}
