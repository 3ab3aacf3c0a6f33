import { kindNames } from '../contract/kinds.ts';
import { LAST_INDEXED_GENERATION } from '../contract/records.ts';
import type { DataSet } from '../dataset/data-set.ts';
import { UpstreamError } from '../errors.ts';
import { DEFAULT_UPSTREAM, restSource } from './rest.ts';
import { snapshotSource } from './snapshot.ts';
import type { Source } from './source.ts';

/**
 * Reads the upstream. If the upstream is unreachable, falls back to the bundled data
 * set, because the user may simply be offline. An invalid response is still an
 * error.
 */
export const autoSource: Source = async (context) => {
  try {
    // We retry only once, which is enough to notice that there is no network.
    return await restSource({ ...context, firstRetries: 1 });
  } catch (error) {
    const isUnreachable =
      error instanceof UpstreamError && error.request.unreachable;
    if (!isUnreachable) throw error;
    const bundled = await snapshotSource({
      ...context,
      upstream: context.dataFolder,
    });
    const upstream = context.upstream ?? DEFAULT_UPSTREAM;
    const description = describeBundledData(bundled.dataSet);
    const fallback = `${upstream} could not be reached: built from ${description}`;
    context.onFallback?.(fallback, error);
    return { ...bundled, fallback };
  }
};

/**
 * Describes the bundled data: `bundled data from 2026-01-02, generations 1 to 7; the
 * live upstream has more`.
 */
function describeBundledData({ records, provenance }: DataSet): string {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      if (!('generation' in record)) continue;
      first = Math.min(first, record.generation);
      last = Math.max(last, record.generation);
    }
  }
  // If no record has a generation, `first` is still infinite.
  first = Math.min(first, last);
  const missing =
    last < LAST_INDEXED_GENERATION ? '; the live upstream has more' : '';
  return `bundled data from ${provenance.captured}, generations ${first} to ${last}${missing}`;
}
