/** `gamedata snapshot`: its options, and what it prints. */

import type { Command } from 'commander';
import { defaults } from './commands/defaults.ts';
import type { SnapshotOptions } from './commands/snapshot.ts';
import { keptLines } from './lines.ts';
import { addPresentation, addSourceOptions } from './options.ts';
import { type Presentation, perform } from './perform.ts';
import { watch } from './reporter.ts';

export function addSnapshot(command: Command): void {
  addSourceOptions(addPresentation(command))
    .summary('refresh a data set')
    .description(
      'Reads every move and item, and writes them to a folder that builds can read instead of the upstream. auto means rest, as there is nothing to fall back to.',
    )
    .optionsGroup('Output:')
    .option('--data <dir>', 'folder of the data set', defaults.data)
    .action((options: SnapshotOptions & Presentation & { data: string }) =>
      perform(
        options,
        async (reporter, signal) => {
          const { snapshot } = await import('./commands/snapshot.ts');
          const { summaryLines } = await import('./summary.ts');
          const report = await snapshot({ ...options, signal }, watch(reporter));
          reporter.print(summaryLines(report));
          return { output: report };
        },
        { kept: (failure) => keptLines(options.data, failure, options.cache) },
      ),
    );
}
