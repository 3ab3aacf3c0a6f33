import { advance, type Update } from '../data/advance.ts';
import type { DataSet, PreviousDataSet } from '../data/data-set.ts';
import { readPreviousDataSet } from '../data/data-set-folder.ts';
import { checkUpdate, type GuardOptions } from '../data/guard.ts';
import { BUNDLED_DATA } from '../package.ts';
import { openDataSet } from '../site-folder.ts';
import type { SourceResult } from '../upstream/source.ts';

/**
 * Checks that the new data set may replace the published one, and carries over the past
 * from the published one: the history of changes, and the old slugs of renamed records.
 *
 * If nothing is published, a build compares its data set with the bundled one, because
 * the upstream may be broken even at the first build. A copy does not, because its data
 * set was already checked when it was captured.
 *
 * @throws GamedataError if the new data set looks like a mistake of the upstream
 */
export async function updateData(
  previous: PreviousDataSet | undefined,
  { dataSet, isCopy }: SourceResult,
  limits: GuardOptions,
): Promise<Update> {
  if (previous) {
    checkUpdate(previous, dataSet, limits);
    return advance(previous, dataSet, { isCopy });
  }
  if (isCopy) return advance(undefined, dataSet);
  const bundled = await readBundled();
  checkUpdate(bundled, dataSet, limits);
  // A fork may commit its data set and build its site in a new clone each time. Its past
  // is then in the bundled data set.
  if (isFromSameUpstream(bundled, dataSet)) return advance(bundled, dataSet);
  return advance(undefined, dataSet);
}

function isFromSameUpstream(
  bundled: PreviousDataSet,
  { provenance }: DataSet,
): boolean {
  const { source, upstream } = bundled.provenance;
  return source === provenance.source && upstream === provenance.upstream;
}

export const readBundled = (): Promise<PreviousDataSet> =>
  readPreviousDataSet(openDataSet(BUNDLED_DATA));
