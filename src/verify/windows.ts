/** What a limit and offset must return: a plain slice of the crawled list, and links as in the contract. */

import type { Kind } from '../contract/kinds.ts';
import { show } from '../contract/parse.ts';
import { listPath, listUrl } from '../contract/paths.ts';
import { nextWindow, PAGE_SIZE, previousWindow, type Window } from '../contract/windows.ts';
import { MAX_BODY_BYTES } from '../http/body.ts';
import type { ProbeRequest, ProbeResponse } from '../http/probe.ts';
import type { VerifyContext } from './context.ts';

/** A request for a window of a list. */
export interface WindowRequest extends ProbeRequest {
  readonly kind: Kind;
  readonly window: Window;
}

/** A query, and the window that it selects. */
export type WindowCase = readonly [query: string, window: Window];

/** Of a record in a list: its name and slug have at most 200 characters each. */
const MAX_RECORD_BYTES = 2048;
const MAX_WINDOW_BYTES = 64 * 1024 * 1024;

export function windowRequest(
  lists: VerifyContext['lists'],
  kind: Kind,
  [query, window]: WindowCase,
): WindowRequest {
  const records = Math.min(Number(window.limit), lists[kind].records.length);
  const maxBytes = Math.min(MAX_BODY_BYTES + records * MAX_RECORD_BYTES, MAX_WINDOW_BYTES);
  return { path: `${listPath(kind)}?${query}`, kind, window, maxBytes };
}

/** What is wrong with a response that should be this window; undefined if it is correct. */
export function windowProblem(
  response: ProbeResponse,
  { kind, window }: Pick<WindowRequest, 'kind' | 'window'>,
  { linkBase, lists }: Pick<VerifyContext, 'linkBase' | 'lists'>,
): string | undefined {
  if (response.status !== 200) return `got status ${response.status}, expected 200`;
  const { count, records } = lists[kind];
  // Only built pages have files to link to.
  const base = isBuilt(window) ? linkBase : { ...linkBase, links: 'query' as const };
  const next = nextWindow(window, count);
  const previous = previousWindow(window);
  const from = Math.min(Number(window.offset), count);
  const wanted = records.slice(from, Math.min(from + Number(window.limit), count));
  const got = response.json as
    | { count?: unknown; next?: unknown; previous?: unknown; results?: unknown }
    | undefined;
  const expected = {
    count,
    next: next && listUrl(base, kind, next),
    previous: previous && listUrl(base, kind, previous),
  };
  for (const key of ['count', 'next', 'previous'] as const) {
    if (got?.[key] !== expected[key])
      return `got ${key} ${show(got?.[key])}, expected ${show(expected[key])}`;
  }
  const results = Array.isArray(got?.results) ? got.results : [];
  const isRight =
    results.length === wanted.length &&
    wanted.every(({ served }, at) => JSON.stringify(results[at]) === served);
  if (isRight) return undefined;
  const first = (results[0] as { id?: unknown } | undefined)?.id;
  return `got ${results.length} records from id ${show(first)}, expected ${wanted.length} from id ${show(wanted[0]?.id)}`;
}

const isBuilt = ({ limit, offset }: Window): boolean =>
  limit === PAGE_SIZE && BigInt(offset) % BigInt(PAGE_SIZE) === 0n;
