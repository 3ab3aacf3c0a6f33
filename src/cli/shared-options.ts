/** The options of several commands: where data comes from, what the guards let pass, and what hosts need. */

import path from 'node:path';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { EARLIEST } from '../contract/meta.ts';
import { type LinkStyle, linkStyles } from '../contract/paths.ts';
import type { Skipped } from '../contract/records.ts';
import { UsageError } from '../errors.ts';
import type { Serving } from '../hosts/host.ts';
import {
  fileHostNames,
  formerHosts,
  type HostName,
  hostNames,
  rivalHosts,
  webServerNames,
} from '../hosts/names.ts';
import type { CaptureOptions } from '../sources/capture.ts';
import { isAddress, type SourceName, sourceNames } from '../sources/source.ts';
import { address, masked, oneOf, wrong } from './checks.ts';
import {
  type Checked,
  choice,
  flag,
  type Given,
  inCode,
  inGroup,
  integer,
  list,
  type Option,
  text,
  withDefault,
} from './options.ts';
import { BUNDLED_DATA } from './package-files.ts';

const cacheOption: Option<string | false, string | undefined> = {
  ...{ flags: '--cache <dir>', about: 'disk cache; --no-cache for none', canBeOff: true },
  check: (given) => (given === false ? undefined : given),
};

export const sourceOptions = {
  ...inGroup('Data:', {
    /** `auto` (the default) reads `rest`, or the bundled data set if the upstream cannot be reached. */
    source: withDefault('auto', choice('--source <name>', 'one of', sourceNames)),
    /** The upstream's base URL; for `csv` and `snapshot` also a folder, for `site` that, an archive or a URL. Default: that of the source. */
    upstream: text('--upstream <url|dir>', 'other source; a folder for csv, snapshot, site'),
    /** The folder of the disk cache, or false for none. Default `.cache/gamedata`. */
    cache: withDefault(path.join('.cache', 'gamedata'), cacheOption),
    /** The maximum number of concurrent requests. Default 16. */
    concurrency: withDefault(
      16,
      integer('--concurrency <n>', 'maximum number of concurrent requests', { from: 1, to: 256 }),
    ),
    /** How often a failed request is retried. Default 4. */
    retries: withDefault(
      4,
      integer('--retries <n>', 'how often a failed request is retried', { from: 0, to: 20 }),
    ),
    /** Whether the names in every language are part of it. Default true. */
    names: flag('--no-names', 'omit names in other languages'),
    /** Records to leave out, as `<kind>/<id>`: not even requested, and listed in `meta.json`. */
    skip: list('--skip <record...>', 'leave records out, as <kind>/<id>', skippedRecords),
    /** Start a new history, without redirects of records that were renamed before. Default false. */
    forgetHistory: flag('--forget-history', 'start a new history, without redirects'),
  }),
  ...inGroup('Guards:', {
    /** Fail if more than this percentage of a kind's records disappeared. Default 1. */
    maxShrink: withDefault(1, {
      ...{ flags: '--max-shrink <percent>', about: 'records that may disappear, in percent', isNumber: true },
      check: percentage,
    }),
    /** Records allowed to disappear, as `<kind>/<slug>`, and names of a language, as `names/fr`; excluded from `maxShrink`. */
    allowMissing: list('--allow-missing <record...>', 'as <kind>/<slug> or names/<tag>', recordNames),
    /** Fail if the data was captured longer ago than this number of days. Default: any age. */
    maxAge: integer('--max-age <days>', 'maximum age of the data', { from: 0, to: 36_500 }),
    /** Take a lock over if nothing is known of its process, as it runs on another host or in another container. */
    takeLock: flag('--take-lock', 'take over the lock of a dead build elsewhere now, not after 10 minutes'),
  }),
  /** Stops the work; what was fetched stays in the cache. */
  signal: inCode<AbortSignal>(),
};

export type SourceOptions = Given<typeof sourceOptions>;

/** The environment variables that options depend on. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How data is captured. Throws `UsageError` if the upstream is none of the source, or the environment's date is none. */
export function captureOptions(
  { cache, names, allowMissing = [], ...options }: Checked<typeof sourceOptions>,
  environment: Environment,
): Omit<CaptureOptions, 'published'> {
  return {
    ...options,
    upstream: checkUpstream(options.upstream, options.source),
    dataFolder: BUNDLED_DATA,
    cacheFolder: cache,
    allowMissing,
    hasNames: names,
    today: dateOf(environment),
  };
}

/** Today, or the date for reproducible builds: https://reproducible-builds.org/docs/source-date-epoch/ */
function dateOf({ SOURCE_DATE_EPOCH: epoch }: Environment): string {
  if (epoch !== undefined && !(/^\d{1,11}$/.test(epoch) && Number(epoch) >= EARLIEST))
    throw wrong(
      'SOURCE_DATE_EPOCH',
      epoch,
      `seconds since 1970, at least ${EARLIEST}: the upstream began in 2014`,
    );
  return new Date(epoch === undefined ? Date.now() : Number(epoch) * 1000).toISOString().slice(0, 10);
}

/** A URL, or a folder if the source can read one. */
function checkUpstream(upstream: string | undefined, source: SourceName): string | undefined {
  if (upstream === undefined) {
    if (source !== 'site') return undefined;
    throw new UsageError('--upstream: got none, expected the folder, archive or URL of the site to read');
  }
  const isFolder = !isAddress(upstream);
  const needsUrl = source === 'rest' || source === 'auto';
  if (isFolder ? needsUrl : source === 'snapshot') {
    const expected = needsUrl ? 'an http or https URL' : 'a folder';
    throw new UsageError(`--upstream: got ${masked(upstream)}, expected ${expected} for --source ${source}`);
  }
  return isFolder ? upstream : address(upstream, '--upstream');
}

function percentage(given: number, name: string): number {
  if (given >= 0 && given <= 100) return given;
  throw new UsageError(`${name}: got ${given}, expected a percentage from 0 to 100`);
}

const isOfKind = (name: string): boolean => kindNames.some((kind) => name.startsWith(`${kind}/`));

/** Distinct ids, ascending; undefined if there are none. */
function skippedRecords(records: readonly string[], name: string): Skipped | undefined {
  if (records.length === 0) return undefined;
  const bad = records.find((record) => !/^[a-z]+\/[1-9]\d{0,14}$/.test(record) || !isOfKind(record));
  if (bad !== undefined) throw wrong(name, bad, '<kind>/<id>, such as item/17');
  return mapKinds((kind) => {
    const ofKind = records.filter((record) => record.startsWith(`${kind}/`));
    const ids = ofKind.map((record) => Number(record.split('/')[1]));
    return [...new Set(ids)].sort((a, b) => a - b);
  });
}

function recordNames(records: readonly string[], name: string): readonly string[] {
  const isName = (record: string) => isOfKind(record) || record.startsWith('names/');
  const bad = records.find((record) => record.endsWith('/') || !isName(record));
  if (bad === undefined) return records;
  throw wrong(name, bad, '<kind>/<slug>, such as move/pound, or names/<language>');
}

/** The folder that is built, served and packed unless another one is named. */
export const BUILD_FOLDER = 'build';

export const linksOption = choice('--links <style>', 'what links point to', linkStyles);

/** Those of former versions, too, as the user named them. */
export const hostsOption = (about: string) => ({
  ...list('--host <name...>', about, (names: readonly HostName[], name) => {
    const rivals = rivalHosts(names.map((host) => presentHost(host, name)));
    if (rivals.length > 0) throw wrong(name, rivals.join(' '), 'one of them, as both read _redirects');
    return names;
  }),
  choices: hostNames,
  replaced: formerHosts,
});

const presentHost = (host: string, name = '--host'): HostName =>
  formerHosts.get(host) ?? oneOf(host, name, hostNames);

export const servingOptions = inGroup('Hosts:', {
  /** For nginx, Caddy and Apache: the document root. Default: the output folder. */
  root: text('--root <dir>', 'document root of a web server [--out]'),
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNFIT = /[\u0000-\u001f"'`$\\{}<>*?[\]]/;

interface HostOptions {
  readonly hosts: readonly string[];
  readonly links: LinkStyle | undefined;
  readonly root: string | undefined;
}

/** What a site has for its hosts: each once, what replaces those of former versions, and links as they need them. */
export function resolveHosts({ hosts: names, links, root }: HostOptions, otherwise: LinkStyle, out: string) {
  const hosts = [...new Set(names.map((name) => presentHost(name)))];
  const notices = names
    .filter((name) => formerHosts.has(name))
    .map((name) => `host ${name} is withdrawn: ${formerHosts.get(name)} replaces it`);
  return {
    hosts,
    notices,
    serving: resolveServing(root, hosts, out),
    links: resolveLinks(links, hosts, otherwise),
  };
}

export function resolveServing(
  given: string | undefined,
  hosts: readonly HostName[],
  out: string,
  system: Pick<typeof path, 'resolve'> = path,
): Serving {
  // A path on the server, which may run another system than the build.
  const root = (given?.startsWith('/') ? path.posix : system).resolve(given ?? out);
  const server = hosts.find((host) => webServerNames.includes(host));
  if (server === undefined && given !== undefined)
    throw new UsageError('--root: got no host that uses it, expected --host nginx, caddy or apache');
  if (server !== undefined && !root.startsWith('/'))
    throw new UsageError(
      `--root: got the Windows path ${root}${given === undefined ? ' of --out' : ''}, expected the site's path on the server, such as /srv/gamedata/site`,
    );
  if (server !== undefined && UNFIT.test(root))
    throw wrong(
      '--root',
      root,
      `a path without quotes, brackets or other characters that mean something to ${server}`,
    );
  return { root };
}

/** For some hosts, only files will do. */
function resolveLinks(
  given: LinkStyle | undefined,
  hosts: readonly HostName[],
  otherwise: LinkStyle,
): LinkStyle {
  const host = hosts.find((name) => fileHostNames.includes(name));
  if (host === undefined) return given ?? otherwise;
  if (given === undefined || given === 'file') return 'file';
  throw new UsageError(`--links: got ${given}, expected file for ${host}, which ignores queries`);
}
