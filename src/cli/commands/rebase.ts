/** Builds from the records of a site that are made like it: rebasing a copy, and restoring an archive. */

import * as z from 'zod';
import { archiveFiles } from '../../contract/files.ts';
import type { Meta } from '../../contract/meta.ts';
import type { GuardOptions } from '../../dataset/guards.ts';
import { UsageError } from '../../errors.ts';
import { hostNames } from '../../hosts/names.ts';
import type { Watchers } from '../../sources/capture.ts';
import { isArchive } from '../../sources/site/place.ts';
import type { Site } from '../../sources/site/read.ts';
import { checkValue, oneOf, plainUrl } from '../checks.ts';
import { declare } from '../command.ts';
import { settledSource } from '../folders.ts';
import { makeSite, type Settings, type SiteReport } from '../make-site.ts';
import { type Checked, checkOptions, type Given, inGroup, option } from '../options.ts';
import {
  captureOptions,
  hostsOption,
  linksOption,
  resolveHosts,
  servingOptions,
  sourceOptions,
} from '../shared-options.ts';
import { keptLines, lossLines, publishedLines } from '../summary.ts';

const { maxShrink, allowMissing, takeLock, signal } = sourceOptions;

const rebaseOptions = {
  ...inGroup('Output:', {
    baseUrl: option('--base-url <url>', 'new base URL (required)', plainUrl.optional()),
    /** Default: the copy itself. */
    out: option('--out <dir>', 'output folder [the copy itself]', z.string().optional()),
    /** Default: those of the copy. */
    links: linksOption,
  }),
  ...{ maxShrink, allowMissing, takeLock, signal },
  ...inGroup('Hosts:', {
    /** Default: those of the copy. */
    hosts: hostsOption('write configuration for [as in the copy]'),
    ...servingOptions,
  }),
};

/** As for a build, but `baseUrl` is required, `links` and `hosts` default to those of the copy, and `out` to the copy itself. */
export type RebaseOptions = Given<typeof rebaseOptions>;

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
  const { out = dir, ...checked } = checkOptions(rebaseOptions, options);
  if (checked.baseUrl === undefined) throw new UsageError('--base-url: got none, expected the new base URL');
  return remake(dir, { ...checked, out }, watchers);
}

export interface RemakeOptions
  extends Partial<Checked<typeof rebaseOptions>>,
    Pick<GuardOptions, 'baseUrlHint' | 'hint'> {
  readonly out: string;
}

/** @param options what is not given is as the site says */
export async function remake(
  upstream: string,
  { baseUrl, links, hosts, root, baseUrlHint, hint, ...options }: RemakeOptions,
  watchers: Watchers,
): Promise<RebaseReport> {
  const { out, maxShrink, allowMissing, takeLock, signal } = options;
  await settledSource(upstream, out);
  const settingsOf = (site: Site | undefined): Settings => {
    if (!site) throw new Error('no site was read');
    const { meta, entries } = site;
    const { downloads, sprites, archive = archiveFiles.some((file) => entries.has(file)) } = meta;
    const known = checkValue(z.array(oneOf(hostNames)), hosts ?? meta.hosts, '--host');
    const forHosts = resolveHosts({ hosts: known, links, root }, meta.links, out);
    return { ...forHosts, baseUrl: baseUrl ?? meta.base_url, downloads, archive, sprites };
  };
  const site = { source: 'site', upstream, cache: false, maxShrink, allowMissing, signal } as const;
  const source = {
    ...captureOptions(checkOptions(sourceOptions, site), {}),
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

export const command = declare({
  description:
    'Rebuilds the site of a copy for another base URL, from its own records. Works offline, and updates the copy completely or not at all. Pages and scripts are those of this version; nothing else of the copy survives.',
  arguments: { '<dir>': ['folder of the copy'] },
  options: rebaseOptions,
  async run({ options, watchers, signal }, dir: string) {
    const report = await rebase(dir, { ...options, signal }, watchers);
    const { from, to, links, hosts } = report;
    const moved = `links: from ${from} to ${to}, style ${links}; hosts: ${hosts.join(', ') || 'none'}`;
    return { lines: [moved, ...lossLines(report), ...publishedLines(report)], output: report };
  },
  kept: ({ out }, failure, dir: string) => keptLines(out ?? dir, failure),
});
