import { performance } from 'node:perf_hooks';
import { readPreviousSite } from '../built/previous-site.ts';
import type { BuiltSite } from '../built/site.ts';
import { folderStorage } from '../built/site-folder.ts';
import { archiveFiles } from '../contract/files.ts';
import {
  type BuildInputs,
  createMeta,
  encodeBody,
  type Meta,
  type SiteFile,
} from '../contract/meta.ts';
import { API_PREFIX, isUrl } from '../contract/paths.ts';
import type { DataSet } from '../dataset/data-set.ts';
import { encodeOldSlugs } from '../dataset/old-slugs.ts';
import type { Update } from '../dataset/update.ts';
import { OutputError } from '../errors.ts';
import { toOutputError } from '../files.ts';
import {
  hosts as allHosts,
  type HostName,
  isHostConfig,
  webServerNames,
} from '../hosts/index.ts';
import { installCommand } from '../hosts/install-command.ts';
import {
  codeDigest,
  PRODUCT,
  readBuildAssets,
  readPublicFiles,
} from '../package.ts';
import { type Output, type PublishResult, withOutput } from '../publish/publish.ts';
import { sha256 } from '../sha256.ts';
import type { SiteInput } from '../site/generate-site.ts';
import { gatherIcons } from '../upstream/icons.ts';
import type { SourceResult } from '../upstream/source.ts';
import { assertReplaceableContents } from './contents.ts';
import { loadUpdate } from './load-update.ts';
import {
  type BuildReport,
  type ChecksReport,
  countWarnings,
  createReport,
  groupWarnings,
  type LeftBehindReport,
  readWarnings,
  type WarningGroup,
} from './report.ts';
import {
  describeForgottenOptions,
  resolveSettings,
  type Settings,
  type WantedSettings,
} from './settings.ts';
import type { SourceSettings } from './source-settings.ts';

export interface MakeSiteOptions {
  readonly out: string;
  readonly source: SourceSettings;
  readonly wanted: WantedSettings;
  readonly verify: boolean;
  /** The number of data states for which an archive is kept. */
  readonly keep?: number | undefined;
  /**
   * Whether the site is a copy of another site, or is rebuilt from itself. Undefined
   * for a build from an upstream or a snapshot.
   */
  readonly copies?: 'another' | 'itself' | undefined;
}

/**
 * Builds a site or a copy, and publishes it into a folder.
 *
 * Before anything is read, the folder is locked and an interrupted build is
 * finished. After the site is published and the lock is released, the site is
 * verified and archived if the user asked for it.
 *
 * After an error, the published site is unchanged, except for an interrupted build
 * that was finished. The only other exception is a failure to move the new files
 * into place: the folder may then contain parts of both sites, and the next command
 * that publishes there completes the change.
 *
 * @throws UsageError, UpstreamError, DataError, GuardError or OutputError
 */
export async function makeSite(options: MakeSiteOptions): Promise<BuildReport> {
  const started = performance.now();
  const { out, source } = options;
  const work = (output: Output) => buildSite(output, options, started);
  const report = await withOutput(out, work, source);
  const checks = await verifyAndArchive(options);
  return { ...report, checks };
}

/**
 * Builds a site into an output folder that is locked.
 *
 * First, the data set is read, compared with the published one, and checked by the
 * guard. The icons come next, because the records determine which icons the site
 * needs, and the guard checks these as well. All checks come before the site is
 * generated and published, so a rejected build leaves the published site as it is.
 * The report is created last, because it contains the results of publishing.
 */
async function buildSite(
  output: Output,
  { out, source, wanted, copies }: MakeSiteOptions,
  started: number,
): Promise<Omit<BuildReport, 'checks'>> {
  assertReplaceableContents(output, 'site', source.cacheFolder);
  const previous = readPreviousSite(folderStorage(output.folder), output.published);
  const published = findPublishedMeta(output);
  const resolve = (sourceMeta: Meta | undefined): Settings => {
    const copied = copies ? sourceMeta : undefined;
    return resolveSettings(wanted, out, {
      published,
      copied,
      isOwnSource: copies === 'itself',
    });
  };
  // We resolve the settings early, so that a build with invalid settings fails
  // before it reads the upstream. A copy cannot do this, because it needs the
  // settings of the copied site.
  if (!copies) resolve(undefined);

  const hasIcons = (meta: Meta | undefined): boolean =>
    resolve(meta).sprites.mode === 'mirror';
  const { loaded, update } = await loadUpdate(
    {
      ...source,
      previous,
      hasIcons,
      isPublished: output.published.entries.size > 0,
    },
    previous,
  );

  const settings = resolve(loaded.site?.meta);
  const publicFiles = readPublicFiles();
  const mayFetchIcons = namesIcons(wanted) || isRemote(source, loaded);
  const icons = await gatherIcons(update.dataSet, {
    source: settings.sprites,
    assets: publicFiles.files,
    copiedSite: loaded.site,
    publishedSite: previous,
    fetcher: mayFetchIcons ? source : undefined,
  });

  const warnings = findDataWarnings(loaded);
  const inputs: Inputs = {
    meta: describeSite(loaded, update, settings, warnings),
    dataSet: update.dataSet,
    past: update.past,
    hosts: settings.hosts,
    root: settings.root,
    archive: settings.archive,
    assets: [...publicFiles.files, ...icons.files],
  };
  const { result, files, install } = await publishSite(
    output,
    inputs,
    source.signal,
  );
  const notices = [
    ...publicFiles.notices,
    ...icons.notices,
    ...describeForgottenOptions({
      wanted,
      published,
      settings,
      isCopy: copies !== undefined,
    }),
  ];
  const { baseUrl, baseUrlFrom, links, hosts } = settings;
  return {
    ...createReport(loaded, update, result, { output, warnings, notices, started }),
    site: { baseUrl, baseUrlFrom, links, hosts, install },
    icons: icons.report,
    leftBehind: findLeftBehind(loaded.site, files),
  };
}

/**
 * Reads `meta.json` of the published site. Returns undefined if nothing is
 * published, and an empty object if the file is damaged.
 */
function findPublishedMeta({ published }: Output): Partial<Meta> | undefined {
  if (published.entries.size === 0) return undefined;
  return published.meta ?? {};
}

function findDataWarnings({ site, dataSet }: SourceResult): WarningGroup[] {
  return site ? readWarnings(site.meta) : groupWarnings(dataSet.warnings);
}

function describeSite(
  loaded: SourceResult,
  { dataSet, fallback }: Update,
  settings: Settings,
  warnings: readonly WarningGroup[],
): Meta {
  return createMeta({
    generator: PRODUCT,
    ...dataSet.provenance,
    source: loaded.source,
    fallback,
    warnings: countWarnings(warnings),
    digest: dataSet.digest,
    names: dataSet.namesSummary,
    counts: dataSet.counts,
    base_url: settings.baseUrl,
    links: settings.links,
    hosts: [...settings.hosts],
    downloads: settings.downloads,
    sprites: settings.sprites,
    // The field is omitted for a site without an archive.
    ...(settings.archive && { archive: true }),
  });
}

/** Returns whether the user chose how to serve icons, or where to fetch them. */
export function namesIcons({ sprites }: Pick<WantedSettings, 'sprites'>): boolean {
  return sprites.mode !== undefined || sprites.upstream !== undefined;
}

/**
 * Returns whether the data came from the network. If it did not, icons are fetched
 * from the network only if the user asked for them.
 */
export function isRemote(
  { source, upstream }: Pick<SourceSettings, 'source' | 'upstream'>,
  { fallback }: Pick<SourceResult, 'fallback'>,
): boolean {
  if (source === 'snapshot' || fallback !== undefined) return false;
  return upstream === undefined || isUrl(upstream);
}

/**
 * The inputs that determine a site's files, except for files that are part of
 * gamedata itself. The records and names are read only if the site has changed.
 */
interface Inputs extends Omit<SiteInput, 'buildAssets' | 'records' | 'names'> {
  readonly dataSet: DataSet;
}

interface PublishedSite {
  readonly result: PublishResult;
  /**
   * The site's files. If the site has not changed, these are the published files.
   */
  readonly files: readonly { readonly path: string }[];
  readonly install: readonly string[];
}

/**
 * Generates and publishes a site. If the same code has already generated the
 * published site from the same inputs, nothing is written.
 */
async function publishSite(
  output: Output,
  inputs: Inputs,
  signal: AbortSignal | undefined,
): Promise<PublishedSite> {
  const buildInputs = fingerprint(inputs);
  if (output.isUnchanged(buildInputs)) {
    const files = [...output.published.entries.values()];
    return { result: output.keepPublished(), files, install: [] };
  }
  // Most scheduled builds change nothing, so we load the page-rendering code only
  // here.
  const { generateFiles } = await import('../site/generate-site.ts');
  const { dataSet, ...siteInputs } = inputs;
  const files = await generateFiles({
    ...siteInputs,
    records: dataSet.records,
    names: dataSet.readNames(),
    buildAssets: readBuildAssets(),
  });
  const install = listInstallCommands(inputs.hosts, output, files);
  const result = await output.publish(files, { signal, buildInputs });
  return { result, files, install };
}

/**
 * Hashes a site's inputs. `meta.json` stands in for the records and most options,
 * because it contains the records' digest and the values of those options.
 */
function fingerprint({ meta, past, root, assets }: Inputs): Required<BuildInputs> {
  const hashes = assets.map((file) => [file.path, sha256(encodeBody(file))]);
  hashes.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const inputs = [meta, past.history, encodeOldSlugs(past.oldSlugs), hashes];
  // The document root matters only for web servers, whose configuration contains it.
  const hasRoot = meta.hosts.some((host) => webServerNames.includes(host));
  const hashed = JSON.stringify(hasRoot ? [...inputs, { root }] : inputs);
  return {
    generator: meta.generator,
    code: codeDigest(),
    inputs: sha256(hashed),
  };
}

/**
 * Finds the parts of a copied site that the copy does not have, such as a kind that
 * this version of gamedata does not support.
 */
function findLeftBehind(
  source: BuiltSite | undefined,
  files: readonly { readonly path: string }[],
): LeftBehindReport {
  const copiedFiles = new Set(files.map(({ path }) => path));
  // Matches `api/gamedata/<kind>/index.json`.
  const listFile = new RegExp(`^${API_PREFIX.slice(1)}([^/]+)/index\\.json$`);
  const leftBehind: string[] = [];
  const kinds: string[] = [];
  for (const file of source?.entries.keys() ?? []) {
    if (copiedFiles.has(file) || isHostConfig(file) || archiveFiles.includes(file)) {
      continue;
    }
    leftBehind.push(file);
    const kind = listFile.exec(file)?.[1];
    if (kind !== undefined) kinds.push(kind);
  }
  return { files: leftBehind, kinds };
}

/**
 * Lists the commands that install the host configuration. Hosts whose configuration
 * has not changed need no command.
 */
function listInstallCommands(
  names: readonly HostName[],
  { folder: out, published }: Output,
  files: readonly SiteFile[],
): string[] {
  const findChange = (name: string): 'none' | 'added' | 'changed' => {
    const publishedFile = published.entries.get(name);
    const file = files.find(({ path }) => path === name);
    if (file === undefined) return 'none';
    if (publishedFile === undefined) return 'added';
    return publishedFile.sha256 === sha256(encodeBody(file)) ? 'none' : 'changed';
  };
  const commands: string[] = [];
  for (const name of names) {
    const { installation } = allHosts[name];
    const command = installation && installCommand(installation, out, findChange);
    if (command !== undefined) commands.push(command);
  }
  return commands;
}

/**
 * Verifies and archives a published site. Failures are reported as problems instead
 * of thrown, because the site stays published.
 */
async function verifyAndArchive({
  out,
  verify,
  keep = 0,
}: MakeSiteOptions): Promise<ChecksReport> {
  let verified: number | null = null;
  try {
    if (verify) {
      const { verifyFolder } = await import('../verify/folder.ts');
      const { files, problems } = verifyFolder(out);
      verified = files;
      if (problems.length > 0) return { verified, problems, archive: null };
    }
    if (keep === 0) return { verified, problems: [], archive: null };
    const { keepArchive } = await import('./keep-archive.ts');
    return { verified, problems: [], archive: await keepArchive(out, keep) };
  } catch (thrown) {
    const error = toOutputError(thrown, out);
    if (!(error instanceof OutputError)) throw thrown;
    return {
      verified,
      problems: [{ file: error.path, problem: error.problem }],
      archive: null,
    };
  }
}
