/** The mirror command: copies a deployment, or restores the site of an archive. */

import path from 'node:path';
import { counted, firstOf, groupDigits, readableSize } from '../../contract/words.ts';
import type { MirrorReport } from '../../publish/mirror/copy.ts';
import { type Output, withOutput } from '../../publish/publish.ts';
import type { Watchers } from '../../sources/capture.ts';
import { isArchive } from '../../sources/site/place.ts';
import { isAddress } from '../../sources/source.ts';
import { maskUrl } from '../addresses.ts';
import { checkValue, httpUrl, wrong } from '../checks.ts';
import { declare } from '../command.ts';
import { refuseOtherFolder } from '../folders.ts';
import { checkOptions, type Given, inCode } from '../options.ts';
import { sourceOptions } from '../shared-options.ts';
import { keptLines, lossLines, publishedLines } from '../summary.ts';
import { type RemakeOptions, remake } from './rebase.ts';

const { concurrency, retries, maxShrink, allowMissing, takeLock, signal } = sourceOptions;

const mirrorOptions = {
  ...{ concurrency, retries, maxShrink, allowMissing, takeLock, signal },
  /** The folder of the copy. Default: named after the host, such as `example.org`. */
  out: inCode<string>(),
};

export type MirrorOptions = Given<typeof mirrorOptions>;

/**
 * Copies a deployment into a folder, completely or not at all, downloading only what has changed. An archive is restored: the site is
 * built from its records as it was made, for the same base URL.
 *
 * @throws UsageError, UpstreamError, DataError, GuardError or OutputError; the copy is then unchanged
 */
export async function mirror(
  target: string,
  options: MirrorOptions = {},
  watchers: Watchers = {},
): Promise<MirrorReport> {
  const { allowMissing = [], ...checked } = checkOptions(mirrorOptions, options);
  if (!isAddress(target) && !isArchive(target))
    throw wrong('address', maskUrl(target), 'an http or https URL, or an archive (.tar.gz)');
  const source = isAddress(target) ? checkValue(httpUrl, target, 'address') : target;
  const { out = mirrorFolder(source), takeLock, signal, maxShrink } = checked;
  if (!isAddress(source))
    return restore(source, { out, maxShrink, allowMissing, takeLock, signal }, watchers);
  const { copyDeployment } = await import('../../publish/mirror/copy.ts');
  const copy = (output: Output): Promise<MirrorReport> => {
    refuseOtherFolder(output, 'site');
    return copyDeployment(output, { ...checked, ...watchers, address: source, allowMissing });
  };
  return withOutput(out, copy, { takeLock, ...watchers });
}

/** Goes back to an archive, as `rebase` does from a copy. */
async function restore(archive: string, options: RemakeOptions, watchers: Watchers): Promise<MirrorReport> {
  const { out } = options;
  const build = `gamedata build --source site --upstream ${archive} --out ${out}`;
  const hints = {
    hint: (allowed: string) => `To go back all the same: gamedata mirror ${archive} ${out} ${allowed}`,
    baseUrlHint: `To restore its data for another base URL: ${build} --base-url <url>`,
  };
  const made = await remake(archive, { ...options, ...hints }, watchers);
  const { changed, missing, leftBehind, notices, files, seconds } = made;
  return {
    ...{ address: archive, out, changed, missing, leftBehind, notices, seconds },
    ...{ downloaded: { files: 0, bytes: 0, resumed: 0 }, fetched: [], removed: [], excluded: [] },
    ...{ lostRedirects: [], files: { changed, ...files }, requests: 0 },
  };
}

/** The folder of a copy that is not given one: `example.org`, or the archive's name. */
const mirrorFolder = (source: string): string =>
  isArchive(source)
    ? path.basename(source).replace(/\.(?:tar\.gz|tgz)$/, '')
    : source.replace(/^https?:\/\/|\/+$/gi, '').replace(/[^\w.-]+/g, '-');

export const command = declare({
  description:
    'Copies a deployment by its manifest: downloads what has changed, checks it, and updates the copy completely or not at all. Host configuration is excluded, as deployments do not serve it; rebase generates it. From an archive (.tar.gz), the site is built again as it was.',
  arguments: {
    '<url|archive>': ['URL of the deployment, or an archive of a site'],
    '[dir]': ['folder of the copy (default: named after the source)'],
  },
  options: mirrorOptions,
  async run({ options, watchers, signal }, source: string, out?: string) {
    const report = await mirror(source, { ...options, out, signal }, watchers);
    return { lines: mirrorLines(report), output: report };
  },
  kept: (_, failure, source: string, out = mirrorFolder(source)) => keptLines(out, failure),
});

function mirrorLines(report: MirrorReport): string[] {
  const { address, out, downloaded, removed, excluded, lostRedirects, changed, seconds } = report;
  const lines = lossLines(report);
  if (lostRedirects.length > 0)
    lines.push(`warning: the deployment has lost redirects of renamed records: ${firstOf(lostRedirects)}`);
  if (excluded.length > 0) lines.push(`excluded, as host configuration: ${firstOf(excluded)}`);
  if (removed.length > 0) lines.push(`removed: ${firstOf(removed)}`);
  const resumed = downloaded.resumed > 0 ? `, ${groupDigits(downloaded.resumed)} resumed` : '';
  if (isAddress(address))
    lines.push(
      `${counted(downloaded.files, 'file')} downloaded, ${readableSize(downloaded.bytes)}${resumed}`,
    );
  return [...lines, ...(changed ? publishedLines(report) : [`${out}: nothing changed, in ${seconds} s`])];
}
