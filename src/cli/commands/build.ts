import * as z from 'zod';
import { describeSubject, quoteArgument } from '../../contract/words.ts';
import { hosts as allHosts } from '../../hosts/index.ts';
import { type MakeSiteOptions, makeSite } from '../../pipeline/make-site.ts';
import type { BuildReport } from '../../pipeline/report.ts';
import {
  type CommandResult,
  defineCommand,
  type OptionInput,
  parseOptions,
  reportOptions,
} from '../command.ts';
import { folder, inGroup, option } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import { BUILD_FOLDER, siteOptions } from '../site-options.ts';
import {
  resolveSource,
  type SourceOptions,
  sourceOptions,
} from '../source-options.ts';
import { formatSummary } from '../summary.ts';

const buildOptions = {
  ...sourceOptions,
  ...siteOptions,
  ...inGroup('Output:', {
    out: option('--out <dir>', 'folder of the site', folder.default(BUILD_FOLDER)),
    keep: option(
      '--keep <n>',
      'keep the last n data sets next to the site',
      z.int().min(0).max(1000).optional(),
    ),
  }),
};

// In declaration files, TypeScript keeps the comments on options only in the type of
// the object that declares the options, so `SourceOptions` is a separate type.
export type BuildOptions = SourceOptions & OptionInput<typeof buildOptions>;

/**
 * Builds a site. If an earlier build was interrupted, completes it first. Apart from
 * that, an error leaves the published site unchanged. The only exception is a failure
 * to move the new files into place: the folder may then contain parts of both sites,
 * and the next build completes the change.
 *
 * @throws GamedataError
 */
export const build = async (options: BuildOptions = {}): Promise<BuildReport> =>
  makeSite(resolveBuild(options));

export function resolveBuild(options: BuildOptions): MakeSiteOptions {
  const wanted = parseOptions(buildOptions, options);
  const { out, keep } = wanted;
  return { out, keep, source: resolveSource(wanted), wanted };
}

export const command = defineCommand({
  description: `Reads all ${describeSubject()}, and publishes them as a static JSON API into a folder.`,
  examples: [
    'gamedata build --base-url https://example.org --host nginx --out /srv/site',
    'gamedata build --source snapshot   # builds from data/, without a network',
  ],
  options: { ...reportOptions, ...buildOptions },
  async run({ options, reporter, watchers, signal }) {
    const report = await build({ ...options, ...watchers, signal });
    return reportBuild(report, reporter);
  },
});

/** Prints the results of a build, and the next steps. */
export function reportBuild(report: BuildReport, reporter: Reporter): CommandResult {
  reporter.print([...formatSummary(report), ...listNextSteps(report)]);
  return { output: report };
}

/** Lists the next steps to deploy a changed site. */
function listNextSteps({ changed, out, site }: BuildReport): string[] {
  if (!changed) return [];
  const lines: string[] = [];
  for (const name of site.hosts) {
    const { nextStep } = allHosts[name];
    if (nextStep) lines.push(`next: ${nextStep(out)}`);
  }
  if (lines.length > 0) return lines;
  return [`next: npx gamedata serve ${quoteArgument(out)}`];
}
