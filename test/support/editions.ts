/** Upstreams with editions: a CDN with older responses, and deployments at any moment. */

import type { Edition } from '../../src/contract/meta.ts';
import type { UpstreamData } from './upstream-data.ts';
import type { State, UpstreamOptions } from './upstream-server.ts';

/** Returns an edition in the upstream's format. Consecutive numbers are a day apart. */
export const editionNumber = (number: number) => ({
  hash: String(number).padStart(40, '0'),
  deployed: Date.UTC(2026, 3, number) / 1000,
});

export const namedEdition = (number: number): Edition => ({
  hash: editionNumber(number).hash,
  deployed: `2026-04-${String(number).padStart(2, '0')}T00:00:00Z`,
});

export const stateNumber = (number: number, data: UpstreamData): State => ({
  data,
  edition: editionNumber(number),
});

/** Removes the parameter that bypasses caches. */
export const withoutEdition = (path: string): string => path.replace(/[?&]edition=\w+$/, '');

type StateOf = NonNullable<UpstreamOptions['stateOf']>;

/** Serves the older state for some URLs, unless a request bypasses caches. */
export const heldBack =
  (current: State, older: State, isHeld: (path: string) => boolean): StateOf =>
  ({ path }) =>
    withoutEdition(path) === path && !path.endsWith('/meta/') && isHeld(path) ? older : current;

export function everyNth(k: number, rest = 0): (path: string) => boolean {
  const seen = new Map<string, number>();
  return (path) => {
    if (!seen.has(path)) seen.set(path, seen.size);
    return (seen.get(path) ?? 0) % k === rest;
  };
}

/** Deploys each state before the request with its number. */
export const deployedAt =
  (...states: readonly (readonly [from: number, state: State])[]): StateOf =>
  ({ at }) => {
    const state = states.findLast(([from]) => at >= from)?.[1];
    if (!state) throw new Error('the first state starts at 1');
    return state;
  };
