/** The build command: source → data set → site → output folder. */

import path from 'node:path';
import { DEFAULT_ICONS_UPSTREAM, type IconMode, type IconSource, iconModes } from '../../contract/icons.ts';
import type { LinkStyle } from '../../contract/paths.ts';
import { explainSystemError, OutputError, UsageError } from '../../errors.ts';
import { isInside } from '../../files.ts';
import type { HostName } from '../../hosts/names.ts';
import { settled } from '../../publish/publish.ts';
import type { Watchers } from '../../sources/capture.ts';
import { isArchive } from '../../sources/site/place.ts';
import { isAddress } from '../../sources/source.ts';
import type { Problem } from '../../verify/folder.ts';
import {
  checkPlainUrl,
  hostsOption,
  integerOption,
  oneOf,
  resolveLinks,
  resolveServing,
  type ServingOptions,
} from './check-options.ts';
import { defaults } from './defaults.ts';
import { makeSite, type SiteReport } from './make-site.ts';
import { PUBLIC_FOLDER } from './package-files.ts';
import { type Environment, resolveSource, type SourceOptions } from './source-options.ts';

/** Every option is optional. */
export interface BuildOptions extends SourceOptions, ServingOptions {
  /** The base URL of the site. Default: `BASE_URL`, Netlify's variables, `http://localhost:3000`. */
  readonly baseUrl?: string | undefined;
  /** The output folder. Default `build`. */
  readonly out?: string | undefined;
  /** The hosts to write configuration for. Default `['netlify']`. */
  readonly hosts?: readonly HostName[] | undefined;
  /** What links point to. Default `query`, for GitHub Pages `file`. */
  readonly links?: LinkStyle | undefined;
  /** Whether the site has bulk files. Default true. */
  readonly downloads?: boolean | undefined;
  /** Whether the site offers itself for download, as `/download/gamedata.tar.gz` and `.zip`. Default false. */
  readonly archive?: boolean | undefined;
  /** How icons are served. Default `link`: requests are redirected to the upstream's. */
  readonly sprites?: IconMode | undefined;
  /** Where icons are fetched from, or redirected to. Default: the live upstream's. */
  readonly spritesUpstream?: string | undefined;
  /** Whether every published file is read again and checked. Default false. */
  readonly verify?: boolean | undefined;
  /** Keep archives of the last sites, this many, beside the output folder. Default: none. */
  readonly keep?: number | undefined;
}

export interface BuildReport extends SiteReport {
  /** How many published files were read again and checked; null if none were. */
  readonly verified: number | null;
  /** What is wrong with the published site, or with its archive. */
  readonly problems: readonly Problem[];
  /** The archive of this site; null if none is kept. */
  readonly kept: string | null;
}

/**
 * Builds the site and publishes it into a folder.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then unchanged
 */
export async function build(options: BuildOptions = {}, watchers: Watchers = {}): Promise<BuildReport> {
  const resolved = resolveBuild(options, process.env);
  const { source, out, verify, keep, ...settings } = resolved;
  await settledSource(source, out);
  const { signal, takeLock } = options;
  const making = { source, settingsOf: () => settings, byContent: verify, out, signal, takeLock };
  const { report } = await makeSite({ ...making, ...watchers });
  return { ...report, ...(await inspect(out, resolved)) };
}

/** A folder that is read must not be between two sites, unless it is the one that is going to be changed. */
async function settledSource(
  { source, upstream, dataFolder }: Resolved['source'],
  out: string,
): Promise<void> {
  const folder = source === 'auto' ? dataFolder : (upstream ?? dataFolder);
  const isFolder = source === 'auto' || source === 'snapshot' || source === 'site';
  if (!isFolder || isAddress(folder) || isArchive(folder) || path.resolve(folder) === path.resolve(out))
    return;
  await settled(folder);
}

/** What is done with a published site. It stays published whatever comes of it, so that failures are problems, not errors. */
async function inspect(
  out: string,
  { verify, keep }: { verify: boolean; keep: number },
): Promise<Pick<BuildReport, 'verified' | 'problems' | 'kept'>> {
  let verified = null;
  try {
    const checked = verify ? (await import('../../verify/folder.ts')).verifyFolder(out) : undefined;
    const problems = checked?.problems ?? [];
    verified = checked?.files ?? null;
    if (problems.length > 0 || keep === 0) return { verified, problems, kept: null };
    const { keepArchive } = await import('./archive.ts');
    return { verified, problems, kept: await keepArchive(out, keep) };
  } catch (thrown) {
    const error = explainSystemError(thrown, out);
    if (!(error instanceof OutputError)) throw thrown;
    return { verified, problems: [{ file: error.path, problem: error.problem }], kept: null };
  }
}

type Resolved = ReturnType<typeof resolveBuild>;

/** Applies defaults, including those of the environment, and checks. Throws `UsageError`. */
export function resolveBuild(options: BuildOptions, environment: Environment) {
  const out = resolveOut(options.out);
  const hosts = hostsOption(options.hosts ?? defaults.hosts);
  const { baseUrl, isBaseUrlNamed } = resolveBaseUrl(options.baseUrl, environment);
  return {
    source: { ...resolveSource(options, environment), baseUrl, isBaseUrlNamed },
    baseUrl,
    out,
    hosts,
    serving: resolveServing(options, hosts, out),
    links: resolveLinks(options.links, hosts, defaults.links),
    downloads: options.downloads ?? true,
    archive: options.archive ?? false,
    sprites: resolveIcons(options),
    verify: options.verify ?? false,
    keep: integerOption('keep', options.keep ?? 0),
  };
}

function resolveOut(out: string = defaults.out): string {
  if (!isInside(PUBLIC_FOLDER, path.resolve(out))) return out;
  throw new UsageError(`--out: got a folder in ${PUBLIC_FOLDER}, which would become part of every site`);
}

function resolveIcons({ sprites = defaults.sprites, spritesUpstream }: BuildOptions): IconSource {
  const mode = oneOf('sprites', sprites, iconModes);
  if (mode === 'none') return { mode, upstream: null };
  return { mode, upstream: checkPlainUrl('--sprites-upstream', spritesUpstream ?? DEFAULT_ICONS_UPSTREAM) };
}

function resolveBaseUrl(given: string | undefined, environment: Environment) {
  if (given !== undefined) return { baseUrl: checkPlainUrl('--base-url', given), isBaseUrlNamed: true };
  const named = baseUrlOf(environment);
  const { name, value } = named ?? { name: 'default', value: defaults.baseUrl };
  return { baseUrl: checkPlainUrl(name, value), isBaseUrlNamed: named !== undefined };
}

/**
 * The base URL that the environment names, and the variable. Netlify's are too common names to mean anything elsewhere.
 *
 * @see https://docs.netlify.com/configure-builds/environment-variables/
 */
export function baseUrlOf({
  NETLIFY,
  CONTEXT = 'production',
  ...variables
}: Environment): { name: string; value: string } | undefined {
  const netlify = CONTEXT === 'production' ? ['URL'] : ['DEPLOY_PRIME_URL', 'URL'];
  const names = ['BASE_URL', ...(NETLIFY === 'true' ? netlify : [])];
  const name = names.find((candidate) => variables[candidate]);
  return name === undefined ? undefined : { name, value: variables[name] ?? '' };
}
