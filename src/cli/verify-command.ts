/** `gamedata verify`: its options, and what it prints. */

import type { Command } from 'commander';
import { levels } from '../contract/guarantees.ts';
import { counted, groupDigits } from '../contract/words.ts';
import type { DeploymentReport } from '../verify/deployment.ts';
import type { FolderReport } from '../verify/folder.ts';
import type { VerifyOptions } from './commands/verify.ts';
import { problemLines, recordCounts } from './lines.ts';
import { addPresentation, choices, concurrencyOption } from './options.ts';
import { exitCodes, type Presentation, perform } from './perform.ts';

export function addVerify(command: Command): void {
  addPresentation(command)
    .summary('check a built site or a deployment')
    .description(
      'Re-reads a built site, or checks a deployment by sending requests: completeness, links, schemas and every guarantee of the contract.',
    )
    .argument('<dir|url>', "a site's folder or archive, or a deployment's URL")
    .optionsGroup('For a URL:')
    .addOption(choices('--level <level>', 'guarantees to check [static]', levels))
    .option('--like <dir>', 'expect exactly the site in this folder')
    .option('--wait <time>', 'how long to wait for it, such as 90s or 10m')
    .option('--link-base <url>', 'base URL of links, if it is another one')
    .addOption(concurrencyOption())
    .action((target: string, options: VerifyOptions & Presentation) =>
      perform(
        options,
        async (reporter) => {
          const { verify } = await import('./commands/verify.ts');
          const report = await verify(target, options, { onWait: reporter.notice });
          const isDeployment = 'guarantees' in report;
          const failed = isDeployment ? report.failed > 0 : report.problems.length > 0;
          const lines = isDeployment ? deploymentLines(report) : folderLines(target, report);
          if (failed) lines.forEach(reporter.notice);
          else reporter.print(lines);
          return { output: report, exitCode: failed ? exitCodes.failed : exitCodes.done };
        },
        { endsAtOnce: true },
      ),
    );
}

export function folderLines(folder: string, { files, counts, problems }: FolderReport): string[] {
  if (problems.length > 0) return problemLines(folder, problems);
  return [`${folder}: ${counted(files, 'file')}, ${recordCounts(counts)}: no problems found`];
}

/** One line for each guarantee that is not kept, with the first request that shows it. */
function deploymentLines(report: DeploymentReport): string[] {
  const { address, level, hosts, counts, guarantees, failed, seconds } = report;
  const lines = guarantees.flatMap(({ guarantee, title, failures }) => {
    const [first] = failures;
    if (!first) return [];
    const more = failures.length > 1 ? ` (and ${groupDigits(failures.length - 1)} more)` : '';
    return [`FAIL ${guarantee}: ${title}: ${first.request}: ${first.problem}${more}`];
  });
  const kept = `${guarantees.length - failed} of ${counted(guarantees.length, 'guarantee')} kept`;
  const expected = hosts ? `host ${hosts.join(', ')}` : `${level} level`;
  return [...lines, `${address}: ${recordCounts(counts)}, ${expected}: ${kept}, in ${seconds} s`];
}
