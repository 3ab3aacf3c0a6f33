import path from 'node:path';
import * as z from 'zod';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { isUrl } from '../contract/paths.ts';
import type { Skipped } from '../contract/records.ts';
import { GamedataError } from '../errors.ts';
import { BUNDLED_DATA } from '../package.ts';
import type { SourceSettings } from '../pipeline/settings.ts';
import { type SourceName, sourceNames, type Watchers } from '../upstream/source.ts';
import type { OptionInput, ParsedOptions } from './command.ts';
import {
  codeOnly,
  folder,
  folderOrUrl,
  inGroup,
  maskCredentials,
  option,
  text,
} from './options.ts';

const kinds = kindNames.join('|');
const skippedRecord = text(
  new RegExp(`^(?:${kinds})/[1-9]\\d{0,14}$`),
  '<kind>/<id>, such as item/17',
);
const missingRecord = text(
  new RegExp(`^(?:${kinds}|names)/.*[^/]$`),
  '<kind>/<slug>, such as move/pound, or names/<language>',
);
const skippedRecords = z.array(skippedRecord).readonly().optional();
const missing = z.array(missingRecord).readonly().optional();

export const sourceOptions = {
  ...inGroup('Data:', {
    /**
     * The source of the data. `auto` reads `rest`, but falls back to the bundled data
     * set if the upstream cannot be read, no upstream was named, and nothing is
     * published yet.
     */
    source: option(
      '--source <name>',
      'source of the data',
      z.enum(sourceNames).default('auto'),
    ),
    /**
     * The upstream to use instead of the default: a base URL for `rest`, or a URL or
     * folder for `csv` and `snapshot`.
     */
    upstream: option(
      '--upstream <url|dir>',
      'URL or folder that the source reads',
      folderOrUrl.optional(),
    ),
    cache: option(
      '--cache <dir>',
      'folder from which an interrupted run continues',
      folder.default(path.join('.cache', 'gamedata')),
    ),
    concurrency: option(
      '--concurrency <n>',
      'limit of concurrent requests',
      z.int().min(1).max(256).default(16),
    ),
    /** The records to skip. They are not requested, and `meta.json` lists them. */
    skip: option(
      '--skip <record...>',
      'records to omit, such as item/17',
      skippedRecords,
    ),
  }),
  ...inGroup('Guards:', {
    maxShrink: option(
      '--max-shrink <percent>',
      'percentage of records that may disappear',
      z.number().min(0).max(100).default(1),
    ),
    /**
     * Records (`<kind>/<slug>`) and languages (such as `names/fr`) that may
     * disappear. They do not count toward `maxShrink`.
     */
    allowMissing: option(
      '--allow-missing <record...>',
      'may disappear, such as move/pound or names/fr',
      missing,
    ),
  }),
  signal: codeOnly<AbortSignal>(),
  onProgress: codeOnly<Watchers['onProgress']>(),
  onFallback: codeOnly<Watchers['onFallback']>(),
  /**
   * Called with a problem that does not end the build, such as an interrupted
   * earlier build or a cache that is too large.
   */
  onNotice: codeOnly<Watchers['onNotice']>(),
};

export type SourceOptions = OptionInput<typeof sourceOptions>;

/**
 * Checks that a source's options fit together, and adds the settings that are not
 * options, such as today's date.
 *
 * @throws GamedataError if the source cannot read the upstream, or `SOURCE_DATE_EPOCH`
 * is invalid
 */
export function resolveSource({
  cache,
  allowMissing = [],
  ...options
}: ParsedOptions<typeof sourceOptions>): SourceSettings {
  const { source, upstream, skip } = options;
  if (upstream !== undefined) assertReadable(upstream, source);
  if (skip && source === 'snapshot') {
    throw new GamedataError('usage', '--skip: works only with --source rest or csv');
  }
  return {
    ...options,
    skip: groupSkipped(skip ?? []),
    dataFolder: BUNDLED_DATA,
    cacheFolder: cache,
    allowMissing,
    today: resolveToday(process.env.SOURCE_DATE_EPOCH ?? ''),
  };
}

/**
 * Returns the date of new data: today, or the date in `SOURCE_DATE_EPOCH`.
 *
 * @param epoch seconds since 1970, or an empty string
 * @see https://reproducible-builds.org/docs/source-date-epoch/
 */
function resolveToday(epoch: string): string {
  if (epoch === '') return formatDay(Date.now() / 1000);
  if (/^\d{1,11}$/.test(epoch)) return formatDay(Number(epoch));
  const problem = `got ${JSON.stringify(epoch)}, expected seconds since 1970`;
  throw new GamedataError('usage', `SOURCE_DATE_EPOCH: ${problem}`);
}

/** @param seconds the number of seconds since 1970 */
const formatDay = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 10);

/** Rejects a folder for sources that can read only a URL. */
function assertReadable(upstream: string, source: SourceName): void {
  const canReadFolders = source === 'csv' || source === 'snapshot';
  if (canReadFolders || isUrl(upstream)) return;
  const got = maskCredentials(upstream);
  const problem = `got ${got}, expected an http or https URL for --source ${source}`;
  throw new GamedataError('usage', `--upstream: ${problem}`);
}

/** Groups records by kind: `['item/17']` becomes `{ move: [], item: [17] }`. */
function groupSkipped(records: readonly string[]): Skipped | undefined {
  if (records.length === 0) return undefined;
  return mapKinds((kind) => {
    const ids = new Set<number>();
    for (const record of records) {
      const [recordKind, id] = record.split('/');
      if (recordKind === kind) ids.add(Number(id));
    }
    return [...ids].sort((a, b) => a - b);
  });
}
