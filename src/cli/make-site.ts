/** The main job: source → data set → site → output folder. */

import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { archiveFiles } from '../contract/files.ts';
import { type AnyFile, bodyOf, createMeta, type Making, type SiteFile } from '../contract/meta.ts';
import { API_PREFIX, isHostFile } from '../contract/paths.ts';
import { encodeFormer } from '../dataset/former.ts';
import { type Host, installCommand } from '../hosts/host.ts';
import { type HostName, webServerNames } from '../hosts/names.ts';
import { type OpenOptions, type Output, type PublishResult, withOutput } from '../publish/publish.ts';
import { entryOf } from '../publish/published.ts';
import type { CompleteSite } from '../site/complete-site.ts';
import { type CaptureOptions, capture } from '../sources/capture.ts';
import { gatherIcons, type IconsReport } from '../sources/icons.ts';
import { openLocalSite } from '../sources/site/local.ts';
import { entriesOf, previousOfSite, readManifest, type Site } from '../sources/site/read.ts';
import { folderStorage } from '../sources/site/storage.ts';
import { codeDigest, PRODUCT } from '../version.ts';
import { checkOutside, refuseOtherFolder } from './folders.ts';
import { readAssets, readPackage } from './package-files.ts';
import { countWarnings, createReport, groupWarnings, type Report, readWarnings } from './report.ts';
import { resolveSettings, type Settings, type WantedSettings } from './settings.ts';

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
  readonly source: Omit<CaptureOptions, 'published'> & Pick<OpenOptions, 'takeLock'>;
  readonly wanted: WantedSettings;
  /** Whether published files are compared by content, not by size and time. */
  readonly verify: boolean;
  /** Whether the site is a copy, of another site or of the one that it replaces. */
  readonly copies?: 'another' | 'itself' | undefined;
}

/** @throws UsageError, UpstreamError, DataError or OutputError; the published site is then unchanged */
export async function makeSite({ out, source, wanted, verify, copies }: MakeOptions): Promise<SiteReport> {
  const started = performance.now();
  const { signal, takeLock, onNotice } = source;
  const work = async (output: Output): Promise<SiteReport> => {
    refuseOtherFolder(output, 'site');
    if (source.cacheFolder !== undefined) checkOutside('--cache', source.cacheFolder, out);
    const { entries, meta: published } = output.published;
    const previous = previousOfSite(folderStorage(output.folder, output.name), output.published);
    const kept = entries.size === 0 ? undefined : (published ?? {});
    const resolve = (copied: Site | undefined): Settings =>
      resolveSettings(wanted, out, {
        published: kept,
        copied: copied?.meta,
        isOwnSource: copies === 'itself',
      });
    // A build can fail before it reads its source.
    const early = copies ? undefined : resolve(undefined);
    const captured = await capture({
      ...{ ...source, published: previous },
      ...{
        local: openLocalSite(output.folder, entries, previous),
        hasIcons: wanted.sprites.mode === 'mirror',
      },
    });
    const { source: read, provenance, records, names, counts, digest, history, former, site } = captured;
    const settings = early ?? resolve(site);
    const { baseUrl, links, hosts, serving, downloads, archive, sprites } = settings;
    const handWritten = readAssets();
    const icons = await gatherIcons(sprites, records, { assets: handWritten, fetcher: source, site });
    const warnings = [
      ...(site ? readWarnings(site.meta) : groupWarnings(captured.warnings)),
      ...groupWarnings(icons.warnings),
    ];
    const meta = createMeta({
      ...provenance,
      generator: PRODUCT,
      source: read,
      fallback: captured.fallback,
      warnings: countWarnings(warnings),
      digest,
      names: captured.namesSummary,
      base_url: baseUrl,
      links,
      hosts: [...hosts],
      downloads,
      ...(archive && { archive }),
      sprites,
      counts,
    });
    const inputs = { meta, history, former, archive, serving, assets: [...handWritten, ...icons.files] };
    const making = describeMaking(inputs);
    let install: string[] = [];
    const make = async (): Promise<PublishResult> => {
      // Most scheduled builds change nothing, and need nothing of this.
      const { completeSite } = await import('../site/complete-site.ts');
      const complete = { ...inputs, records, names, hosts, package: readPackage() };
      const files = await completeSite(complete);
      install = await installCommands(hosts, output, files);
      return output.publish(files, { signal, making });
    };
    const result = output.confirm(making) ?? (await make());
    const notices = [...output.notices, ...captured.notices];
    const report = createReport({ ...captured, notices }, result, { out, warnings, started });
    return {
      ...report,
      ...{ baseUrl, baseUrlFrom: settings.baseUrlFrom, links, hosts },
      ...{ install, sprites: icons.report, ...findLeftBehind(site, out) },
    };
  };
  return withOutput(out, work, { byContent: verify, takeLock, onNotice });
}

interface Inputs extends Pick<CompleteSite, 'meta' | 'history' | 'former' | 'archive' | 'serving'> {
  readonly assets: readonly SiteFile[];
}

/**
 * What a site is made by and from: the same gives the same files. The records and the options need not be read: `meta.json` has the
 * digest of the former, and all of the latter.
 */
function describeMaking({ meta, history, former, archive, serving, assets }: Inputs): Required<Making> {
  const listed = assets.map(({ path, body }) => [path, hash('sha256', body)]);
  listed.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  // Otherwise a site does not depend on the folder that it is in.
  const served = meta.hosts.some((host) => webServerNames.includes(host)) ? [serving] : [];
  const inputs = JSON.stringify([meta, history, encodeFormer(former), archive, listed, ...served]);
  return { generator: meta.generator, code: codeDigest(), inputs: hash('sha256', inputs) };
}

function findLeftBehind(
  site: Site | undefined,
  out: string,
): Pick<SiteReport, 'leftBehind' | 'missingKinds'> {
  if (!site) return { leftBehind: [], missingKinds: [] };
  const now = entriesOf(readManifest(folderStorage(out)));
  const left = [...site.entries.keys()].filter(
    (file) => !now.has(file) && !isHostFile(file) && !archiveFiles.includes(file),
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

async function installCommands(
  names: readonly HostName[],
  { name: out, published }: Output,
  files: readonly AnyFile[],
): Promise<string[]> {
  const { hosts } = await import('../hosts/index.ts');
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
