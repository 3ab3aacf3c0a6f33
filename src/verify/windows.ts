/** What a window has to answer, by the list as it was crawled: a plain slice, and links by the rules of the contract. */

import { listUrl } from '../contract/addresses.ts';
import type { Kind } from '../contract/kinds.ts';
import { show } from '../contract/parse.ts';
import { nextWindow, PAGE_SIZE, previousWindow, type Window } from '../contract/windows.ts';
import type { Examination } from './examination.ts';
import type { Reply } from './probe.ts';

/** What is wrong with an answer that should be this window; undefined where it is right. */
export function windowProblem(
  { linkBase, lists }: Pick<Examination, 'linkBase' | 'lists'>,
  { kind, window, reply }: { kind: Kind; window: Window; reply: Reply },
): string | undefined {
  if (reply.status !== 200) return `got status ${reply.status}, expected 200`;
  const { count, records } = lists[kind];
  // Only built pages have files to link to.
  const base = isBuilt(window) ? linkBase : { ...linkBase, links: 'query' as const };
  const next = nextWindow(window, count);
  const previous = previousWindow(window);
  const from = Math.min(Number(window.offset), count);
  const wanted = records.slice(from, Math.min(from + Number(window.limit), count));
  const got = reply.json as
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
