/** Upstreams with editions, for tests: a CDN that still holds older answers, and deploys at any moment. */

import type { Edition } from '../../src/contract/meta.ts';
import type { UpstreamData } from './upstream-data.ts';
import type { State, UpstreamOptions } from './upstream-server.ts';

/** Edition 1, 2, 3 …, a day apart. */
export const editionNumber = (number: number) => ({
  hash: String(number).padStart(40, '0'),
  deployed: Date.UTC(2026, 3, number) / 1000,
});

/** The same as a site says it. */
export const namedEdition = (number: number): Edition => ({
  hash: editionNumber(number).hash,
  deployed: `2026-04-${String(number).padStart(2, '0')}T00:00:00Z`,
});

export const stateNumber = (number: number, data: UpstreamData): State => ({
  data,
  edition: editionNumber(number),
});

/** The address of an answer, without what leads past a CDN. */
export const withoutEdition = (path: string): string => path.replace(/[?&]edition=\w+$/, '');

const isPlain = (path: string): boolean => withoutEdition(path) === path;

/** A CDN that still has the older answer of some addresses, unless they are asked for under another one. */
export const heldBack =
  (
    present: State,
    older: State,
    isHeld: (path: string) => boolean,
  ): NonNullable<UpstreamOptions['stateOf']> =>
  ({ path }) =>
    isPlain(path) && !path.endsWith('/meta/') && isHeld(path) ? older : present;

/** Whether an address is every k-th of those of records. */
export function everyNth(k: number, rest = 0): (path: string) => boolean {
  const seen = new Map<string, number>();
  return (path) => {
    if (!seen.has(path)) seen.set(path, seen.size);
    return (seen.get(path) ?? 0) % k === rest;
  };
}

/** Deploys each state when so many requests have been sent. */
export const deployedAt =
  (...states: readonly (readonly [from: number, state: State])[]): NonNullable<UpstreamOptions['stateOf']> =>
  ({ at }) => {
    const state = states.findLast(([from]) => at >= from)?.[1];
    if (!state) throw new Error('the first state starts at 1');
    return state;
  };
