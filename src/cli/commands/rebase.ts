/** The rebase command: the records of a copy → the same site for another base URL. */

import { performance } from 'node:perf_hooks';
import type { Meta } from '../../contract/meta.ts';
import { archiveFiles, isHostFile, linkStyles } from '../../contract/paths.ts';
import type { ListedFile } from '../../contract/site-file.ts';
import { secondsSince } from '../../contract/words.ts';
import { OutputError, UsageError } from '../../errors.ts';
import { readFile } from '../../files.ts';
import { type PublishResult, withOutput } from '../../publish/publish.ts';
import { type CompleteSite, completeSite } from '../../site/complete-site.ts';
import { inspectFolder } from '../../verify/folder.ts';
import { PRODUCT } from '../../version.ts';
import type { BuildOptions } from './build.ts';
import {
  checkPlainUrl,
  hostsOption,
  oneOf,
  refuseUnknown,
  resolveLinks,
  resolveServing,
  type ServingOptions,
} from './check-options.ts';
import { refuseOtherFolder } from './check-output.ts';
import { describeMaking } from './making.ts';
import { readAssets, readPackage } from './package-files.ts';

type Shared = 'baseUrl' | 'links' | 'hosts' | keyof ServingOptions | 'out' | 'takeLock' | 'signal';

/** As for a build, but `baseUrl` is required, `links` and `hosts` default to those of the copy, and `out` to the copy itself. */
export type RebaseOptions = Pick<BuildOptions, Shared>;

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
  refuseUnknown(options, 'baseUrl links hosts root fallback out takeLock signal');
  const { signal, out = dir, links: style, hosts: names } = options;
  if (options.baseUrl === undefined) throw new UsageError('--base-url: got none, expected the new base URL');
  const baseUrl = checkPlainUrl('--base-url', options.baseUrl);
  if (style) oneOf('links', style, linkStyles);
  const asked = names && hostsOption(names);
  return withOutput(
    out,
    async (output) => {
      refuseOtherFolder(output, 'site');
      const { site, copied, from } = await siteOfCopy(dir, (old) => {
        const hosts = asked ?? hostsOption(old.hosts);
        const links = resolveLinks(style, hosts, old.links);
        const serving = resolveServing(options, hosts, out);
        const meta: Meta = { ...old, generator: PRODUCT, base_url: baseUrl, links, hosts };
        return { meta, hosts, serving, package: readPackage() };
      });
      const { links, hosts } = site.meta;
      const { changed, ...files } = await output.publish(await completeSite(site), {
        signal,
        making: describeMaking(site),
      });
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
    },
    options,
  );
}

/** The site of a copy's records, with what else is in the copy, apart from host configuration of the old base URL. */
async function siteOfCopy(
  folder: string,
  describe: (old: Meta) => Omit<CompleteSite, 'records' | 'names' | 'history' | 'archive' | 'assets'>,
): Promise<{ site: CompleteSite; copied: ListedFile[]; from: string }> {
  const { records, names, history, entries, meta } = readCopy(folder);
  const archive = archiveFiles.some((file) => entries.has(file));
  // Pages and scripts are this version's own: a copy may come from anybody.
  const own = readAssets();
  const site = { ...describe(meta), records, names, history, archive, assets: own };
  const files = await completeSite({ ...site, archive: false });
  const made = new Set([...files.map((file) => file.path), ...archiveFiles]);
  const copied = [...entries.values()]
    .filter(({ path: file }) => !made.has(file) && !isHostFile(file))
    .map((entry): ListedFile => ({ ...entry, make: () => readFile(folder, entry.path) }));
  return { site: { ...site, assets: [...own, ...copied] }, copied, from: meta.base_url };
}

/** Only a valid site is rebased: a damaged record would become one that looks right. */
function readCopy(folder: string) {
  const copy = inspectFolder(folder);
  const { problems } = copy.report;
  const [first] = problems;
  if (!first) return copy;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw new OutputError(`is not a valid site: ${first.file}: ${first.problem}${more}`, folder, {
    hint: 'gamedata verify <dir> lists every problem; gamedata mirror repairs a damaged copy.',
  });
}
