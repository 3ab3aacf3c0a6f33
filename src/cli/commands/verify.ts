import { isUrl } from '../../contract/paths.ts';
import {
  formatCount,
  groupDigits,
  listFirst,
  truncate,
} from '../../contract/words.ts';
import { GamedataError } from '../../errors.ts';
import { openSite } from '../../site-folder.ts';
import type { DeploymentReport } from '../../verify/deployment.ts';
import { type FolderReport, verifyFolder } from '../../verify/folder.ts';
import type { OnVerifyProgress } from '../../verify/progress.ts';
import {
  defineCommand,
  type OptionInput,
  parseOptions,
  reportOptions,
} from '../command.ts';
import { codeOnly, folder, folderOrUrl, inGroup, option, text } from '../options.ts';
import { exitCodes } from '../print-error.ts';
import { sourceOptions } from '../source-options.ts';
import { formatCounts } from '../summary.ts';

/**
 * The maximum length in characters. Some guarantees are about very long URLs, in which
 * the problem would be hard to find.
 */
const MAX_SHOWN_REQUEST = 120;
const MAX_SHOWN_PROBLEMS = 20;

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const milliseconds = text(
  /^\d{1,6}[smh]$/,
  'a time such as 90s, 10m or 1h',
).transform((time) => Number(time.slice(0, -1)) * (UNITS_MS[time.slice(-1)] ?? 0));

const verifyOptions = {
  target: { schema: folderOrUrl },
  ...inGroup('For a URL:', {
    like: option(
      '--like <dir>',
      'expect the site in this folder',
      folder.optional(),
    ),
    /**
     * How long to wait for the deployment to serve the site in `like`, such as `90s`,
     * `10m` or `1h`.
     */
    wait: option(
      '--wait <time>',
      'how long to wait for it, such as 90s or 10m',
      milliseconds.optional(),
    ),
    concurrency: sourceOptions.concurrency,
  }),
  signal: sourceOptions.signal,
  /** Called once if the deployment does not serve the expected site yet. */
  onWait: codeOnly<(line: string) => void>(),
  onProgress: codeOnly<OnVerifyProgress>(),
};

export type VerifyOptions = OptionInput<typeof verifyOptions> & {
  readonly target: string;
};

/**
 * Verifies a built site in a folder, or a deployment at a URL. The files in a folder
 * are compared with the site's manifest. The responses of a deployment are compared
 * with what its host guarantees and, if `like` is set, with the site in that folder.
 *
 * @throws GamedataError if the folder is not a site, or if the URL does not serve the
 * expected site
 */
export async function verify(
  options: VerifyOptions,
): Promise<FolderReport | DeploymentReport> {
  const validOptions = parseOptions(verifyOptions, options);
  assertOptionsFitTarget(options);
  const { target, like, ...deployment } = validOptions;
  if (!isUrl(target)) return verifyFolder(target, deployment.onProgress);
  const expectedSite = like === undefined ? undefined : openSite(like);
  const { verifyDeployment } = await import('../../verify/deployment.ts');
  return verifyDeployment(target, { ...deployment, expectedSite });
}

/** Rejects `like` and `wait` for a folder, and `wait` without `like`. */
function assertOptionsFitTarget({ target, like, wait }: VerifyOptions): void {
  const hasUrlOption = like !== undefined || wait !== undefined;
  if (hasUrlOption && !isUrl(target)) {
    const problem = 'work only for a URL, got a folder';
    throw new GamedataError('usage', `--like and --wait: ${problem}`);
  }
  if (wait === undefined || like !== undefined) return;
  throw new GamedataError(
    'usage',
    '--wait: got no site to wait for, expected --like <dir>',
  );
}

export const command = defineCommand({
  description:
    'Checks a built site or a deployment of Pokémon moves and items: its files, or its responses.',
  examples: [
    'gamedata verify build',
    'gamedata verify https://example.org --like build --wait 10m',
  ],
  arguments: { '<dir|url>': "a site's folder, or a deployment's URL" },
  options: { ...reportOptions, ...verifyOptions },
  async run({ options, reporter, signal }, target: string) {
    const report = await verify({
      ...options,
      target,
      signal,
      onWait: reporter.notice,
      onProgress: reporter.progress,
    });
    const isDeployment = 'guarantees' in report;
    const problems = isDeployment ? report.failed : report.problems.length;
    const lines = isDeployment
      ? formatDeployment(report)
      : formatFolder(target, report);
    if (problems === 0) {
      reporter.print(lines);
      return { output: report };
    }
    for (const line of lines) reporter.notice(line);
    return { output: report, exitCode: exitCodes.failed };
  },
});

/**
 * Formats the report on a folder: first notes about what is unusual but not a problem,
 * then the problems, and finally one line with the result.
 */
function formatFolder(folder: string, report: FolderReport): string[] {
  const { files, counts, problems, unlisted, unfinished } = report;
  const lines: string[] = [];
  if (unfinished) {
    lines.push(
      'note: not all new files are in place, so web servers may send files of both sites; the next build moves them',
    );
  }
  if (unlisted.length > 0) {
    const count = formatCount(unlisted.length, 'file');
    const shown = listFirst(unlisted, 5);
    lines.push(`note: ${count} that the manifest does not list: ${shown}`);
  }
  if (problems.length === 0) {
    const total = `${formatCount(files, 'file')}, ${formatCounts(counts)}`;
    return [...lines, `${folder}: ${total}: no problems found`];
  }
  lines.push(...problems.slice(0, MAX_SHOWN_PROBLEMS));
  const more = problems.length - MAX_SHOWN_PROBLEMS;
  if (more > 0) lines.push(`… and ${groupDigits(more)} more`);
  lines.push(`${folder}: ${formatCount(problems.length, 'problem')} found`);
  return lines;
}

/**
 * Formats the report on a deployment: one line for each broken guarantee, with the
 * first failure and the number of further failures, and finally one line with the
 * result.
 */
function formatDeployment(report: DeploymentReport): string[] {
  const { address, hosts, counts, guarantees, failed, seconds } = report;
  const lines: string[] = [];
  for (const { guarantee, title, failures } of guarantees) {
    const [firstFailure, ...others] = failures;
    if (!firstFailure) continue;
    const request = truncate(firstFailure.request, MAX_SHOWN_REQUEST);
    const problem = `${title}: ${request}: ${firstFailure.problem}`;
    const more =
      others.length > 0 ? ` (and ${groupDigits(others.length)} more)` : '';
    lines.push(`FAIL ${guarantee}: ${problem}${more}`);
  }
  // A site that was not built for a host is served as plain files.
  const host = hosts.length > 0 ? `host ${hosts.join(', ')}` : 'plain files';
  const site = `${address}: ${formatCounts(counts)}, ${host}`;
  const total = formatCount(guarantees.length, 'guarantee');
  const kept = guarantees.length - failed;
  lines.push(`${site}: ${kept} of ${total} kept, in ${seconds} s`);
  return lines;
}
