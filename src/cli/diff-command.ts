/** `gamedata diff`: its options, and what it prints. */

import type { Command } from 'commander';
import type { DiffOptions } from './commands/diff.ts';
import { addCommon, choices, concurrencyOption } from './options.ts';
import { exitCodes, perform, print } from './perform.ts';

type Typed = DiffOptions & { format: 'text' | 'json' | 'markdown'; exitCode?: boolean };

export function addDiff(command: Command): void {
  addCommon(command)
    .summary('compare two data sets')
    .description(
      "Compares two data sets, each given by a snapshot's folder, a site's folder or archive (.tar.gz), or a deployment's URL: records added, removed, renamed (same id, new slug) and changed, field by field.",
    )
    .argument('<old>', 'the older data set')
    .argument('<new>', 'the newer data set')
    .optionsGroup('Output:')
    .addOption(choices('--format <format>', 'one of', ['text', 'json', 'markdown']).default('text'))
    .option('--exit-code', 'exit with 3 instead of 0 if there are differences')
    .optionsGroup('Data:')
    .addOption(concurrencyOption())
    .action((before: string, after: string, { format, exitCode, ...options }: Typed) =>
      perform(
        {},
        async () => {
          const { diff } = await import('./commands/diff.ts');
          const { countChanges } = await import('../dataset/compare.ts');
          const { markdownLines, textLines } = await import('../dataset/describe-changes.ts');
          const comparison = await diff(before, after, options);
          const lines = {
            text: () => textLines(comparison),
            json: () => [JSON.stringify(comparison)],
            markdown: () => markdownLines(comparison),
          };
          print(lines[format]());
          const differs = exitCode === true && countChanges(comparison) > 0;
          return { exitCode: differs ? exitCodes.different : exitCodes.done };
        },
        { endsAtOnce: true },
      ),
    );
}
