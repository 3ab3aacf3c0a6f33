/** The mirror command: rebuilds a site from the data of a deployment, an archive or a folder. */

import path from 'node:path';
import * as z from 'zod';
import { isArchive } from '../../sources/site/storage.ts';
import { isUrl } from '../../sources/source.ts';
import { checkValue, httpUrl } from '../checks.ts';
import { declare } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { settledSource } from '../folders.ts';
import { makeSite } from '../make-site.ts';
import { checkOptions, type Given } from '../options.ts';
import { resolveSource, resolveWanted, siteOptions, sourceOptions } from '../shared-options.ts';
import { keptLines, problemLines, publishedLines } from '../summary.ts';
import { type BuildReport, inspect, outputFolder, resultLines } from './build.ts';

const { source: _, upstream: __, ...dataOptions } = sourceOptions;

const mirrorOptions = {
  ...dataOptions,
  ...siteOptions,
  /** The site to copy: the URL of a deployment, an archive or a folder. */
  from: { schema: z.string('expected the URL, archive or folder of a site').min(1) },
  /** The folder of the copy. Default: `from` if that is a folder, otherwise named after it, such as `example.org`. */
  out: { schema: outputFolder.optional() },
};

export type MirrorOptions = Given<typeof mirrorOptions> & { readonly from: string };

export interface MirrorReport extends BuildReport {
  /** What was copied, as the user named it. */
  readonly address: string;
}

/**
 * Rebuilds a site from the records, names, old slugs, history and icons of another one. Everything else is as in a build, except that
 * base URL and links come from the copied site unless a site is published already.
 *
 * @throws UsageError, UpstreamError, OutputError, DataError or GuardError; the published site is then unchanged
 */
export async function mirror(options: MirrorOptions): Promise<MirrorReport> {
  const { from: named, out: folder, ...checked } = checkOptions(mirrorOptions, options);
  const from = isUrl(named) ? checkValue(httpUrl, named, 'address') : named;
  const out = folder ?? nameCopy(from);
  await settledSource(from, out);
  const isItself = !isUrl(from) && path.resolve(from) === path.resolve(out);
  const report = await makeSite({
    ...{ out, verify: checked.verify, copies: isItself ? 'itself' : 'another' },
    source: resolveSource({ ...checked, source: 'site', upstream: from }, process.env),
    wanted: resolveWanted(checked, process.env),
  });
  const inspected = await inspect(out, { verify: checked.verify, keep: 0 });
  return { ...report, ...inspected, address: from };
}

/** `example.org`, the archive's name, or the folder itself. */
function nameCopy(source: string): string {
  if (isArchive(source)) return path.basename(source).replace(/\.(?:tar\.gz|tgz)$/, '');
  return isUrl(source) ? source.replace(/^https?:\/\/|\/+$/gi, '').replace(/[^\w.-]+/g, '-') : source;
}

export const command = declare({
  description:
    'Rebuilds a site from the records, names, old slugs, history and icons of a deployment, an archive (.tar.gz) or a folder, completely or not at all.',
  arguments: {
    '<url|archive|dir>': ['the site to copy'],
    '[dir]': ['folder of the copy (default: the folder itself, or named after the source)'],
  },
  options: mirrorOptions,
  inherits: 'build',
  async run({ options, watchers, signal, reporter }, from: string, out?: string) {
    const report = await mirror({ ...options, ...watchers, from, out, signal });
    reporter.print(resultLines(report), publishedLines(report).at(-1));
    reporter.fail(problemLines(report.out, report.problems));
    return { output: report, exitCode: report.problems.length > 0 ? exitCodes.unfinished : exitCodes.done };
  },
  kept: ({ cache }, failure, from: string, out = nameCopy(from)) => keptLines(out, failure, cache),
});
