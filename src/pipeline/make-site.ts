import { performance } from 'node:perf_hooks';
import {
  type BuildInputs,
  createMeta,
  encodeBody,
  type Meta,
} from '../contract/meta.ts';
import {
  DATA_FOLDER,
  DATA_SET_FILE,
  isUrl,
  PLACEHOLDER_ICON,
} from '../contract/paths.ts';
import type { DataSet, PreviousDataSet } from '../data/data-set.ts';
import { readPreviousDataSet } from '../data/data-set-folder.ts';
import { encodeOldSlugs } from '../data/old-slugs.ts';
import { GamedataError } from '../errors.ts';
import { webServerNames } from '../hosts/index.ts';
import {
  codeDigest,
  PRODUCT,
  readBuildAssets,
  readDataLicense,
  readPublicFiles,
} from '../package.ts';
import { type Output, type PublishResult, withOutput } from '../publish/publish.ts';
import { sha256 } from '../sha256.ts';
import type { SiteInput } from '../site/generate-site.ts';
import { encodeManifest } from '../site/manifest.ts';
import { openSiteData, readIfIntact, readMeta } from '../site-folder.ts';
import type { CopiedSite } from '../upstream/copied-site.ts';
import { gatherIcons } from '../upstream/icons.ts';
import { loadSource } from '../upstream/index.ts';
import type { SourceResult } from '../upstream/source.ts';
import { copySite } from './copy-site.ts';
import { keepDataSet } from './keep-data.ts';
import {
  type BuildReport,
  countWarnings,
  createReport,
  groupWarnings,
  type WarningGroup,
} from './report.ts';
import {
  assertSettingsNamed,
  describeChangedSettings,
  resolveSettings,
  type Settings,
  type WantedSettings,
} from './settings.ts';
import { assertCacheOutside, type SourceSettings } from './source-settings.ts';
import { updateData } from './update-data.ts';

export interface MakeSiteOptions {
  readonly out: string;
  readonly source: SourceSettings;
  readonly wanted: WantedSettings;
  /** The number of published data sets to keep next to the site. */
  readonly keep?: number | undefined;
  /** The folder or URL of the site that is copied. Undefined for a build. */
  readonly copiedFrom?: string | undefined;
}

/**
 * Builds a site or a copy, and publishes it into a folder. First, it locks the
 * folder and completes the change of a build that was killed.
 *
 * @throws GamedataError. The published site is then unchanged, except if the new files
 * could not be moved into place. The next build completes such a change.
 */
export async function makeSite(options: MakeSiteOptions): Promise<BuildReport> {
  const started = performance.now();
  const { out, source } = options;
  return withOutput(out, (output) => buildSite(output, options, started), {
    onNotice: source.onNotice,
  });
}

/**
 * Builds a site into a folder that is locked.
 *
 * The data set comes first, because the guard compares it with the published one, and
 * because its records determine which icons the site needs. All checks come before the
 * site is generated and published, so a rejected build leaves the published site as it
 * is. The data set is kept before the site is published, so that every published data
 * set has been kept.
 */
async function buildSite(
  output: Output,
  options: MakeSiteOptions,
  started: number,
): Promise<BuildReport> {
  const { out, source, keep = 0, copiedFrom } = options;
  assertCacheOutside(output.folder, source.cacheFolder);
  const published = await readPublishedSite(output);
  const { loaded, copied, settings } =
    copiedFrom === undefined
      ? await loadForBuild(published, options)
      : await loadForCopy(copiedFrom, output, published, options);
  const update = await updateData(published.dataSet, loaded, source);
  const { dataSet } = update;

  const publicFiles = readPublicFiles();
  const icons = await gatherIcons(dataSet, {
    source: settings.sprites,
    assets: publicFiles.files,
    copied: copied?.icons,
    readPublished: (icon) => readPublishedIcon(output, icon),
    fetcher: mayFetchIcons(options, loaded) ? source : undefined,
  });
  const previousWarnings = published.dataSet?.warnings ?? [];
  const warnings = groupWarnings(dataSet.warnings, previousWarnings);
  const inputs: Inputs = {
    meta: createSiteMeta(dataSet, loaded, settings, warnings),
    dataSet,
    dataLicense: readDataLicense(),
    hosts: settings.hosts,
    root: settings.root,
    archive: settings.archive,
    assets: [...publicFiles.files, ...icons.files],
  };
  const kept = keep > 0 ? await keepDataSet(out, dataSet, keep, source.today) : null;
  const result = await publishSite(output, inputs, source.signal);
  const notices = [
    ...describeRestart(published),
    ...publicFiles.notices,
    ...icons.notices,
  ];
  const changed = published.meta
    ? describeChangedSettings(settings, published.meta)
    : [];
  const { baseUrl, links, hosts } = settings;
  const report = createReport(loaded, update, result, {
    output,
    warnings,
    notices,
    started,
  });
  return {
    ...report,
    site: { baseUrl, links, hosts, changed },
    icons: icons.report,
    kept,
  };
}

/** The parts of the published site that the next site takes over. */
interface PublishedSite {
  /** Undefined if nothing is published. */
  readonly meta: Meta | undefined;
  /**
   * Undefined if nothing is published, or if an earlier version published a site
   * without a data set.
   */
  readonly dataSet: PreviousDataSet | undefined;
}

/**
 * Reads the description and the data set of the published site, which the next site
 * continues. Otherwise, its history and its old slugs would start again.
 *
 * @throws GamedataError if the published data set or `meta.json` is damaged
 */
async function readPublishedSite({
  folder,
  published: { entries },
}: Output): Promise<PublishedSite> {
  if (entries.size === 0) return { meta: undefined, dataSet: undefined };
  try {
    const meta = readMeta(folder, entries);
    const hasData = entries.has(DATA_FOLDER + DATA_SET_FILE);
    const dataSet = hasData
      ? await readPreviousDataSet(openSiteData(folder))
      : undefined;
    return { meta, dataSet };
  } catch (cause) {
    if (!(cause instanceof GamedataError)) throw cause;
    const hint = 'Restore the file from a copy, or build into a new folder.';
    const problem = `cannot be continued: ${cause.message}`;
    throw new GamedataError('output', `${folder}: ${problem}`, { cause, hint });
  }
}

/** Reads a published icon that is neither damaged nor the placeholder. */
function readPublishedIcon(
  { folder, published: { entries } }: Output,
  icon: string,
): Buffer | undefined {
  const entry = entries.get(icon);
  const placeholder = entries.get(PLACEHOLDER_ICON);
  const isPlaceholder = entry?.sha256 === placeholder?.sha256;
  if (!entry || isPlaceholder) return undefined;
  return readIfIntact(folder, entry);
}

function describeRestart({ meta, dataSet }: PublishedSite): string[] {
  if (!meta || dataSet) return [];
  return [
    'the published site has no data set, so its history and old slugs start again',
  ];
}

interface LoadedSite {
  readonly loaded: SourceResult;
  /** Undefined for a build. */
  readonly copied: CopiedSite | undefined;
  readonly settings: Settings;
}

/**
 * Resolves the settings of a build, and then reads the data from its source, so that
 * invalid settings fail before anything is read.
 */
async function loadForBuild(
  published: PublishedSite,
  options: MakeSiteOptions,
): Promise<LoadedSite> {
  const settings = resolveNamedSettings(options, published);
  const loaded = await loadSource({
    ...options.source,
    isPublished: published.meta !== undefined,
    previous: published.dataSet,
  });
  return { loaded, copied: undefined, settings };
}

/**
 * Reads the site that is copied. Its `meta.json` comes first, because the base URL and
 * the links of the copy come from there, and because the settings determine whether the
 * icons are read.
 */
async function loadForCopy(
  copiedFrom: string,
  output: Output,
  published: PublishedSite,
  options: MakeSiteOptions,
): Promise<LoadedSite> {
  const copied = await copySite(copiedFrom, output, {
    ...options.source,
    wantsIcons(copiedMeta) {
      const { sprites } = resolveNamedSettings(options, published, copiedMeta);
      return sprites.mode === 'mirror';
    },
  });
  const { dataSet, meta, requests } = copied;
  const loaded = { dataSet, source: meta.source, isCopy: true, requests };
  const settings = resolveNamedSettings(options, published, meta);
  return { loaded, copied, settings };
}

/**
 * Resolves the settings, and compares them with those of the published site.
 *
 * @param copied describes the copied site; undefined for a build
 * @throws GamedataError if a setting is invalid, or would be changed without being named
 */
function resolveNamedSettings(
  { wanted, out }: MakeSiteOptions,
  published: PublishedSite,
  copied?: Meta,
): Settings {
  const settings = resolveSettings(wanted, out, copied);
  if (published.meta) assertSettingsNamed(wanted, settings, published.meta);
  return settings;
}

/** Creates the content of `meta.json`. */
function createSiteMeta(
  { provenance, digest, namesSummary, counts }: DataSet,
  { fallback }: SourceResult,
  settings: Settings,
  warnings: readonly WarningGroup[],
): Meta {
  return createMeta({
    generator: PRODUCT,
    ...provenance,
    fallback: fallback ?? null,
    warnings: countWarnings(warnings),
    digest,
    names: namesSummary,
    counts,
    base_url: settings.baseUrl,
    links: settings.links,
    hosts: [...settings.hosts],
    sprites: settings.sprites,
    // The field is omitted for a site without an archive.
    ...(settings.archive && { archive: true }),
  });
}

/**
 * Returns whether icons may be requested from the network. If the data did not come from
 * there, the user must have asked for the icons.
 */
function mayFetchIcons(
  { source: { source, upstream }, wanted: { sprites } }: MakeSiteOptions,
  { fallback }: SourceResult,
): boolean {
  const isWanted = sprites.mode !== undefined || sprites.upstream !== undefined;
  if (isWanted) return true;
  if (source === 'snapshot' || fallback !== undefined) return false;
  return upstream === undefined || isUrl(upstream);
}

/**
 * The inputs that determine a site's files, except for files that are part of gamedata
 * itself.
 */
type Inputs = Omit<SiteInput, 'buildAssets'>;

/**
 * Generates and publishes a site. If the same code has already generated the published
 * site from the same inputs, nothing is written.
 */
async function publishSite(
  output: Output,
  inputs: Inputs,
  signal: AbortSignal | undefined,
): Promise<PublishResult> {
  const buildInputs = hashInputs(inputs);
  if (output.isUnchanged(buildInputs)) return output.keepPublished();
  // Most scheduled builds change nothing, so we load the page-rendering code only
  // here.
  const { generateFiles } = await import('../site/generate-site.ts');
  const files = await generateFiles({ ...inputs, buildAssets: readBuildAssets() });
  return output.publish(files, {
    encodeManifest: (entries) => encodeManifest(buildInputs, entries),
    signal,
  });
}

/**
 * Hashes everything that a site's files depend on, so that a build with the same hashes
 * as the published site can skip generating it. `meta.json` stands in for the records,
 * the names and most options, because it contains their digests and values.
 */
function hashInputs({ meta, dataSet, root, assets }: Inputs): Required<BuildInputs> {
  const assetHashes = assets.map((file) => [file.path, sha256(encodeBody(file))]);
  const { history, oldSlugs } = dataSet.readPast();
  const past = [history, encodeOldSlugs(oldSlugs)];
  const inputs: unknown[] = [meta, dataSet.warnings, past, assetHashes];
  // Only the configuration of web servers contains the document root, so another one
  // changes nothing for other hosts.
  const hasRoot = meta.hosts.some((host) => webServerNames.includes(host));
  if (hasRoot) inputs.push({ root });
  return {
    generator: meta.generator,
    code: codeDigest(),
    inputs: sha256(JSON.stringify(inputs)),
  };
}
