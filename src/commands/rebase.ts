/** The rebase command: the records of a copy → the same site for another base URL. */

import { performance } from 'node:perf_hooks';
import { withCompressor } from '../archive/compressor.ts';
import { isHostFile } from '../contract/host-files.ts';
import type { Meta } from '../contract/meta.ts';
import { archiveFiles, type LinkStyle, linkStyles } from '../contract/paths.ts';
import type { ListedFile } from '../contract/site-file.ts';
import { OutputError, UsageError } from '../errors.ts';
import { readFile } from '../files/folder.ts';
import { type HostName, hostNames } from '../hosts/names.ts';
import type { LockOptions } from '../output/lock.ts';
import { type PublishResult, withOutput } from '../output/publish.ts';
import { completeSite } from '../site/complete-site.ts';
import { secondsSince } from '../text/numbers.ts';
import { type InspectedSite, inspectFolder } from '../verify/folder.ts';
import { PRODUCT } from '../version.ts';
import { checkBaseUrl, oneOf, resolveLinks, resolveServing, severalOf } from './check-options.ts';
import { refuseOtherFolder } from './check-output.ts';
import { describeMaking } from './making.ts';
import { COMPRESS_WORKER, readAssets, readPackage } from './package-files.ts';

export interface RebaseOptions extends LockOptions {
  /** The new base URL. Required. */
  readonly baseUrl?: string | undefined;
  /** What links point to. Default: as in the copy. */
  readonly links?: LinkStyle | undefined;
  /** The hosts to write configuration for. Default: as in the copy. */
  readonly hosts?: readonly HostName[] | undefined;
  /** As for a build. */
  readonly root?: string | undefined;
  readonly fallback?: string | undefined;
  /** The output folder. Default: the copy itself. */
  readonly out?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RebaseReport {
  readonly changed: boolean;
  /** The folders that were read and written, as the user named them. */
  readonly dir: string;
  readonly out: string;
  readonly from: string;
  readonly to: string;
  readonly links: Meta['links'];
  readonly hosts: readonly string[];
  /** Files copied unchanged that still contain the old base URL. */
  readonly stale: readonly string[];
  readonly files: Omit<PublishResult, 'changed'>;
  readonly seconds: number;
}

/**
 * Rebuilds a copy of a site for another base URL, from its own records: the result is identical to a build for that base
 * URL. Files that no build makes are copied unchanged; pages, scripts and styles are those of this version.
 *
 * @throws UsageError, or OutputError if the copy is not a valid site; it is then unchanged
 */
export async function rebase(dir: string, options: RebaseOptions = {}): Promise<RebaseReport> {
  const started = performance.now();
  const { signal, out = dir, links: style, hosts: names } = options;
  if (options.baseUrl === undefined) throw new UsageError('--base-url: got none, expected the new base URL');
  const baseUrl = checkBaseUrl('--base-url', options.baseUrl);
  if (style) oneOf('links', style, linkStyles);
  const asked = names && severalOf('host', names, hostNames);
  return withOutput(
    out,
    (output) =>
      withCompressor(COMPRESS_WORKER, async (compress) => {
        refuseOtherFolder(output, 'site');
        const copy = readCopy(dir);
        const { records, history } = copy;
        const hosts = asked ?? severalOf('host', copy.meta.hosts, hostNames);
        const links = resolveLinks(style, hosts, copy.meta.links);
        const serving = resolveServing(options, hosts, out);
        const meta: Meta = { ...copy.meta, generator: PRODUCT, base_url: baseUrl, links, hosts };
        const archive = copy.manifest.files.some((entry) => archiveFiles.includes(entry.path));
        const parts = { records, meta, history, hosts, serving, archive, compress, sizes: output.sizes };
        const site = { ...parts, package: readPackage() };
        // Pages and scripts are this version's own: a copy may come from anybody.
        const own = readAssets();
        const made = new Set<string>();
        for (const file of completeSite({ ...site, assets: own })) made.add(file.path);
        const copied = copiedFiles(dir, copy, made);
        const assets = [...own, ...copied];
        const making = describeMaking({ ...site, assets });
        const { changed, ...files } = await output.publish(completeSite({ ...site, assets }), {
          signal,
          making,
          // A copy may come from anybody.
          remake: true,
        });
        const from = copy.meta.base_url;
        const isStale = ({ path: file }: ListedFile): boolean =>
          from !== baseUrl && readFile(out, file).includes(from);
        return {
          changed,
          dir,
          out,
          from,
          to: baseUrl,
          links,
          hosts,
          stale: copied.filter(isStale).map((file) => file.path),
          files,
          seconds: secondsSince(started),
        };
      }),
    options,
  );
}

/** Only a valid site is rebased: a damaged record would become one that looks right. */
function readCopy(dir: string): InspectedSite {
  const copy = inspectFolder(dir);
  const [first] = copy.report.problems;
  if (!first) return copy;
  const more = copy.report.problems.length > 1 ? ` (and ${copy.report.problems.length - 1} more)` : '';
  throw new OutputError(`is not a valid site: ${first.file}: ${first.problem}${more}`, dir, {
    hint: 'gamedata verify <dir> lists every problem; gamedata mirror repairs a damaged copy.',
  });
}

/** Everything that is not rebuilt, apart from host configuration of the old base URL. */
function copiedFiles(dir: string, { manifest }: InspectedSite, made: ReadonlySet<string>): ListedFile[] {
  return manifest.files
    .filter((entry) => !made.has(entry.path) && !isHostFile(entry.path))
    .map((entry) => ({ ...entry, make: () => readFile(dir, entry.path) }));
}
