/** What building, rebasing and restoring have in common: source → data set → site → output folder. */

import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { archiveFiles } from '../contract/files.ts';
import { type AnyFile, bodyOf, createMeta, type Making, type SiteFile } from '../contract/meta.ts';
import { isHostFile, type LinkStyle } from '../contract/paths.ts';
import type { IconSource } from '../contract/routes.ts';
import { encodeFormer } from '../dataset/former.ts';
import { type Host, installCommand, type Serving } from '../hosts/host.ts';
import { type HostName, webServerNames } from '../hosts/names.ts';
import { type OpenOptions, type Output, type PublishResult, withOutput } from '../publish/publish.ts';
import { entryOf } from '../publish/published.ts';
import type { CompleteSite } from '../site/complete-site.ts';
import { type CaptureOptions, capture, type Watchers } from '../sources/capture.ts';
import { gatherIcons, type IconsReport } from '../sources/icons.ts';
import { folderPlace } from '../sources/site/place.ts';
import { entriesOf, previousOfSite, readManifest, type Site } from '../sources/site/read.ts';
import { codeDigest, PRODUCT } from '../version.ts';
import { checkOutside, refuseOtherFolder } from './folders.ts';
import { readAssets, readPackage } from './package-files.ts';
import { countWarnings, createReport, groupWarnings, type Report, warningsOf } from './report.ts';

/** What a site is made like, apart from its data. */
export interface Settings {
  readonly baseUrl: string;
  readonly links: LinkStyle;
  readonly hosts: readonly HostName[];
  readonly serving: Serving;
  readonly downloads: boolean;
  readonly archive: boolean;
  readonly sprites: IconSource;
}

export interface SiteReport extends Report {
  /** For each web server whose configuration or redirects have changed, the command that its operator runs now. */
  readonly install: readonly string[];
  readonly sprites: IconsReport;
  /** Files of the site that was read, if one was, which the new one does not have. */
  readonly leftBehind: readonly string[];
}

export interface MakeOptions extends OpenOptions, Watchers {
  readonly out: string;
  readonly source: Omit<CaptureOptions, 'published'>;
  /** @param site the one that is read, if one is */
  readonly settingsOf: (site: Site | undefined) => Settings;
  readonly signal?: AbortSignal | undefined;
}

export interface Made {
  readonly report: SiteReport;
  readonly settings: Settings;
  readonly site: Site | undefined;
}

/** @throws UsageError, UpstreamError, DataError or OutputError; the published site is then unchanged */
export async function makeSite({ out, source, settingsOf, signal, ...options }: MakeOptions): Promise<Made> {
  const started = performance.now();
  const work = async (output: Output): Promise<Made> => {
    refuseOtherFolder(output, 'site');
    if (source.cacheFolder !== undefined) checkOutside('--cache', source.cacheFolder, out);
    const published = previousOfSite(folderPlace(output.folder, output.name), output.published);
    const captured = await capture({ ...source, ...options, published });
    const { source: read, provenance, records, names, counts, digest, history, former, site } = captured;
    const settings = settingsOf(site);
    const { baseUrl, links, hosts, serving, downloads, archive, sprites } = settings;
    const handWritten = readAssets();
    const icons = await gatherIcons(sprites, records, { assets: handWritten, fetcher: source, site });
    const warnings = [
      ...(site ? warningsOf(site.meta, sprites) : groupWarnings(captured.warnings)),
      ...groupWarnings(icons.warnings),
    ];
    const meta = createMeta({
      ...provenance,
      generator: PRODUCT,
      source: read,
      fallback: site ? site.meta.fallback : captured.fallback,
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
    const left = site ? leftBehind(site, out) : [];
    return { report: { ...report, install, sprites: icons.report, leftBehind: left }, settings, site };
  };
  return withOutput(out, work, options);
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

function leftBehind({ entries }: Site, out: string): string[] {
  const now = entriesOf(readManifest(folderPlace(out)));
  return [...entries.keys()].filter(
    (file) => !now.has(file) && !isHostFile(file) && !archiveFiles.includes(file),
  );
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
