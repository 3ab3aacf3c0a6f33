import { performance } from 'node:perf_hooks';
import {
  type BuildInputs,
  createMeta,
  encodeBody,
  type Meta,
} from '../contract/meta.ts';
import { isUrl, PLACEHOLDER_ICON } from '../contract/paths.ts';
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
import { openSite, openSiteData, readIfIntact, readMeta } from '../site-folder.ts';
import {
  type CopiedSite,
  type CopyOptions,
  readSite,
} from '../upstream/copied-site.ts';
import { gatherIcons } from '../upstream/icons.ts';
import { loadSource } from '../upstream/index.ts';
import type { SourceResult } from '../upstream/source.ts';
import { keepDataSet } from './keep-data.ts';
import { type BuildReport, countWarnings, createReport } from './report.ts';
import {
  assertSettingsNamed,
  describeChangedSettings,
  resolveSettings,
  type Settings,
  type SourceSettings,
  type WantedSettings,
} from './settings.ts';
import { updateData } from './update-data.ts';

export interface MakeSiteOptions {
  readonly out: string;
  readonly source: SourceSettings;
  readonly wanted: WantedSettings;
  /** The number of published data sets to keep next to the site. */
  readonly keep?: number | undefined;
  /** The folder or URL of the site to copy. Undefined for a build. */
  readonly copiedFrom?: string | undefined;
}

/**
 * Builds a site or a copy, and publishes it into a folder. First, it locks the folder
 * and completes any change that a killed build left unfinished.
 *
 * @throws GamedataError. The published site is then unchanged, unless the new files
 * could not be moved into place. In that case, the next build completes the change.
 */
export async function makeSite(options: MakeSiteOptions): Promise<BuildReport> {
  const started = performance.now();
  const { out, source } = options;
  return withOutput(out, (output) => buildSite(output, options, started), {
    onNotice: source.onNotice,
  });
}

/**
 * Builds a site into a locked folder.
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
  const { out, source, keep = 0 } = options;
  const published = await readPublishedSite(output);
  const copied = await readCopiedSite(output, published, options);
  // We reject invalid settings before reading the source.
  const settings = resolveNamedSettings(options, published, copied?.meta);
  const loaded = await loadData(source, published, copied);
  const update = await updateData(published?.dataSet, loaded, source);
  const { dataSet } = update;

  const publicFiles = readPublicFiles();
  const icons = await gatherIcons(dataSet, {
    source: settings.sprites,
    assets: publicFiles,
    copied: copied?.icons,
    readPublished: (icon) => readPublishedIcon(output, icon),
    fetcher: mayFetchIcons(options, loaded) ? source : undefined,
  });
  const inputs: Inputs = {
    meta: createSiteMeta(dataSet, loaded, settings),
    dataSet,
    dataLicense: readDataLicense(),
    hosts: settings.hosts,
    root: settings.root,
    archive: settings.archive,
    assets: [...publicFiles, ...icons.files],
  };
  const kept = keep > 0 ? await keepDataSet(out, dataSet, keep, source.today) : null;
  const result = await publishSite(output, inputs, source.signal);
  const changed = published ? describeChangedSettings(settings, published.meta) : [];
  const { baseUrl, links, hosts } = settings;
  const report = createReport(loaded, update, result, {
    output,
    previous: published?.dataSet,
    notices: icons.notices,
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
  readonly meta: Meta;
  readonly dataSet: PreviousDataSet;
}

/**
 * Reads `meta.json` and the data set of the published site, which the next build
 * continues. Returns undefined if nothing is published.
 *
 * @throws GamedataError if the published data set or `meta.json` is damaged
 */
async function readPublishedSite({
  folder,
  published: { entries },
}: Output): Promise<PublishedSite | undefined> {
  if (entries.size === 0) return undefined;
  try {
    const meta = readMeta(folder, entries);
    const dataSet = await readPreviousDataSet(openSiteData(folder));
    return { meta, dataSet };
  } catch (cause) {
    if (!(cause instanceof GamedataError)) throw cause;
    const hint = 'Restore the file from a copy, or build into a new folder.';
    const problem = `cannot be continued: ${cause.message}`;
    throw new GamedataError('output', `${folder}: ${problem}`, { cause, hint });
  }
}

/**
 * Reads a published icon. Returns undefined if the file is damaged, or if it is a copy of
 * the placeholder because the icon could not be fetched.
 */
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

/**
 * Reads the site to copy. Returns undefined for a build. The icons are read only if the
 * copy will contain icons, which depends on the settings that the copy takes over from
 * the copied site's `meta.json`.
 */
async function readCopiedSite(
  output: Output,
  published: PublishedSite | undefined,
  options: MakeSiteOptions,
): Promise<CopiedSite | undefined> {
  const { copiedFrom, source } = options;
  if (copiedFrom === undefined) return undefined;
  const copyOptions: SourceSettings & CopyOptions = {
    ...source,
    wantsIcons(copiedMeta) {
      const { sprites } = resolveNamedSettings(options, published, copiedMeta);
      return sprites.mode === 'mirror';
    },
    // This way, updating a copy does not request thousands of icons again.
    readPublishedIcon: (icon) => readIfIntact(output.folder, icon),
  };
  if (!isUrl(copiedFrom)) return readSite(openSite(copiedFrom), copyOptions);
  // Copying a folder does not require undici, so we import this module on demand.
  const { readRemoteSite } = await import('../upstream/remote-data.ts');
  return readRemoteSite(copiedFrom, copyOptions);
}

/** Loads the data set from the source, or takes it from the copied site. */
async function loadData(
  source: SourceSettings,
  published: PublishedSite | undefined,
  copied: CopiedSite | undefined,
): Promise<SourceResult> {
  if (copied) {
    const { dataSet, meta, requests } = copied;
    return { dataSet, source: meta.source, isCopy: true, requests };
  }
  return loadSource({ ...source, previous: published?.dataSet });
}

/**
 * Resolves the settings, and compares them with those of the published site.
 *
 * @param copied describes the copied site; undefined for a build
 * @throws GamedataError if a setting is invalid, or would change although the user did
 * not name it
 */
function resolveNamedSettings(
  { wanted, out }: MakeSiteOptions,
  published: PublishedSite | undefined,
  copied?: Meta,
): Settings {
  const settings = resolveSettings(wanted, out, copied);
  if (published) assertSettingsNamed(wanted, settings, published.meta);
  return settings;
}

/** Creates the content of `meta.json`. */
function createSiteMeta(
  { provenance, digest, namesSummary, counts, warnings }: DataSet,
  { fallback }: SourceResult,
  settings: Settings,
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
 * Returns whether icons may be requested from the network. If the data does not come
 * from the network but, for example, from a snapshot or a folder of tables, the user
 * may be offline, so icons are requested only if an option asks for them.
 */
function mayFetchIcons(
  { source: { source, upstream }, wanted }: MakeSiteOptions,
  { fallback }: SourceResult,
): boolean {
  const { sprites, spritesUpstream } = wanted;
  const hasIconOption = sprites !== undefined || spritesUpstream !== undefined;
  if (hasIconOption) return true;
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
  // Only web server configurations contain the document root, so changing it does not
  // affect other hosts.
  const hasRoot = meta.hosts.some((host) => webServerNames.includes(host));
  if (hasRoot) inputs.push({ root });
  return {
    generator: meta.generator,
    code: codeDigest(),
    inputs: sha256(JSON.stringify(inputs)),
  };
}
