/** The options of several commands: where data comes from, what the guards let pass, and what hosts need. */

import path from 'node:path';
import * as z from 'zod';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { MIN_DEPLOY_TIME } from '../contract/meta.ts';
import { formatValue } from '../contract/parse.ts';
import { linkStyles } from '../contract/paths.ts';
import type { Skipped } from '../contract/records.ts';
import { DEFAULT_ICONS_UPSTREAM, iconModes } from '../contract/responses.ts';
import type { GuardOptions } from '../dataset/guard.ts';
import type { CompareOptions } from '../dataset/replacement.ts';
import { UsageError } from '../errors.ts';
import { findConflictingHosts, hostNames } from '../hosts/index.ts';
import { BUNDLED_DATA } from '../package.ts';
import type { OpenOptions } from '../publish/publish.ts';
import { isArchive } from '../sources/site/storage.ts';
import { readPreviousSnapshot } from '../sources/snapshot.ts';
import { isUrl, type SourceContext, type SourceName, sourceNames, type Watchers } from '../sources/source.ts';
import { checkValue, httpUrl, integer, maskUrl, oneOf, percentage, plainUrl, text, wrong } from './checks.ts';
import { type Checked, flag, type Given, inCode, inGroup, option } from './options.ts';
import type { WantedSettings } from './settings.ts';

const kindAlternatives = kindNames.join('|');
const skippedId = text(
  (record) => new RegExp(`^(?:${kindAlternatives})/[1-9]\\d{0,14}$`).test(record),
  '<kind>/<id>, such as item/17',
);
const missingName = text(
  (record) => new RegExp(`^(?:${kindAlternatives}|names)/.*[^/]$`, 's').test(record),
  '<kind>/<slug>, such as move/pound, or names/<language>',
);

/** A folder, or false for none. */
const cacheFolder = z
  .union([z.string(), z.literal(false)], 'expected a folder, or false for none')
  .default(path.join('.cache', 'gamedata'))
  .transform((folder) => (folder === false ? undefined : folder));

export const sourceOptions = {
  ...inGroup('Data:', {
    /** `auto` (the default) reads `rest`, or the bundled data set if the upstream cannot be reached. */
    source: option('--source <name>', 'one of', oneOf(sourceNames).default('auto')),
    /** The upstream's base URL; for `csv` and `snapshot` also a folder, for `site` that, an archive or a URL. Default: that of the source. */
    upstream: option(
      '--upstream <url|dir>',
      'other source; a folder for csv, snapshot, site',
      z.string().optional(),
    ),
    /** The folder of the disk cache, or false for none. Default `.cache/gamedata`. */
    cache: option('--cache <dir>', 'disk cache; --no-cache for none', cacheFolder),
    /** The maximum number of concurrent requests. Default 16. */
    concurrency: option(
      '--concurrency <n>',
      'maximum number of concurrent requests',
      integer(1, 256).default(16),
    ),
    /** How often a failed request is retried. Default 4. */
    retries: option('--retries <n>', 'how often a failed request is retried', integer(0, 20).default(4)),
    /** Whether the names in every language are part of it. Default true. */
    names: flag('--no-names', 'omit names in other languages'),
    /** Records to leave out, as `<kind>/<id>`: not even requested, and listed in `meta.json`. */
    skip: option(
      '--skip <record...>',
      'leave records out, as <kind>/<id>',
      z.array(skippedId).readonly().transform(groupSkipped).optional(),
    ),
    /** Start a new history, without redirects of records that were renamed before. Default false. */
    forgetHistory: flag('--forget-history', 'start a new history, without redirects'),
  }),
  ...inGroup('Guards:', {
    /** Fail if more than this percentage of a kind's records disappeared. Default 1. */
    maxShrink: option(
      '--max-shrink <percent>',
      'records that may disappear, in percent',
      percentage.default(1),
    ),
    /** Records allowed to disappear, as `<kind>/<slug>`, and names of a language, as `names/fr`; excluded from `maxShrink`. */
    allowMissing: option(
      '--allow-missing <record...>',
      'as <kind>/<slug> or names/<tag>',
      z.array(missingName).readonly().optional(),
    ),
    /** Fail if the data was captured longer ago than this number of days. Default: any age. */
    maxAge: option('--max-age <days>', 'maximum age of the data', integer(0, 36_500).optional()),
    /** Take over the lock of another machine or container, whose process cannot be checked. */
    takeLock: flag('--take-lock', 'break the lock of a killed build now, not after 10 minutes'),
  }),
  /** Stops the work; what was fetched stays in the cache. */
  signal: inCode<AbortSignal>(),
  /** Called while data is read. */
  onProgress: inCode<Defined<Watchers['onProgress']>>(),
  /** Called if local data is read instead of the upstream. */
  onFallback: inCode<Defined<Watchers['onFallback']>>(),
  /** Called with the recovery result of an interrupted build, if the work fails after that. */
  onNotice: inCode<Defined<Watchers['onNotice']>>(),
};

type Defined<T> = Exclude<T, undefined>;

export type SourceOptions = Given<typeof sourceOptions>;

/** The environment variables that options depend on. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What it takes to read a data set, compare it with the published one, and check it. */
export type SourceSettings = SourceContext & CompareOptions & GuardOptions & Pick<OpenOptions, 'takeLock'>;

/** @throws UsageError if the source cannot read the upstream, or `SOURCE_DATE_EPOCH` is invalid */
export function resolveSource(
  { cache, names, allowMissing = [], ...options }: Checked<typeof sourceOptions>,
  environment: Environment,
): SourceSettings {
  const upstream = checkUpstream(options.upstream, options.source);
  return {
    ...{ ...options, upstream },
    isRestored: options.source === 'site' && isArchive(upstream ?? ''),
    readBundled: () => readPreviousSnapshot(BUNDLED_DATA),
    dataFolder: BUNDLED_DATA,
    cacheFolder: cache,
    allowMissing,
    hasNames: names,
    today: dateOf(environment),
  };
}

/** Today, or the date for reproducible builds: https://reproducible-builds.org/docs/source-date-epoch/ */
function dateOf({ SOURCE_DATE_EPOCH: epoch }: Environment): string {
  if (epoch !== undefined && !(/^\d{1,11}$/.test(epoch) && Number(epoch) >= MIN_DEPLOY_TIME))
    throw wrong(
      'SOURCE_DATE_EPOCH',
      epoch,
      `seconds since 1970, at least ${MIN_DEPLOY_TIME}: the upstream began in 2014`,
    );
  return new Date(epoch === undefined ? Date.now() : Number(epoch) * 1000).toISOString().slice(0, 10);
}

/** A URL, or a folder if the source can read one. */
function checkUpstream(upstream: string | undefined, source: SourceName): string | undefined {
  if (upstream === undefined) {
    if (source !== 'site') return undefined;
    throw new UsageError('--upstream: got none, expected the folder, archive or URL of the site to read');
  }
  const isFolder = !isUrl(upstream);
  const needsUrl = source === 'rest' || source === 'auto';
  if (isFolder ? needsUrl : source === 'snapshot') {
    const expected = needsUrl ? 'an http or https URL' : 'a folder';
    throw new UsageError(`--upstream: got ${maskUrl(upstream)}, expected ${expected} for --source ${source}`);
  }
  return isFolder ? upstream : checkValue(httpUrl, upstream, '--upstream');
}

/** Returns distinct ids, ascending; undefined for an empty list. */
function groupSkipped(records: readonly string[]): Skipped | undefined {
  if (records.length === 0) return undefined;
  return mapKinds((kind) => {
    const ofKind = records.filter((record) => record.startsWith(`${kind}/`));
    const ids = ofKind.map((record) => Number(record.split('/')[1]));
    return [...new Set(ids)].sort((a, b) => a - b);
  });
}

/** The folder that is built, served and packed unless another one is named. */
export const BUILD_FOLDER = 'build';

const linksOption = option('--links <style>', 'what links point to', oneOf(linkStyles).optional());

const hostList = z
  .array(oneOf(hostNames))
  .readonly()
  .superRefine((names, { addIssue }) => {
    const rivals = findConflictingHosts(names).map((name) => name);
    if (rivals.length > 0)
      addIssue(`got ${formatValue(rivals.join(' '))}, expected one of them, because both read _redirects`);
  })
  .optional();

/** The options of a site, wherever its data comes from. */
export const siteOptions = {
  ...inGroup('Output:', {
    /** The base URL. Default: `BASE_URL`, Netlify's variables, that of the published site, `http://127.0.0.1:3000`. */
    baseUrl: option('--base-url <url>', 'base URL [$BASE_URL, or as published]', plainUrl.optional()),
    /** What links point to. Default `query`, for GitHub Pages `file`. */
    links: linksOption,
    /** Whether the site has bulk files. Default true. */
    downloads: flag('--no-downloads', 'omit the bulk files'),
    /** How icons are served. Default `link`: requests are redirected to the upstream's. */
    sprites: option('--sprites <mode>', 'icons', oneOf(iconModes).default('link')),
    /** Where icons are fetched from, or redirected to. Default: the live upstream's. */
    spritesUpstream: option('--sprites-upstream <url>', 'where icons come from', z.string().optional()),
    /** Whether the site offers itself for download, as `/download/gamedata.tar.gz`. Default false. */
    archive: flag('--archive', 'offer the site as /download/gamedata.tar.gz'),
    /** Whether every published file is read again and checked. Default false. */
    verify: flag('--verify', 'check what was published'),
  }),
  ...inGroup('Hosts:', {
    /** The hosts to write configuration for. Default `['netlify']`. */
    hosts: option('--host <name...>', 'write configuration for [netlify]', hostList),
    /** For nginx, Caddy and Apache: the document root. Default: the output folder. */
    root: option('--root <dir>', 'document root of a web server [--out]', z.string().optional()),
  }),
};

export function resolveWanted(
  { sprites: mode, spritesUpstream = DEFAULT_ICONS_UPSTREAM, ...options }: Checked<typeof siteOptions>,
  environment: Environment,
): WantedSettings {
  const { baseUrl = environmentUrl(environment), links, hosts, root, downloads, archive } = options;
  // Without icons from elsewhere, it does not matter.
  const upstream = mode === 'none' ? null : checkValue(plainUrl, spritesUpstream, '--sprites-upstream');
  return { baseUrl, links, hosts, root, downloads, archive, sprites: { mode, upstream } };
}

/**
 * The variable of the environment that names the base URL. Netlify's are too common names to mean anything elsewhere.
 *
 * @see https://docs.netlify.com/configure-builds/environment-variables/
 */
export function baseUrlVariable({ NETLIFY, CONTEXT = 'production', ...variables }: Environment) {
  const netlify = CONTEXT === 'production' ? ['URL'] : ['DEPLOY_PRIME_URL', 'URL'];
  const names = ['BASE_URL', ...(NETLIFY === 'true' ? netlify : [])];
  return names.find((candidate) => variables[candidate]);
}

function environmentUrl(environment: Environment): string | undefined {
  const name = baseUrlVariable(environment);
  return name === undefined ? undefined : checkValue(plainUrl, environment[name], name);
}
