/** `gamedata rebase`: its options, and what it prints. */

import type { Command } from 'commander';
import { firstOf } from '../contract/words.ts';
import type { RebaseOptions, RebaseReport } from './commands/rebase.ts';
import { keptLines, publishedLines } from './lines.ts';
import { addPresentation, addServingOptions, hostOption, linksOption, takeLockOption } from './options.ts';
import { type Presentation, perform } from './perform.ts';

type Typed = RebaseOptions & Presentation & { host?: RebaseOptions['hosts'] };

export function addRebase(command: Command): void {
  addPresentation(command)
    .summary('move a copy to another base URL')
    .description(
      'Rebuilds the site of a copy for another base URL, from its own records. Works offline, and updates the copy completely or not at all.',
    )
    .argument('<dir>', 'folder of the copy')
    .optionsGroup('Output:')
    .option('--base-url <url>', 'new base URL (required)')
    .option('--out <dir>', 'output folder [the copy itself]')
    .addOption(linksOption())
    .addOption(takeLockOption())
    .optionsGroup('Hosts:')
    .addOption(hostOption('write configuration for [as in the copy]'));
  addServingOptions(command).action((dir: string, { host: hosts, ...options }: Typed) =>
    perform(
      options,
      async (reporter, signal) => {
        const { rebase } = await import('./commands/rebase.ts');
        const report = await rebase(dir, { ...options, hosts, signal });
        reporter.print(rebaseLines(report));
        return { output: report };
      },
      { kept: (failure) => keptLines(options.out ?? dir, failure) },
    ),
  );
}

function rebaseLines(report: RebaseReport): string[] {
  const { out, from, to, links, hosts, stale, files } = report;
  const lines = [`links: from ${from} to ${to}, style ${links}; hosts: ${hosts.join(', ') || 'none'}`];
  if (stale.length > 0)
    lines.push(`warning: copied unchanged, still containing the old base URL: ${firstOf(stale)}`);
  return [...lines, ...publishedLines(out, files, report)];
}
