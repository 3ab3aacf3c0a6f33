/** Builds from the records of a site that are made like it: rebasing a copy, and restoring an archive. */

import path from 'node:path';
import { archiveFiles } from '../../contract/files.ts';
import type { Meta } from '../../contract/meta.ts';
import { linkStyles } from '../../contract/paths.ts';
import type { GuardOptions } from '../../dataset/guards.ts';
import { UsageError } from '../../errors.ts';
import { settled } from '../../publish/publish.ts';
import type { Watchers } from '../../sources/capture.ts';
import { isArchive } from '../../sources/site/archive.ts';
import type { Site } from '../../sources/site/read.ts';
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
import { makeSite, type Settings, type SiteReport } from './make-site.ts';
import { resolveSource } from './source-options.ts';

type Shared =
  | 'baseUrl'
  | 'links'
  | 'hosts'
  | keyof ServingOptions
  | 'out'
  | 'maxShrink'
  | 'allowMissing'
  | 'takeLock'
  | 'signal';

/** As for a build, but `baseUrl` is required, `links` and `hosts` default to those of the copy, and `out` to the copy itself. */
export type RebaseOptions = Pick<BuildOptions, Shared>;

export interface RebaseReport
  extends Pick<SiteReport, 'changed' | 'missing' | 'leftBehind' | 'notices' | 'files' | 'seconds'> {
  /** What was read, and the folder that was written, as the user named them. */
  readonly dir: string;
  readonly out: string;
  readonly from: string;
  readonly to: string;
  readonly links: Meta['links'];
  readonly hosts: readonly string[];
}

/**
 * Rebuilds a copy of a site for another base URL, from its own records: the result is identical to a build for that base
 * URL. Pages, scripts and styles are those of this version; nothing else of the copy survives.
 *
 * @throws UsageError, OutputError, DataError or GuardError; the published site is then unchanged
 */
export async function rebase(
  dir: string,
  options: RebaseOptions = {},
  watchers: Watchers = {},
): Promise<RebaseReport> {
  refuseUnknown(options, 'baseUrl links hosts root fallback out maxShrink allowMissing takeLock signal');
  if (options.baseUrl === undefined) throw new UsageError('--base-url: got none, expected the new base URL');
  const baseUrl = checkPlainUrl('--base-url', options.baseUrl);
  return remake(dir, { ...options, out: options.out ?? dir, baseUrl }, watchers);
}

export interface RemakeOptions extends RebaseOptions, Pick<GuardOptions, 'baseUrlHint' | 'hint'> {
  readonly out: string;
}

/** @param options what is not given is as the site says */
export async function remake(
  upstream: string,
  { baseUrl, links, hosts, baseUrlHint, hint, ...options }: RemakeOptions,
  watchers: Watchers,
): Promise<RebaseReport> {
  const { out, maxShrink, allowMissing, takeLock, signal } = options;
  if (links) oneOf('links', links, linkStyles);
  const asked = hosts && hostsOption(hosts);
  if (!isArchive(upstream) && path.resolve(upstream) !== path.resolve(out)) await settled(upstream);
  const settingsOf = (site: Site | undefined): Settings => {
    if (!site) throw new Error('no site was read');
    const { meta, entries } = site;
    const { downloads, sprites, archive = archiveFiles.some((file) => entries.has(file)) } = meta;
    const own = { hosts: asked ?? hostsOption(meta.hosts), baseUrl: baseUrl ?? meta.base_url };
    const serving = resolveServing(options, own.hosts, out);
    return {
      ...own,
      links: resolveLinks(links, own.hosts, meta.links),
      serving,
      downloads,
      archive,
      sprites,
    };
  };
  const source = {
    ...resolveSource({ source: 'site', upstream, cache: false, maxShrink, allowMissing, signal }, {}),
    ...{ baseUrl, isBaseUrlNamed: baseUrl !== undefined, baseUrlHint, hint },
    isRestored: isArchive(upstream),
  };
  const made = await makeSite({ ...watchers, source, settingsOf, out, takeLock, signal });
  const { changed, missing, leftBehind, notices, files, seconds } = made.report;
  const { baseUrl: to, links: style, hosts: names } = made.settings;
  const from = made.site?.meta.base_url ?? to;
  return {
    ...{ changed, dir: upstream, out, from, to, links: style, hosts: names },
    ...{ missing, leftBehind, notices, files, seconds },
  };
}
