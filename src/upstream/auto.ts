import { kindNames } from '../contract/kinds.ts';
import { DATA_SET_FILE } from '../contract/paths.ts';
import { LAST_INDEXED_GENERATION } from '../contract/records.ts';
import type { DataSet } from '../data/data-set.ts';
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

/** Returns whether the published data set is the bundled one. */
function isBundled({ previous, dataFolder }: SourceContext): boolean {
  const description = readIfExists(dataFolder, DATA_SET_FILE);
  if (!previous || !description) return false;
  return parseDescription(dataFolder, description).digest === previous.digest;
}

/**
 * Creates the source that reads the upstream, or the bundled data set if nothing else is
 * published yet, the user has named no upstream, and reading fails with an
 * failure before the first list is complete. Later failures end the build, because then the upstream can
 * be read in general.
 *
 * @param bundledSource the source that reads the bundled data set
 */
export function createAutoSource(
  bundledSource: Source,
  defaultUpstream = DEFAULT_UPSTREAM,
): Source {
  return async (context) => {
    const isReplaceable = !context.isPublished || isBundled(context);
    const mayFallBack = isReplaceable && context.upstream === undefined;
    if (!mayFallBack) return restSource(context);
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
 * Describes the bundled data: `bundled data from 2026-01-02, generations 1 to 7; the
 * live upstream has more`.
 */
function describeBundledData({ readRecords, provenance }: DataSet): string {
  const records = readRecords();
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
