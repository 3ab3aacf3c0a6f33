/** The build command: source → data set → site → output folder. */

import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { DEFAULT_ICONS_UPSTREAM, type IconMode, type IconSource, iconModes } from '../../contract/icons.ts';
import { createMeta } from '../../contract/meta.ts';
import type { LinkStyle } from '../../contract/paths.ts';
import { type AnyFile, bodyOf } from '../../contract/site-file.ts';
import type { Previous } from '../../dataset/history.ts';
import { explainSystemError, OutputError, UsageError } from '../../errors.ts';
import { isInside } from '../../files.ts';
import type { Host } from '../../hosts/host.ts';
import { installCommand } from '../../hosts/installation.ts';
import type { HostName } from '../../hosts/names.ts';
import { type Output, type PublishResult, recoverAbandoned, withOutput } from '../../publish/publish.ts';
import { entryOf } from '../../publish/published.ts';
import { capture, type Watchers } from '../../sources/capture.ts';
import { gatherIcons, type IconsReport } from '../../sources/icons/gather.ts';
import { previousOfSite } from '../../sources/site-folder.ts';
import { previousOfSnapshot } from '../../sources/snapshot.ts';
import type { SourceResult } from '../../sources/source.ts';
import type { Problem } from '../../verify/folder.ts';
import { PRODUCT } from '../../version.ts';
import {
  checkPlainUrl,
  hostsOption,
  integerOption,
  oneOf,
  resolveLinks,
  resolveServing,
  type ServingOptions,
} from './check-options.ts';
import { checkOutside, refuseOtherFolder } from './check-output.ts';
import { defaults } from './defaults.ts';
import { describeMaking } from './making.ts';
import { BUNDLED_DATA, PUBLIC_FOLDER, readAssets, readPackage } from './package-files.ts';
import { countWarnings, createReport, groupWarnings, type Report } from './report.ts';
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
  /** Start a new history, without redirects of records that were renamed before. Default false. */
  readonly forgetHistory?: boolean | undefined;
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

export interface BuildReport extends Report {
  /** For each web server whose configuration or redirects have changed, the command that its operator runs now. */
  readonly install: readonly string[];
  readonly sprites: IconsReport;
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
  const started = performance.now();
  const resolved = resolveBuild(options, process.env);
  const { source, baseUrl, links, hosts, serving, out, downloads, archive, sprites } = resolved;
  const { signal } = options;
  if (source.source === 'snapshot') recoverAbandoned(source.upstream ?? source.dataFolder);
  if (source.source === 'auto') recoverAbandoned(source.dataFolder);

  const work = async (output: Output): Promise<Omit<BuildReport, 'problems' | 'kept'>> => {
    refuseOtherFolder(output, 'site');
    if (source.cacheFolder !== undefined) checkOutside('--cache', source.cacheFolder, out);
    const previousOf = (loaded: SourceResult): Previous | undefined => {
      const previous = previousOfSite(output.folder, output.published) ?? refreshedSnapshot(loaded);
      return previous && options.forgetHistory ? { ...previous, history: () => undefined } : previous;
    };
    const captured = await capture({ ...source, ...watchers, previousOf });
    const { provenance, records, names, counts, digest, history, fallback } = captured;
    const handWritten = readAssets();
    const icons = await gatherIcons(sprites, records, { assets: handWritten, fetcher: source });
    const warnings = [captured.warnings, icons.warnings].flatMap(groupWarnings);
    const meta = createMeta({
      generator: PRODUCT,
      source: captured.source,
      upstream: provenance.upstream,
      captured: provenance.captured,
      edition: provenance.edition,
      fallback,
      warnings: countWarnings(warnings),
      ...(provenance.skipped && { skipped: provenance.skipped }),
      digest,
      names: names.summary,
      base_url: baseUrl,
      links,
      hosts: [...hosts],
      downloads,
      sprites,
      counts,
    });
    const inputs = { meta, history, archive, serving, assets: [...handWritten, ...icons.files] };
    const making = describeMaking(inputs);
    let install: string[] = [];
    const make = async (): Promise<PublishResult> => {
      // Most scheduled builds change nothing, and need nothing of this.
      const { completeSite } = await import('../../site/complete-site.ts');
      const site = { ...inputs, records, names: names.read(), hosts, package: readPackage() };
      const files = await completeSite(site);
      install = await installCommands(hosts, output, files);
      return output.publish(files, { signal, making });
    };
    const published = output.confirm(making) ?? (await make());
    const report = createReport(captured, published, { out, warnings, started });
    return { ...report, install, sprites: icons.report };
  };
  const report = await withOutput(out, work, options);
  return { ...report, ...(await inspect(out, resolved)) };
}

/** What is done with a published site. It stays published whatever comes of it, so that failures are problems, not errors. */
async function inspect(
  out: string,
  { verify, keep }: { verify: boolean; keep: number },
): Promise<Pick<BuildReport, 'problems' | 'kept'>> {
  try {
    const problems = verify ? (await import('../../verify/folder.ts')).verifyFolder(out).problems : [];
    if (problems.length > 0 || keep === 0) return { problems, kept: null };
    const { keepArchive } = await import('./archive.ts');
    return { problems, kept: await keepArchive(out, keep) };
  } catch (thrown) {
    const error = explainSystemError(thrown, out);
    if (!(error instanceof OutputError)) throw thrown;
    return { problems: [{ file: error.path, problem: error.problem }], kept: null };
  }
}

async function installCommands(
  names: readonly HostName[],
  { name: out, published }: Output,
  files: readonly AnyFile[],
): Promise<string[]> {
  const { hosts } = await import('../../hosts/index.ts');
  const change = (name: string) => {
    const [before, file] = [published.entries.get(name), files.find(({ path }) => path === name)];
    if (before === undefined || file === undefined) return 'added';
    return before.sha256 === entryOf(name, bodyOf(file)).sha256 ? 'none' : 'changed';
  };
  return names.flatMap((name) => {
    const { installation }: Host = hosts[name];
    return (installation && installCommand(installation, out, change)) ?? [];
  });
}

/**
 * If no site is published, as on a build machine without state, the bundled data set is the previous one, provided that
 * it is of the same upstream.
 */
function refreshedSnapshot({ source, dataSet: { provenance } }: SourceResult): Previous | undefined {
  const bundled = source === 'snapshot' ? undefined : previousOfSnapshot(BUNDLED_DATA);
  const isSame = bundled?.source === provenance.source && bundled.upstream === provenance.upstream;
  return isSame ? bundled : undefined;
}

/** Applies defaults, including those of the environment, and checks. Throws `UsageError`. */
export function resolveBuild(options: BuildOptions, environment: Environment) {
  const out = resolveOut(options.out);
  const hosts = hostsOption(options.hosts ?? defaults.hosts);
  const baseUrl = resolveBaseUrl(options.baseUrl, environment);
  return {
    source: resolveSource(options, environment),
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

function resolveBaseUrl(given: string | undefined, environment: Environment): string {
  if (given !== undefined) return checkPlainUrl('--base-url', given);
  const { name, value } = baseUrlOf(environment) ?? { name: 'default', value: defaults.baseUrl };
  return checkPlainUrl(name, value);
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
