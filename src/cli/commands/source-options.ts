/** The options of `build` and `snapshot` about the source: where the data comes from, and how it is fetched. */

import { UsageError } from '../../errors.ts';
import type { LockOptions } from '../../publish/lock.ts';
import type { CaptureOptions } from '../../sources/capture.ts';
import { isAddress, type SourceName, sourceNames } from '../../sources/source.ts';
import {
  checkAddress,
  integerOption,
  masked,
  oneOf,
  recordNames,
  refuseUnknown,
  shrinkOption,
  skippedRecords,
} from './check-options.ts';
import { defaults } from './defaults.ts';
import { BUNDLED_DATA } from './package-files.ts';

/** Every option is optional. */
export interface SourceOptions extends LockOptions {
  /** `auto` (the default) reads `rest`, or the bundled data set if the upstream cannot be reached. */
  readonly source?: SourceName | undefined;
  /** The upstream's base URL; for `csv` and `snapshot` also a folder, for `site` that, an archive or a URL. Default: that of the source. */
  readonly upstream?: string | undefined;
  /** The maximum number of concurrent requests. Default 16. */
  readonly concurrency?: number | undefined;
  /** How often a failed request is retried. Default 4. */
  readonly retries?: number | undefined;
  /** The folder of the disk cache, or false for none. Default `.cache/gamedata`. */
  readonly cache?: string | false | undefined;
  /** Fail if more than this percentage of a kind's records disappeared. Default 1. */
  readonly maxShrink?: number | undefined;
  /** Records allowed to disappear, as `<kind>/<slug>`, and names of a language, as `names/fr`; excluded from `maxShrink`. */
  readonly allowMissing?: readonly string[] | undefined;
  /** Records to leave out, as `<kind>/<id>`: not even requested, and listed in `meta.json`. */
  readonly skip?: readonly string[] | undefined;
  /** Whether the names in every language are part of it. Default true. */
  readonly names?: boolean | undefined;
  /** Start a new history, without redirects of records that were renamed before. Default false. */
  readonly forgetHistory?: boolean | undefined;
  /** Fail if the data was captured longer ago than this number of days. Default: any age. */
  readonly maxAge?: number | undefined;
  /** Stops the work; what was fetched stays in the cache. */
  readonly signal?: AbortSignal | undefined;
}

/** The environment variables that options depend on. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Applies defaults and checks. Throws `UsageError`. */
export function resolveSource(
  options: SourceOptions,
  environment: Environment,
): Omit<CaptureOptions, 'published'> {
  refuseUnknown(options, KNOWN);
  const source = oneOf('source', options.source ?? defaults.source, sourceNames);
  const { upstream, cache = defaults.cache } = options;
  return {
    source,
    dataFolder: BUNDLED_DATA,
    upstream: checkUpstream(upstream, source),
    concurrency: integerOption('concurrency', options.concurrency ?? defaults.concurrency),
    retries: integerOption('retries', options.retries ?? defaults.retries),
    cacheFolder: cache === false ? undefined : cache,
    maxShrink: shrinkOption(options.maxShrink ?? defaults.maxShrink),
    allowMissing: recordNames(options.allowMissing),
    skip: skippedRecords(options.skip),
    hasNames: options.names ?? true,
    maxAge: options.maxAge === undefined ? undefined : integerOption('max-age', options.maxAge),
    forgetHistory: options.forgetHistory ?? false,
    today: resolveToday(environment),
    signal: options.signal,
  };
}

/** Those of `build` and `snapshot`. */
const KNOWN =
  'source upstream cache concurrency retries skip names maxShrink allowMissing maxAge takeLock signal forgetHistory data baseUrl out links downloads sprites spritesUpstream archive verify keep hosts root';

/** Today, or the date for reproducible builds: https://reproducible-builds.org/docs/source-date-epoch/ */
function resolveToday(environment: Environment): string {
  const epoch = environment.SOURCE_DATE_EPOCH;
  if (epoch !== undefined && !/^\d{1,11}$/.test(epoch)) {
    throw new UsageError(`SOURCE_DATE_EPOCH: got ${JSON.stringify(epoch)}, expected seconds since 1970`);
  }
  return new Date(epoch === undefined ? Date.now() : Number(epoch) * 1000).toISOString().slice(0, 10);
}

/** A URL, or a folder if the source can read one. */
function checkUpstream(upstream: string | undefined, source: SourceName): string | undefined {
  if (upstream === undefined) {
    if (source !== 'site') return undefined;
    throw new UsageError('--upstream: got none, expected the folder, archive or URL of the site to read');
  }
  if (isAddress(upstream)) {
    if (source === 'snapshot')
      throw new UsageError(`--upstream: got ${masked(upstream)}, expected a folder for --source snapshot`);
    return checkAddress('--upstream', upstream);
  }
  if (source === 'rest' || source === 'auto') {
    throw new UsageError(
      `--upstream: got ${masked(upstream)}, expected an http or https URL for --source ${source}`,
    );
  }
  return upstream;
}
