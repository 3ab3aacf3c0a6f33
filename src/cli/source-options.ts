import path from 'node:path';
import * as z from 'zod';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { MIN_DEPLOY_TIME } from '../contract/meta.ts';
import { isUrl } from '../contract/paths.ts';
import type { Skipped } from '../contract/records.ts';
import { UsageError } from '../errors.ts';
import { BUNDLED_DATA } from '../package.ts';
import type { SourceSettings } from '../pipeline/source-settings.ts';
import { type SourceName, sourceNames, type Watchers } from '../upstream/source.ts';
import type { OptionInput, ParsedOptions } from './command.ts';
import {
  codeOnly,
  httpUrl,
  inGroup,
  integer,
  maskCredentials,
  oneOf,
  option,
  parseValue,
  percentage,
  required,
  text,
} from './options.ts';
import type { Environment } from './site-options.ts';

const kinds = kindNames.join('|');
const skippedRecord = text(
  (record) => new RegExp(`^(?:${kinds})/[1-9]\\d{0,14}$`).test(record),
  '<kind>/<id>, such as item/17',
);
const missingRecord = text(
  (record) => new RegExp(`^(?:${kinds}|names)/.*[^/]$`, 's').test(record),
  '<kind>/<slug>, such as move/pound, or names/<language>',
);
const skippedRecords = z
  .array(skippedRecord)
  .readonly()
  .transform(groupSkipped)
  .optional();
const missing = z.array(missingRecord).readonly().optional();

const cacheFolder = z
  .union(
    [required('a folder'), z.literal(false)],
    'expected a folder, or false for none',
  )
  .default(path.join('.cache', 'gamedata'))
  .transform((folder) => (folder === false ? undefined : folder));

export const sourceOptions = {
  ...inGroup('Data:', {
    /**
     * The source of the data. `auto` reads `rest`, or the bundled data set if nothing
     * is published, no upstream is named, and the upstream cannot be read.
     */
    source: option('--source <name>', 'source', oneOf(sourceNames).default('auto')),
    /**
     * Another upstream: a base URL for `rest`, a URL or a folder for `csv`, a folder
     * or a URL for `snapshot`.
     */
    upstream: option(
      '--upstream <url|dir>',
      'URL or folder that the source reads',
      required('a URL or a folder').optional(),
    ),
    cache: option('--cache <dir>', 'disk cache; --no-cache for none', cacheFolder),
    concurrency: option(
      '--concurrency <n>',
      'limit of concurrent requests',
      integer(1, 256).default(16),
    ),
    /** The records to skip. They are not requested, and `meta.json` lists them. */
    skip: option('--skip <record...>', 'skip records: <kind>/<id>', skippedRecords),
  }),
  ...inGroup('Guards:', {
    maxShrink: option(
      '--max-shrink <percent>',
      'percentage that may disappear',
      percentage.default(1),
    ),
    /**
     * Records (`<kind>/<slug>`) and languages (such as `names/fr`) that may
     * disappear. They do not count toward `maxShrink`.
     */
    allowMissing: option(
      '--allow-missing <record...>',
      'may disappear: <kind>/<slug>, names/<tag>',
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
  /**
   * Called when the disk cache has stored responses, so that the same command would
   * not request them again.
   */
  onStored: codeOnly<Watchers['onStored']>(),
};

export type SourceOptions = OptionInput<typeof sourceOptions>;

/**
 * Resolves a source's options.
 *
 * @throws UsageError if the source cannot read the upstream, or `SOURCE_DATE_EPOCH`
 * is invalid
 */
export function resolveSource(
  { cache, allowMissing = [], ...options }: ParsedOptions<typeof sourceOptions>,
  environment: Environment,
): SourceSettings {
  const upstream = resolveUpstream(options.upstream, options.source);
  if (options.skip && options.source === 'snapshot') {
    throw new UsageError('works only with --source rest or csv', {
      option: '--skip',
    });
  }
  return {
    ...options,
    upstream,
    dataFolder: BUNDLED_DATA,
    cacheFolder: cache,
    allowMissing,
    today: resolveToday(environment, options.onNotice),
  };
}

/**
 * Returns the date of new data: today, or the date in `SOURCE_DATE_EPOCH`. An empty
 * variable is ignored. A date before the upstream existed cannot be right (Nix sets
 * 1980 for every build), so it is replaced with the earliest possible date.
 *
 * @see https://reproducible-builds.org/docs/source-date-epoch/
 */
function resolveToday(
  { SOURCE_DATE_EPOCH: epoch = '' }: Environment,
  onNotice: Watchers['onNotice'],
): string {
  if (epoch === '') return formatDay(Date.now() / 1000);
  if (!/^\d{1,11}$/.test(epoch)) {
    const problem = `got ${JSON.stringify(epoch)}, expected seconds since 1970`;
    throw new UsageError(problem, { option: 'SOURCE_DATE_EPOCH' });
  }
  const seconds = Number(epoch);
  if (seconds >= MIN_DEPLOY_TIME) return formatDay(seconds);
  const earliest = formatDay(MIN_DEPLOY_TIME);
  onNotice?.(
    `SOURCE_DATE_EPOCH is at ${formatDay(seconds)}, before the upstream existed; using ${earliest}`,
  );
  return earliest;
}

/** @param seconds the number of seconds since 1970 */
const formatDay = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 10);

function resolveUpstream(
  upstream: string | undefined,
  source: SourceName,
): string | undefined {
  if (upstream === undefined) return undefined;
  const isFolder = !isUrl(upstream);
  const needsUrl = source === 'rest' || source === 'auto';
  if (isFolder && needsUrl) {
    const got = maskCredentials(upstream);
    const problem = `got ${got}, expected an http or https URL for --source ${source}`;
    throw new UsageError(problem, { option: '--upstream' });
  }
  return isFolder ? upstream : parseValue(httpUrl, upstream, '--upstream');
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
