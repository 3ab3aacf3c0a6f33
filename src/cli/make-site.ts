/** Builds and copies: source → data set → site → output folder. */

import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { archiveFiles } from '../contract/files.ts';
import { type AnyFile, type BuildInputs, createMeta, encodeBody, type Meta } from '../contract/meta.ts';
import { API_PREFIX, isHostConfig } from '../contract/paths.ts';
import type { Warning } from '../dataset/data-set.ts';
import { encodeFormer } from '../dataset/former.ts';
import { checkReplacement } from '../dataset/guard.ts';
import { compareDataSets, type Replacement } from '../dataset/replacement.ts';
import { type Host, installCommand } from '../hosts/host.ts';
import { type HostName, webServerNames } from '../hosts/index.ts';
import { codeDigest, PRODUCT, readBuildAssets, readPublicFiles } from '../package.ts';
import { type Output, withOutput } from '../publish/publish.ts';
import { createEntry } from '../publish/read-published.ts';
import type { SiteInput } from '../site/generate-site.ts';
import { gatherIcons, type IconsReport } from '../sources/icons.ts';
import { type Loaded, loadSource } from '../sources/index.ts';
import { entriesByPath, openLocalSite, readManifest, type Site } from '../sources/site/read.ts';
import { folderStorage } from '../sources/site/storage.ts';
import { checkFolders } from './folders.ts';
import {
  countWarnings,
  createReport,
  groupWarnings,
  type Report,
  readWarnings,
  type WarningGroup,
} from './report.ts';
import { type PublishedSettings, resolveSettings, type Settings, type WantedSettings } from './settings.ts';
import type { SourceSettings } from './shared-options.ts';

export interface SiteReport extends Report, Pick<Settings, 'baseUrl' | 'baseUrlFrom' | 'links' | 'hosts'> {
  /** For each web server whose configuration or redirects have changed, the command that its operator runs now. */
  readonly install: readonly string[];
  readonly sprites: IconsReport;
  /** Files and kinds of the source that the new site lacks. */
  readonly leftBehind: readonly string[];
  readonly missingKinds: readonly string[];
}

export interface MakeOptions {
  readonly out: string;
  readonly source: SourceSettings;
  readonly wanted: WantedSettings;
  /** Whether published files are compared by content, not by size and time. */
  readonly verify: boolean;
  /** Whether the site is a copy, of another site or of the one that it replaces. */
  readonly copies?: 'another' | 'itself' | undefined;
}

/**
 * The main job: locks the output folder, reads a data set, compares it with the published one, checks it, and publishes its site.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then unchanged
 */
export function makeSite({ out, source, wanted, verify, copies }: MakeOptions): Promise<SiteReport> {
  const started = performance.now();
  const work = async (output: Output): Promise<SiteReport> => {
    checkFolders(output, 'site', source);
    const previous = output.readDataSet();
    const resolve = (copied: Site | undefined): Settings =>
      resolveSettings(wanted, out, {
        published: describePublished(output),
        copied: copied?.meta,
        isOwnSource: copies === 'itself',
      });
    // A build can fail before it reads its source.
    const known = copies ? undefined : resolve(undefined);
    const local = openLocalSite(output.folder, output.published.entries, previous);
    const next = await loadSource({ ...source, local, hasIcons: wanted.sprites.mode === 'mirror' });
    const changes = compareDataSets(next, previous, source);
    checkReplacement(changes, source);
    const settings = known ?? resolve(next.site);
    const assets = readPublicFiles();
    const icons = await gatherIcons(settings.sprites, changes.dataSet.records, {
      assets,
      fetcher: source,
      site: next.site,
    });
    const warnings = listWarnings(next, icons.warnings);
    const meta = describeSite(next, changes, settings, warnings);
    const { records, names } = changes.dataSet;
    const inputs = { ...settings, ...changes, meta, records, names, assets: [...assets, ...icons.files] };
    const buildInputs = fingerprint(inputs);
    const isUnchanged = output.isUnchanged(buildInputs);
    const files = isUnchanged ? [] : await generateSite(inputs);
    const result = isUnchanged
      ? output.unchanged()
      : await output.publish(files, { signal: source.signal, buildInputs });
    return {
      ...createReport(next, changes, result, { output, warnings, started }),
      ...{
        baseUrl: settings.baseUrl,
        baseUrlFrom: settings.baseUrlFrom,
        links: settings.links,
        hosts: settings.hosts,
      },
      ...{ install: await listInstallCommands(settings.hosts, output, files), sprites: icons.report },
      ...findLeftBehind(next.site, out),
    };
  };
  return withOutput(out, work, { byContent: verify, takeLock: source.takeLock, onNotice: source.onNotice });
}

/** Undefined if nothing is published; without fields if the published site does not describe itself. */
const describePublished = ({ published: { entries, meta } }: Output): PublishedSettings =>
  entries.size === 0 ? undefined : (meta ?? {});

/** A copied site has the numbers of its warnings, except those about icons, which are gathered again. */
const listWarnings = ({ site, dataSet }: Loaded, ofIcons: readonly Warning[]): WarningGroup[] => [
  ...(site ? readWarnings(site.meta) : groupWarnings(dataSet.warnings)),
  ...groupWarnings(ofIcons),
];

function describeSite(
  { source }: Loaded,
  { dataSet: { provenance, digest, counts, namesSummary }, fallback }: Replacement,
  { baseUrl, links, hosts, downloads, archive, sprites }: Settings,
  warnings: readonly WarningGroup[],
): Meta {
  return createMeta({
    ...{ ...provenance, generator: PRODUCT, source, fallback, warnings: countWarnings(warnings) },
    ...{ digest, names: namesSummary, base_url: baseUrl, links, hosts: [...hosts], downloads },
    ...(archive && { archive }),
    ...{ sprites, counts },
  });
}

type Inputs = Omit<SiteInput, 'buildAssets'>;

/** Most scheduled builds change nothing and need no code of pages and hosts. */
async function generateSite(inputs: Inputs): Promise<AnyFile[]> {
  const { generateFiles } = await import('../site/generate-site.ts');
  return generateFiles({ ...inputs, buildAssets: readBuildAssets() });
}

/**
 * Identifies the files of a site by what they are generated from. Records and options need not be read, because `meta.json` has the
 * digest of the records and all options.
 */
function fingerprint({ meta, history, former, archive, serving, assets }: Inputs): Required<BuildInputs> {
  const listed = assets.map((file) => [file.path, hash('sha256', encodeBody(file))]);
  listed.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  // Only the configuration of web servers depends on the folder.
  const served = meta.hosts.some((host) => webServerNames.includes(host)) ? [serving] : [];
  const inputs = JSON.stringify([meta, history, encodeFormer(former), archive, listed, ...served]);
  return { generator: meta.generator, code: codeDigest(), inputs: hash('sha256', inputs) };
}

function findLeftBehind(
  site: Site | undefined,
  out: string,
): Pick<SiteReport, 'leftBehind' | 'missingKinds'> {
  if (!site) return { leftBehind: [], missingKinds: [] };
  const now = entriesByPath(readManifest(folderStorage(out)));
  const left = [...site.entries.keys()].filter(
    (file) => !now.has(file) && !isHostConfig(file) && !archiveFiles.includes(file),
  );
  // A record of a kind that this version does not have: `api/gamedata/<kind>/<slug>/index.json`.
  const kinds = left.flatMap((file) => {
    const [kind, ...inside] = file.startsWith(API_PREFIX.slice(1))
      ? file.slice(API_PREFIX.length - 1).split('/')
      : [];
    return kind !== undefined && inside.length === 1 ? [kind] : [];
  });
  return { leftBehind: left, missingKinds: [...new Set(kinds)] };
}

/** For each web server whose configuration changed, what its operator must run. */
async function listInstallCommands(
  names: readonly HostName[],
  { name: out, published }: Output,
  files: readonly AnyFile[],
): Promise<string[]> {
  if (files.length === 0) return [];
  const { hosts } = await import('../hosts/index.ts');
  const change = (name: string) => {
    const [before, file] = [published.entries.get(name), files.find(({ path }) => path === name)];
    if (before === undefined || file === undefined) return 'added';
    return before.sha256 === createEntry(name, encodeBody(file)).sha256 ? 'none' : 'changed';
  };
  return names.flatMap((name) => {
    const { installation }: Host = hosts[name];
    return (installation && installCommand(installation, out, change)) ?? [];
  });
}
