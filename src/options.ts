/** Options: what a build may be told, what counts where it is not told, and what is refused. */

import path from 'node:path';
import { type LinkStyle, linkStyles } from './contract/addresses.ts';
import { kindNames } from './contract/kinds.ts';
import {
  DEFAULT_PICTURES_UPSTREAM,
  type SpriteMode,
  type Sprites,
  spriteModes,
} from './contract/pictures.ts';
import { UsageError } from './errors.ts';
import { type HostName, hostNames } from './hosts/names.ts';
import { isAddress, type SourceName, sourceNames } from './sources/source.ts';
import type { DeploymentOptions } from './verify/deployment.ts';
import { type Level, levels } from './verify/level.ts';
import { PACKAGE_ROOT } from './version.ts';

/** Where the data comes from, and how it is fetched. Everything may be left out. */
export interface SourceOptions {
  /** `auto` (the default) reads `rest`, and the bundled data set where the upstream cannot be reached. */
  readonly source?: SourceName | undefined;
  /** The upstream's base address; for `csv` and `snapshot` also a folder. The source's own default where left out. */
  readonly upstream?: string | undefined;
  /** What `meta.json` and the provenance call the upstream instead of its address. */
  readonly label?: string | undefined;
  /** The most requests at one time. Default 16. */
  readonly concurrency?: number | undefined;
  /** How often a failed request is sent again. Default 4. */
  readonly retries?: number | undefined;
  /** The folder of the disk cache, or false for none. Default `.cache/gamedata`. */
  readonly cache?: string | false | undefined;
  /** Refuse data without more than this share of a kind's last records, in percent. Default 1. */
  readonly maxShrink?: number | undefined;
  /** Records that may be gone since the last data without counting as shrunk, as `<kind>/<slug>`. */
  readonly allowMissing?: readonly string[] | undefined;
  /** Stops the work in an orderly way; what was fetched stays in the cache. */
  readonly signal?: AbortSignal | undefined;
}

export interface BuildOptions extends SourceOptions {
  /** The address that the site will be served under. Default: `BASE_URL`, Netlify's variables, `http://localhost:3000`. */
  readonly baseUrl?: string | undefined;
  /** The folder of the site. Default `build`. */
  readonly out?: string | undefined;
  /** Whose configuration files are written into the site. Default `['netlify']`. */
  readonly hosts?: readonly HostName[] | undefined;
  /** How links are written. Default `query`. */
  readonly links?: LinkStyle | undefined;
  /** Whether the site has bulk files. Default true. */
  readonly downloads?: boolean | undefined;
  /** Whether the site offers itself for download, as `/download/gamedata.tar.gz` and `.zip`. Default false. */
  readonly archive?: boolean | undefined;
  /** What the site does about pictures of items. Default `link`: requests are redirected to the upstream's. */
  readonly sprites?: SpriteMode | undefined;
  /** Where pictures are fetched from, or redirected to. Default: the live upstream's. */
  readonly spritesUpstream?: string | undefined;
}

export interface SnapshotOptions extends SourceOptions {
  /** The folder of the data set. Default: the bundled one. */
  readonly data?: string | undefined;
}

/** The variables that are looked at. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The data set that comes with the package. */
export const BUNDLED_DATA = path.join(PACKAGE_ROOT, 'data');
/** The handler and what it imports in one file. */
export const HANDLER_MODULE = path.join(PACKAGE_ROOT, 'dist', 'handler.bundle.js');
/** What packs bulk files, and what it imports, in one file. */
export const PACK_MODULE = path.join(PACKAGE_ROOT, 'dist', 'pack-worker.bundle.js');
/** What every site has beside hand-written files, as `npm run compile` makes and collects it. */
export const ASSETS_FOLDER = path.join(PACKAGE_ROOT, 'dist', 'assets');
/** Hand-written files that every site has. */
export const PUBLIC_FOLDER = path.join(PACKAGE_ROOT, 'public');

export interface ResolvedSource {
  readonly source: SourceName;
  readonly upstream: string | undefined;
  readonly label: string | undefined;
  readonly concurrency: number;
  readonly retries: number;
  readonly cacheFolder: string | undefined;
  readonly maxShrink: number;
  readonly allowMissing: readonly string[];
  /** The day that data fetched now is captured on, `YYYY-MM-DD`. */
  readonly today: string;
}

/** Fills in defaults and checks. Throws `UsageError`. */
export function resolveSource(options: SourceOptions, environment: Environment): ResolvedSource {
  const source = oneOf('source', options.source ?? 'auto', sourceNames);
  const { cache = path.join('.cache', 'gamedata') } = options;
  return {
    source,
    upstream: options.upstream === undefined ? undefined : checkUpstream(options.upstream, source),
    label: options.label === undefined ? undefined : checkLabel(options.label),
    concurrency: wholeNumber('concurrency', options.concurrency ?? 16, { from: 1, to: 256 }),
    retries: wholeNumber('retries', options.retries ?? 4, { from: 0, to: 20 }),
    cacheFolder: cache === false ? undefined : cache,
    maxShrink: percentage('max-shrink', options.maxShrink ?? 1),
    allowMissing: (options.allowMissing ?? []).map(checkRecordName),
    today: resolveToday(environment),
  };
}

/** Today, or the day that reproducible builds set: https://reproducible-builds.org/docs/source-date-epoch/ */
function resolveToday(environment: Environment): string {
  const epoch = environment.SOURCE_DATE_EPOCH;
  if (epoch !== undefined && !/^\d{1,11}$/.test(epoch)) {
    throw new UsageError(`SOURCE_DATE_EPOCH: got ${JSON.stringify(epoch)}, expected seconds since 1970`);
  }
  return new Date(epoch === undefined ? Date.now() : Number(epoch) * 1000).toISOString().slice(0, 10);
}

export interface ResolvedBuild {
  readonly source: ResolvedSource;
  readonly baseUrl: string;
  readonly out: string;
  readonly hosts: readonly HostName[];
  readonly links: LinkStyle;
  readonly downloads: boolean;
  readonly archive: boolean;
  readonly sprites: Sprites;
}

/** Fills in defaults, from the environment where it has them, and checks. Throws `UsageError`. */
export function resolveBuild(options: BuildOptions, environment: Environment): ResolvedBuild {
  return {
    source: resolveSource(options, environment),
    baseUrl: resolveBaseUrl(options.baseUrl, environment),
    out: options.out ?? 'build',
    hosts: [...new Set(options.hosts ?? (['netlify'] as const))].map((host) =>
      oneOf('host', host, hostNames),
    ),
    links: oneOf('links', options.links ?? 'query', linkStyles),
    downloads: options.downloads ?? true,
    archive: options.archive ?? false,
    sprites: resolveSprites(options),
  };
}

function resolveSprites({ sprites = 'link', spritesUpstream }: BuildOptions): Sprites {
  const mode = oneOf('sprites', sprites, spriteModes);
  if (mode === 'none') return { mode, upstream: null };
  const upstream = checkAddress('--sprites-upstream', spritesUpstream ?? DEFAULT_PICTURES_UPSTREAM);
  // It becomes part of hosts' configuration, in which other characters mean something.
  if (/^https?:\/\/[\w.:[\]-]+(?:\/[\w.~-]+)*$/.test(upstream)) return { mode, upstream };
  throw new UsageError(
    `--sprites-upstream: got ${JSON.stringify(upstream)}, expected an address of letters, digits, dots and hyphens`,
  );
}

/** https://docs.netlify.com/configure-builds/environment-variables/#deploy-urls-and-metadata */
function resolveBaseUrl(given: string | undefined, environment: Environment): string {
  const isPreview = environment.CONTEXT !== undefined && environment.CONTEXT !== 'production';
  const candidates: [name: string, value: string | undefined][] = [
    ['--base-url', given],
    ['BASE_URL', environment.BASE_URL || undefined],
    ['DEPLOY_PRIME_URL', (isPreview && environment.DEPLOY_PRIME_URL) || undefined],
    ['URL', environment.URL || undefined],
    ['default', 'http://localhost:3000'],
  ];
  const [name, value = ''] = candidates.find(([, candidate]) => candidate !== undefined) ?? ['', ''];
  return checkAddress(name, value);
}

/** An upstream is an address, or a folder where the source can read one. */
function checkUpstream(upstream: string, source: SourceName): string {
  if (isAddress(upstream)) {
    if (source === 'snapshot')
      throw new UsageError(`--upstream: got ${masked(upstream)}, expected a folder for --source snapshot`);
    return checkAddress('--upstream', upstream);
  }
  if (source !== 'csv' && source !== 'snapshot') {
    throw new UsageError(
      `--upstream: got ${masked(upstream)}, expected an http or https address for --source ${source}`,
    );
  }
  return upstream;
}

function checkRecordName(name: string): string {
  if (kindNames.some((kind) => name.startsWith(`${kind}/`) && name.length > kind.length + 1)) return name;
  throw new UsageError(
    `--allow-missing: got ${JSON.stringify(name)}, expected <kind>/<slug>, such as move/pound`,
  );
}

function checkLabel(label: string): string {
  if (label.trim() !== '') return label;
  throw new UsageError('--label: got nothing, expected some text');
}

/** An http address without anything that a path cannot be put behind, and without a slash at its end. */
function checkAddress(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${name}: got ${JSON.stringify(masked(text))}, expected an http or https address`);
  }
  if (url.username || url.password || /[?#]/.test(url.href)) {
    throw new UsageError(
      `${name}: got an address with credentials, a query or a fragment, expected one without`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** What `verify` was asked to look at, and how. */
export interface VerifyOptions {
  readonly level?: Level | undefined;
  readonly concurrency?: number | undefined;
  readonly linkBase?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fills in defaults and checks. Throws `UsageError`. */
export function resolveVerify(
  address: string,
  options: VerifyOptions,
): { address: string; options: DeploymentOptions } {
  const { level = 'static', concurrency = 16, linkBase, signal } = options;
  return {
    address: checkAddress('address', address),
    options: {
      level: oneOf('level', level, levels),
      concurrency: wholeNumber('concurrency', concurrency, { from: 1, to: 256 }),
      linkBase: linkBase === undefined ? undefined : checkAddress('--link-base', linkBase),
      signal,
    },
  };
}

/** How two data sets are read that are to be compared. */
export interface DiffOptions {
  /** Of an address: the most requests at one time. Default 16. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fills in defaults and checks, the addresses among what is compared too. Throws `UsageError`. */
export function resolveDiff(
  targets: readonly string[],
  { concurrency = 16, signal }: DiffOptions,
): { concurrency: number; signal: AbortSignal | undefined } {
  for (const target of targets.filter(isAddress)) checkAddress('address', target);
  return { concurrency: wholeNumber('concurrency', concurrency, { from: 1, to: 256 }), signal };
}

/** How a deployment is copied. Everything may be left out. */
export interface MirrorOptions {
  /** The folder of the copy. Default: named like the host, such as `example.org`. */
  readonly out?: string | undefined;
  /** The most requests at one time. Default 16. */
  readonly concurrency?: number | undefined;
  /** How often a failed request is sent again. Default 4. */
  readonly retries?: number | undefined;
  /** Only say what would be done. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ResolvedMirror {
  readonly address: string;
  readonly out: string;
  readonly concurrency: number;
  readonly retries: number;
  readonly dryRun: boolean;
}

/** Fills in defaults and checks. Throws `UsageError`. */
export function resolveMirror(target: string, options: MirrorOptions): ResolvedMirror {
  const address = checkAddress('address', target);
  const { concurrency = 16, retries = 4, dryRun = false } = options;
  return {
    address,
    out: options.out ?? address.replace(/^https?:\/\//, '').replace(/[^\w.-]+/g, '-'),
    concurrency: wholeNumber('concurrency', concurrency, { from: 1, to: 256 }),
    retries: wholeNumber('retries', retries, { from: 0, to: 20 }),
    dryRun,
  };
}

/** What a copy is rebased to. */
export interface RebaseOptions {
  /** The address that the copy will be served under. */
  readonly baseUrl: string;
  /** How links are written. Default: as in the copy. */
  readonly links?: LinkStyle | undefined;
  /** Whose configuration files are written. Default: as the copy's builder chose. */
  readonly hosts?: readonly HostName[] | undefined;
  /** The folder of the rebased site. Default: the copy itself. */
  readonly out?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fills in defaults and checks. Throws `UsageError`; so does `knownHosts` for a host that this version does not know. */
export function resolveRebase(dir: string, options: RebaseOptions) {
  const knownHosts = (hosts: readonly string[]): HostName[] =>
    [...new Set(hosts)].map((host) => oneOf('host', host, hostNames));
  return {
    out: options.out ?? dir,
    baseUrl: checkAddress('--base-url', options.baseUrl),
    links: options.links === undefined ? undefined : oneOf('links', options.links, linkStyles),
    hosts: options.hosts && knownHosts(options.hosts),
    knownHosts,
  };
}

/** An address as an error may show it: what stands before an @ may be a password. */
const masked = (address: string): string => address.replace(/[^/]*@/, '…@');

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined)
    throw new UsageError(`--${name}: got ${JSON.stringify(value)}, expected one of ${known.join(', ')}`);
  return found;
}

function wholeNumber(name: string, value: number, { from, to }: { from: number; to: number }): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw new UsageError(`--${name}: got ${value}, expected a whole number from ${from} to ${to}`);
}

function percentage(name: string, value: number): number {
  if (value >= 0 && value <= 100) return value;
  throw new UsageError(`--${name}: got ${value}, expected a percentage from 0 to 100`);
}
