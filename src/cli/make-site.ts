import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { archiveFiles } from '../contract/files.ts';
import {
  type AnyFile,
  type BuildInputs,
  createMeta,
  encodeBody,
  type Meta,
} from '../contract/meta.ts';
import { API_PREFIX, isHostConfig, isUrl, META_FILE } from '../contract/paths.ts';
import { checkIcons, checkUpdate } from '../dataset/guard.ts';
import { encodeOldSlugs } from '../dataset/old-slugs.ts';
import { planUpdate } from '../dataset/update.ts';
import { OutputError, toOutputError, UsageError } from '../errors.ts';
import { isInside } from '../files.ts';
import { type Host, installCommand } from '../hosts/host.ts';
import { hosts as allHosts, type HostName, webServerNames } from '../hosts/index.ts';
import { codeDigest, PRODUCT, readBuildAssets, readPublicFiles } from '../package.ts';
import { type Output, withOutput } from '../publish/publish.ts';
import { resolveWorkPaths } from '../publish/work-paths.ts';
import type { SiteInput } from '../site/generate-site.ts';
import { gatherIcons, type IconOrigins } from '../sources/icons.ts';
import { loadSource } from '../sources/index.ts';
import { readPreviousSite, type Site } from '../sources/site/read.ts';
import { folderStorage } from '../sources/site/storage.ts';
import { PROVENANCE_FILE } from '../sources/snapshot.ts';
import type { SourceResult } from '../sources/source.ts';
import {
  type BuildReport,
  countWarnings,
  createReport,
  groupWarnings,
  readWarnings,
} from './report.ts';
import { resolveSettings, type WantedSettings } from './site-options.ts';
import { type SourceSettings, waitForSource } from './source-options.ts';

export interface MakeSiteOptions {
  readonly out: string;
  readonly source: SourceSettings;
  readonly wanted: WantedSettings;
  readonly verify: boolean;
  /** The number of states of the data whose archives are kept. */
  readonly keep?: number | undefined;
  /** Whether the source is another site or the published one; undefined for a build from an upstream or snapshot. */
  readonly copies?: 'another' | 'itself' | undefined;
}

/** Builds a site or a copy. @throws UsageError, UpstreamError, DataError, GuardError or OutputError; the published site is then unchanged */
export async function makeSite(options: MakeSiteOptions): Promise<BuildReport> {
  const started = performance.now();
  const { out, verify, source } = options;
  await waitForSource(source, out);
  const work = (output: Output) => replaceSite(output, options, started);
  const report = await withOutput(out, work, { ...source, byContent: verify });
  return { ...report, ...(await verifyAndArchive(options)) };
}

/** The main job: reads a data set, compares it with the published one, checks it, and publishes its site. */
async function replaceSite(
  output: Output,
  { out, source, wanted, copies }: MakeSiteOptions,
  started: number,
): Promise<Omit<BuildReport, keyof FinalReport>> {
  assertReplaceableContents(output, 'site', source.cacheFolder);
  const previous = readPreviousSite(folderStorage(output.folder, output.name), output.published);
  const { entries } = output.published;
  // Without fields, `meta.json` is damaged.
  const published = entries.size === 0 ? undefined : (output.published.meta ?? {});
  const resolve = (site?: Meta) =>
    resolveSettings(wanted, out, {
      published,
      copied: copies && site,
      isOwnSource: copies === 'itself',
    });
  // A build with invalid settings fails before it reads the upstream. A copy needs settings of the source.
  if (!copies) resolve();

  const hasIcons = (meta: Meta | undefined) => resolve(meta).sprites.mode === 'mirror';
  const next = await loadSource({ ...source, previous, hasIcons });
  const update = planUpdate(next, previous, source);
  checkUpdate(update, source);

  const settings = resolve(next.site?.meta);
  const { baseUrl, baseUrlFrom, links, hosts, downloads, archive, sprites } = settings;
  const { records, names, provenance, digest, counts, namesSummary } = update.dataSet;
  const publicFiles = readPublicFiles();
  const icons = await gatherIcons(sprites, records, {
    assets: publicFiles,
    site: next.site,
    previous,
    fetching: chooseFetching(wanted, source, next),
    fetcher: source,
  });
  checkIcons(update, icons.warnings, source);
  const dataWarnings = next.site
    ? readWarnings(next.site.meta)
    : groupWarnings(next.dataSet.warnings);
  const warnings = [...dataWarnings, ...groupWarnings(icons.warnings)];

  const { past, fallback } = update;
  const meta = createMeta({
    generator: PRODUCT,
    ...provenance,
    source: next.source,
    fallback,
    warnings: countWarnings(warnings),
    digest,
    names: namesSummary,
    counts,
    base_url: baseUrl,
    links,
    hosts,
    downloads,
    sprites,
    ...(archive && { archive }),
  });
  const assets = [...publicFiles, ...icons.files];
  const inputs = { ...settings, meta, records, names, past, assets };
  const buildInputs = fingerprint(inputs);
  const isUnchanged = output.isUnchanged(buildInputs);
  const files = isUnchanged ? undefined : await generateSite(inputs);
  const result = files
    ? await output.publish(files, { signal: source.signal, buildInputs })
    : output.keepPublished();

  return {
    ...createReport(next, update, result, { output, warnings, notices: icons.notices, started }),
    baseUrl,
    baseUrlFrom,
    links,
    hosts,
    install: files ? listInstallCommands(hosts, output, files) : [],
    sprites: icons.report,
    ...findLeftBehind(next.site, files ?? [...entries.values()]),
  };
}

type FinalReport = Pick<BuildReport, 'verified' | 'problems' | 'kept'>;

/** Checks and archives a published site. Failures are problems instead of errors, because the site stays published. */
async function verifyAndArchive({ out, verify, keep = 0 }: MakeSiteOptions): Promise<FinalReport> {
  let verified = null;
  try {
    const checked = verify ? (await import('../verify/folder.ts')).verifyFolder(out) : undefined;
    const problems = checked?.problems ?? [];
    verified = checked?.files ?? null;
    if (problems.length > 0 || keep === 0) return { verified, problems, kept: null };
    const { keepArchive } = await import('./keep-archive.ts');
    return { verified, problems, kept: await keepArchive(out, keep) };
  } catch (thrown) {
    const error = toOutputError(thrown, out);
    if (!(error instanceof OutputError)) throw thrown;
    return { verified, problems: [{ file: error.path, problem: error.problem }], kept: null };
  }
}

/** By default, allows icon requests only if the source is remote as well. */
export function chooseFetching(
  { sprites }: Pick<WantedSettings, 'sprites'>,
  { source, upstream }: Pick<SourceSettings, 'source' | 'upstream'>,
  { fallback }: Pick<SourceResult, 'fallback'>,
): IconOrigins['fetching'] {
  if (sprites.mode !== undefined || sprites.upstream !== undefined) return 'always';
  const isRemote =
    source !== 'snapshot' && fallback === undefined && (upstream === undefined || isUrl(upstream));
  return isRemote ? 'ifReachable' : 'never';
}

/** Rejects a site that would replace a data set or the reverse, and a cache inside the output folder. */
export function assertReplaceableContents(
  { name, folder, published: { entries } }: Output,
  wanted: 'site' | 'data set',
  cache: string | undefined,
): void {
  const [isSite, isDataSet] = [META_FILE, PROVENANCE_FILE].map((file) => entries.has(file));
  const found = isSite ? 'site' : 'data set';
  if (isSite !== isDataSet && found !== wanted)
    throw new OutputError(`contains a ${found}, expected a ${wanted} or an empty folder`, name, {
      hint: `Choose another folder with --${wanted === 'site' ? 'out' : 'data'}.`,
    });
  const cacheFolder = cache === undefined ? undefined : resolveWorkPaths(cache).out;
  if (cacheFolder === folder || (cacheFolder && isInside(folder, cacheFolder)))
    throw new UsageError(
      `--cache: got ${JSON.stringify(cache)}, expected a folder outside ${JSON.stringify(name)}`,
    );
}

type Inputs = Omit<SiteInput, 'buildAssets'>;

/** Most scheduled builds change nothing, so the page-rendering code is loaded only here. */
const generateSite = async (inputs: Inputs): Promise<AnyFile[]> =>
  (await import('../site/generate-site.ts')).generateFiles({
    ...inputs,
    buildAssets: readBuildAssets(),
  });

/** Hashes the inputs of a site. `meta.json` stands for the records and most options, because it has the digest and those options. */
function fingerprint({ meta, past, archive, root, assets }: Inputs): Required<BuildInputs> {
  const hashes = assets.map((file) => [file.path, hash('sha256', encodeBody(file))]);
  hashes.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  // Only the configuration of web servers contains the document root.
  const served = meta.hosts.some((host) => webServerNames.includes(host)) ? [{ root }] : [];
  const inputs = JSON.stringify([
    meta,
    past.history,
    encodeOldSlugs(past.oldSlugs),
    archive,
    hashes,
    ...served,
  ]);
  return { generator: meta.generator, code: codeDigest(), inputs: hash('sha256', inputs) };
}

function findLeftBehind(
  source: Site | undefined,
  files: readonly { readonly path: string }[],
): Pick<BuildReport, 'leftBehind' | 'missingKinds'> {
  const own = new Set(files.map(({ path }) => path));
  const leftBehind = [...(source?.entries.keys() ?? [])].filter(
    (file) => !own.has(file) && !isHostConfig(file) && !archiveFiles.includes(file),
  );
  // `api/gamedata/<kind>/index.json`
  const listFile = new RegExp(`^${API_PREFIX.slice(1)}([^/]+)/index\\.json$`);
  return { leftBehind, missingKinds: leftBehind.flatMap((file) => listFile.exec(file)?.[1] ?? []) };
}

function listInstallCommands(
  names: readonly HostName[],
  { name: out, published }: Output,
  files: readonly AnyFile[],
): string[] {
  const change = (name: string) => {
    const before = published.entries.get(name);
    const file = files.find(({ path }) => path === name);
    if (file === undefined) return 'none';
    if (before === undefined) return 'added';
    return before.sha256 === hash('sha256', encodeBody(file)) ? 'none' : 'changed';
  };
  return names.flatMap((name) => {
    const { installation }: Host = allHosts[name];
    return (installation && installCommand(installation, out, change)) ?? [];
  });
}
