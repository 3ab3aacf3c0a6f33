import { advance, type Update } from '../data/advance.ts';
import type { DataSet, PreviousDataSet } from '../data/data-set.ts';
import { readPreviousDataSet } from '../data/data-set-folder.ts';
import { checkUpdate, type GuardOptions } from '../data/guard.ts';
import { BUNDLED_DATA } from '../package.ts';
import { openDataSet } from '../site-folder.ts';
import type { SourceResult } from '../upstream/source.ts';

/**
 * Checks that the data set that was read may replace the published one, and continues
 * the published past: the history of changes, and the old slugs of renamed records.
 *
 * If nothing is published, the data set is compared with the bundled one, because even a
 * first build may read a broken upstream. A copy is then not compared at all, because it
 * was checked when its data set was captured.
 *
 * @throws GamedataError if the data set looks like a mistake of the upstream
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
