import { DATA_SET_FILE } from '../contract/paths.ts';
import { LAST_INDEXED_GENERATION } from '../contract/records.ts';
import {
  type DataSet,
  findGenerations,
  type PreviousDataSet,
} from '../data/data-set.ts';
import { parseDescription } from '../data/data-set-folder.ts';
import { isExpected } from '../errors.ts';
import { readIfExists } from '../site-folder.ts';
import { DEFAULT_UPSTREAM, restSource } from './rest.ts';
import type { Source, SourceContext } from './source.ts';

/**
 * The number of attempts until the first response arrives. Two are enough to notice
 * that there is no network.
 */
const FIRST_ATTEMPTS = 2;

/**
 * Creates the source that reads the upstream, or falls back to the bundled data set if the
 * upstream cannot be read at all, for example without a network. If reading fails after
 * the first list is complete, the upstream evidently works, so the failure ends the build.
 *
 * @param bundledSource the source that reads the bundled data set
 */
export function createAutoSource(
  bundledSource: Source,
  defaultUpstream = DEFAULT_UPSTREAM,
): Source {
  return async (context) => {
    if (!mayFallBack(context)) return restSource(context);
    let hasReadList = false;
    try {
      return await restSource({
        ...context,
        upstream: defaultUpstream,
        firstAttempts: FIRST_ATTEMPTS,
        onListRead() {
          hasReadList = true;
        },
      });
    } catch (error) {
      if (hasReadList || !isExpected(error, 'upstream')) throw error;
      const bundled = await bundledSource({
        ...context,
        upstream: context.dataFolder,
      });
      const description = describeBundledData(bundled.dataSet);
      const fallback = `${defaultUpstream} could not be read: built from ${description}`;
      context.onFallback?.(fallback, error);
      return { ...bundled, fallback };
    }
  };
}

/**
 * Returns whether the bundled data set may be used in place of the upstream's data. It
 * must not replace other published data, which may be newer, or the data of an upstream
 * that the user has named.
 */
function mayFallBack({ previous, upstream, dataFolder }: SourceContext): boolean {
  const hasOtherData = previous !== undefined && !isBundled(previous, dataFolder);
  return upstream === undefined && !hasOtherData;
}

/**
 * Returns whether the published data set is the bundled one. Compares digests, so that
 * the bundled records need not be read.
 */
function isBundled({ digest }: PreviousDataSet, dataFolder: string): boolean {
  const description = readIfExists(dataFolder, DATA_SET_FILE);
  if (!description) return false;
  return parseDescription(dataFolder, description).digest === digest;
}

/**
 * Describes the bundled data: `bundled data from 2026-01-02, generations 1 to 7; the
 * live upstream has more`.
 */
function describeBundledData({ readRecords, provenance }: DataSet): string {
  const about = `bundled data from ${provenance.captured}`;
  const generations = findGenerations(readRecords());
  if (!generations) return about;
  const { first, last } = generations;
  const range = `${about}, generations ${first} to ${last}`;
  // The upstream has records of every generation up to this one.
  if (last >= LAST_INDEXED_GENERATION) return range;
  return `${range}; the live upstream has more`;
}
