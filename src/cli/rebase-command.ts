/** `gamedata rebase`: its options, and what it prints. */

import type { Command } from 'commander';
import { defaults } from './commands/defaults.ts';
import type { RebaseOptions, RebaseReport } from './commands/rebase.ts';
import { keptLines, lossLines, publishedLines } from './lines.ts';
import {
  addPresentation,
  addServingOptions,
  allowMissingOption,
  hostOption,
  linksOption,
  numberOption,
  SHRINK,
  takeLockOption,
} from './options.ts';
import { type Presentation, perform } from './perform.ts';
import { watch } from './reporter.ts';

type Typed = RebaseOptions & Presentation & { host?: RebaseOptions['hosts'] };

export function addRebase(command: Command): void {
  addPresentation(command)
    .summary('move a copy to another base URL')
    .description(
      'Rebuilds the site of a copy for another base URL, from its own records. Works offline, and updates the copy completely or not at all. Pages and scripts are those of this version; nothing else of the copy survives.',
    )
    .argument('<dir>', 'folder of the copy')
    .optionsGroup('Output:')
    .option('--base-url <url>', 'new base URL (required)')
    .option('--out <dir>', 'output folder [the copy itself]')
    .addOption(linksOption())
    .optionsGroup('Guards:')
    .addOption(numberOption('--max-shrink <percent>', SHRINK).default(defaults.maxShrink))
    .addOption(allowMissingOption())
    .addOption(takeLockOption())
    .optionsGroup('Hosts:')
    .addOption(hostOption('write configuration for [as in the copy]'));
  addServingOptions(command).action((dir: string, { host: hosts, ...options }: Typed) =>
    perform(
      options,
      async (reporter, signal) => {
        const { rebase } = await import('./commands/rebase.ts');
        const report = await rebase(dir, { ...options, hosts, signal }, watch(reporter));
        reporter.print(rebaseLines(report));
        return { output: report };
      },
      { kept: (failure) => keptLines(options.out ?? dir, failure) },
    ),
  );
}

function rebaseLines(report: RebaseReport): string[] {
  const { out, from, to, links, hosts, files } = report;
  return [
    `links: from ${from} to ${to}, style ${links}; hosts: ${hosts.join(', ') || 'none'}`,
    ...lossLines(report),
    ...publishedLines(out, files, report),
  ];
}
