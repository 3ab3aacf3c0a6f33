import path from 'node:path';
import { kindNames } from '../../contract/kinds.ts';
import { joinWords, quoteArgument } from '../../contract/words.ts';
import { isInside } from '../../files.ts';
import { hosts as allHosts } from '../../hosts/index.ts';
import { findStartCommand, PUBLIC_FOLDER } from '../../package.ts';
import { type MakeSiteOptions, makeSite } from '../../pipeline/make-site.ts';
import type { BuildReport, SiteReport } from '../../pipeline/report.ts';
import {
  type CommandResult,
  defineCommand,
  exitCodes,
  type OptionInput,
  parseOptions,
  reportOptions,
} from '../command.ts';
import { inGroup, integer, option, required } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import {
  BUILD_FOLDER,
  type Environment,
  resolveWanted,
  siteOptions,
} from '../site-options.ts';
import {
  resolveSource,
  type SourceOptions,
  sourceOptions,
} from '../source-options.ts';
import { formatProblems, formatPublished, formatSummary } from '../summary.ts';

export const outputFolder = required('a folder').refine(
  (out) => !isInside(PUBLIC_FOLDER, path.resolve(out)),
  {
    error: `got a folder in ${PUBLIC_FOLDER}, which would become part of every site`,
  },
);

const buildOptions = {
  ...sourceOptions,
  ...siteOptions,
  ...inGroup('Output:', {
    out: option('--out <dir>', 'output folder', outputFolder.default(BUILD_FOLDER)),
    keep: option(
      '--keep <n>',
      'keep the last n data sets next to the output folder',
      integer(0, 1000).optional(),
    ),
  }),
};

// TypeScript keeps option comments only in the declaration of the type that contains
// the options, so `SourceOptions` is a separate type.
export type BuildOptions = SourceOptions & OptionInput<typeof buildOptions>;

/**
 * Builds a site. First completes an interrupted build. After an error, the published
 * site is otherwise unchanged. The only exception is a failure to move the new files
 * into place: the folder may then contain parts of both sites, and the next build
 * completes the change.
 *
 * @throws UsageError, UpstreamError, DataError, GuardError or OutputError
 */
export const build = async (options: BuildOptions = {}): Promise<BuildReport> =>
  makeSite(resolveBuild(options, process.env));

export function resolveBuild(
  options: BuildOptions,
  environment: Environment,
): MakeSiteOptions {
  const { out, keep, verify, ...parsed } = parseOptions(buildOptions, options);
  const source = resolveSource(parsed, environment);
  const wanted = resolveWanted(parsed, environment);
  return { out, keep, verify, source, wanted };
}

export const command = defineCommand({
  description: `Reads every ${joinWords(kindNames)}, and publishes the site into a folder.`,
  options: { ...reportOptions, ...buildOptions },
  async run({ options, reporter, watchers, signal }) {
    const report = await build({ ...options, ...watchers, signal });
    return reportBuild(report, reporter);
  },
  getOut: ({ out = '' }) => out,
});

/**
 * Prints the results of a build, the next steps, and any problems found by
 * `--verify` or `--keep`.
 */
export function reportBuild(report: BuildReport, reporter: Reporter): CommandResult {
  const { problems } = report.checks;
  const lines = [...formatSummary(report), ...listNextSteps(report)];
  reporter.print(lines, formatPublished(report));
  reporter.fail(formatProblems(report.out, problems));
  const exitCode = problems.length > 0 ? exitCodes.unfinished : exitCodes.done;
  return { output: report, exitCode };
}

/** Lists the commands that put a changed site into operation. */
function listNextSteps({ changed, checks, out, site }: BuildReport): string[] {
  if (!changed || checks.problems.length > 0) return [];
  const lines: string[] = [];
  for (const step of listCommands(out, site)) lines.push(`next: ${step}`);
  return lines;
}

function listCommands(
  out: string,
  { hosts, install }: SiteReport,
): readonly string[] {
  const configured = hosts.map((name) => allHosts[name]);
  if (configured.some(({ installation }) => installation)) return install;
  for (const { deployCommand } of configured) {
    if (deployCommand) return [deployCommand(out)];
  }
  return [
    `${findStartCommand()} serve ${quoteArgument(out)}, or upload that folder to a host`,
  ];
}
