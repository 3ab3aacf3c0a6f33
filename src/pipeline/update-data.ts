import { advance, type Update } from '../data/advance.ts';
import type { DataSet, PreviousDataSet } from '../data/data-set.ts';
import { readPreviousDataSet } from '../data/data-set-folder.ts';
import { checkUpdate, type GuardOptions } from '../data/guard.ts';
import { BUNDLED_DATA } from '../package.ts';
import { hasDataSet, openDataSet } from '../site-folder.ts';
import type { SourceResult } from '../upstream/source.ts';

/**
 * Checks that the data set that was read may replace the published one, and continues
 * the published past.
 *
 * If nothing is published, the bundled data set is compared instead, because a first
 * build may already read a broken upstream. Its past is continued only if it comes from
 * the same upstream, as in a fork that commits its data set and builds its site in a new
 * clone each time. A copy of another data set is then not compared, because it was
 * checked and dated when it was captured.
 *
 * @throws GamedataError if the data set looks like a mistake of the upstream
 */
export async function updateData(
  previous: PreviousDataSet | undefined,
  { dataSet, isCopy }: SourceResult,
  limits: GuardOptions,
): Promise<Update> {
  if (isCopy) {
    if (previous) checkUpdate(previous, dataSet, limits);
    return advance(previous, dataSet, { isCopy });
  }
  if (previous) {
    checkUpdate(previous, dataSet, limits);
    return advance(previous, dataSet);
  }
  const bundled = await readBundled();
  if (bundled) checkUpdate(bundled, dataSet, limits);
  const isContinued = isFromSameUpstream(bundled, dataSet);
  return advance(isContinued ? bundled : undefined, dataSet);
}

function isFromSameUpstream(
  bundled: PreviousDataSet | undefined,
  { provenance }: DataSet,
): boolean {
  if (!bundled) return false;
  const { source, upstream } = bundled.provenance;
  return source === provenance.source && upstream === provenance.upstream;
}

/** Reads the bundled data set. Returns undefined if the operator has removed it. */
export async function readBundled(
  folder = BUNDLED_DATA,
): Promise<PreviousDataSet | undefined> {
  if (!hasDataSet(folder)) return undefined;
  return readPreviousDataSet(openDataSet(folder));
}
