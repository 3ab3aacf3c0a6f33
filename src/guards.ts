/** The guards: data that was fetched without an error and still is not believed. */

import type { Counts } from './contract/data-set.ts';
import { kindNames } from './contract/kinds.ts';
import { DataError } from './errors.ts';

/**
 * Refuses data with fewer records of a kind than the last one had, by more than a share in percent; a kind without any
 * record counts as shrunk to nothing.
 *
 * @throws DataError that says how many there were and are
 */
export function refuseShrinking(
  counts: Counts,
  {
    previous,
    maxShrink,
    fallback,
  }: { previous: Counts | undefined; maxShrink: number; fallback?: string | undefined },
): void {
  for (const kind of kindNames) {
    const before = previous?.[kind] ?? 0;
    const lost = before - counts[kind];
    const isEmpty = counts[kind] === 0 && maxShrink < 100;
    if (!isEmpty && lost <= (before * maxShrink) / 100) continue;
    const was =
      before > 0
        ? `, the last build had ${before}: expected at most ${maxShrink} % fewer`
        : ': expected some';
    throw new DataError(
      `got ${counts[kind]} records${was}`,
      { kind },
      {
        hint: fallback
          ? `${fallback}, and the bundled data is older than what is published, which stays as it is.`
          : 'If that is right, raise --max-shrink.',
      },
    );
  }
}
