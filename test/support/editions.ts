import type { Edition } from '../../src/contract/meta.ts';
import type { UpstreamData } from './upstream-data.ts';
import type { State } from './upstream-server.ts';

/**
 * Returns an edition in the upstream's format. Consecutive numbers are a day apart.
 */
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
export const withoutBypass = (path: string): string =>
  path.replace(/[?&]uncached=\d+$/, '');
