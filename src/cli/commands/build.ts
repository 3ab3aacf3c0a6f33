/** The build command: source → data set → site → output folder. */

import path from 'node:path';
import * as z from 'zod';
import { kindNames } from '../../contract/kinds.ts';
import { joinWords } from '../../contract/words.ts';
import { OutputError, toOutputError } from '../../errors.ts';
import { isInside } from '../../files.ts';
import { webServerNames } from '../../hosts/index.ts';
import { PUBLIC_FOLDER } from '../../package.ts';
import type { Problem } from '../../verify/folder.ts';
import { integer } from '../checks.ts';
import { declare } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { settledSource } from '../folders.ts';
import { type MakeOptions, makeSite, type SiteReport } from '../make-site.ts';
import { checkOptions, type Given, inGroup, option } from '../options.ts';
import {
  BUILD_FOLDER,
  type Environment,
  resolveSource,
  resolveWanted,
  type SourceOptions,
  siteOptions,
  sourceOptions,
} from '../shared-options.ts';
import { buildLines, keptLines, problemLines, publishedLines } from '../summary.ts';

export const outputFolder = z.string().refine((out) => !isInside(PUBLIC_FOLDER, path.resolve(out)), {
  error: `got a folder in ${PUBLIC_FOLDER}, which would become part of every site`,
});

const buildOptions = {
  ...sourceOptions,
  ...siteOptions,
  ...inGroup('Output:', {
    /** The output folder. Default `build`. */
    out: option('--out <dir>', 'output folder', outputFolder.default(BUILD_FOLDER)),
    /** Keep an archive of each of the last states of the data, this many, beside the output folder. Default: none. */
    keep: option('--keep <n>', 'keep archives of the last n states of the data', integer(0, 1000).optional()),
  }),
};

// Published declarations keep the comments of rows only where they are declared: `SourceOptions` has its own.
export type BuildOptions = SourceOptions & Given<typeof buildOptions>;

export interface BuildReport extends SiteReport {
  /** How many published files were read again and checked; null if none were. */
  readonly verified: number | null;
  /** What is wrong with the published site, or with its archive. */
  readonly problems: readonly Problem[];
  /** The archive of this site; null if none is kept. */
  readonly kept: string | null;
}

/**
 * Builds the site and publishes it into a folder.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then unchanged
 */
export async function build(options: BuildOptions = {}): Promise<BuildReport> {
  const { keep, ...resolved } = resolveBuild(options, process.env);
  const { out, source, verify } = resolved;
  const { source: name, dataFolder, upstream = dataFolder } = source;
  if (name === 'auto') await settledSource(dataFolder, out);
  if (name === 'snapshot' || name === 'site') await settledSource(upstream, out);
  return { ...(await makeSite(resolved)), ...(await inspect(out, { verify, keep })) };
}

/** Applies defaults, including those of the environment, and checks. Throws `UsageError`. */
export function resolveBuild(
  options: BuildOptions,
  environment: Environment,
): MakeOptions & { readonly keep: number } {
  const { out, keep = 0, ...checked } = checkOptions(buildOptions, options);
  return {
    ...{ out, keep, verify: checked.verify },
    source: resolveSource(checked, environment),
    wanted: resolveWanted(checked, environment),
  };
}

/** What is done with a published site. It stays published whatever comes of it, so that failures are problems, not errors. */
export async function inspect(
  out: string,
  { verify, keep }: { verify: boolean; keep: number },
): Promise<Pick<BuildReport, 'verified' | 'problems' | 'kept'>> {
  let verified = null;
  try {
    const checked = verify ? (await import('../../verify/folder.ts')).verifyFolder(out) : undefined;
    const problems = checked?.problems ?? [];
    verified = checked?.files ?? null;
    if (problems.length > 0 || keep === 0) return { verified, problems, kept: null };
    const { keepArchive } = await import('../keep-archive.ts');
    return { verified, problems, kept: await keepArchive(out, keep) };
  } catch (thrown) {
    const error = toOutputError(thrown, out);
    if (!(error instanceof OutputError)) throw thrown;
    return { verified, problems: [{ file: error.path, problem: error.problem }], kept: null };
  }
}

export const command = declare({
  description: `Reads every ${joinWords(kindNames)}, and publishes the site into a folder.`,
  options: buildOptions,
  async run({ options, reporter, watchers, signal }) {
    const report = await build({ ...options, ...watchers, signal });
    reporter.print(resultLines(report), publishedLines(report).at(-1));
    reporter.fail(problemLines(report.out, report.problems));
    return { output: report, exitCode: report.problems.length > 0 ? exitCodes.unfinished : exitCodes.done };
  },
  kept: ({ out = '', cache }, failure) => keptLines(out, failure, cache),
});

export const resultLines = (report: BuildReport): string[] => [...buildLines(report), ...nextLines(report)];

/** What to do with a site that has changed. */
function nextLines({ changed, problems, out, install, kept, hosts }: BuildReport): string[] {
  if (!changed || problems.length > 0) return [];
  const archive = kept === null ? [] : [`archive: ${kept}`];
  const isInstalled = hosts.some((host) => webServerNames.includes(host));
  const elsewhere = hosts.includes('cloudflare')
    ? `cd ${out} && npx wrangler deploy`
    : `npx gamedata serve ${out}, or upload that folder to a host`;
  const commands = isInstalled ? install : [elsewhere];
  return [...archive, ...commands.map((command) => `next: ${command}`)];
}
