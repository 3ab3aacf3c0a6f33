/** `gamedata archive`: its options, and what it prints. */

import type { Command } from 'commander';
import { counted, readableSize } from '../contract/words.ts';
import type { ArchiveOptions } from './commands/archive.ts';
import { defaults } from './commands/defaults.ts';
import { addPresentation } from './options.ts';
import { type Presentation, perform } from './perform.ts';

export function addArchive(command: Command): void {
  addPresentation(command)
    .summary('pack a site for download')
    .description(
      'Packs a site into gamedata.tar.gz and gamedata.zip, with checksums in gamedata.sha256: the same bytes for the same site.',
    )
    .argument('[dir]', 'folder of the site', defaults.out)
    .optionsGroup('Output:')
    .option('--out <dir>', 'folder of the archives', defaults.archiveOut)
    .action((dir: string, options: ArchiveOptions & Presentation) =>
      perform(options, async (reporter) => {
        const { archive } = await import('./commands/archive.ts');
        const report = await archive(dir, options);
        const { out, files, archives, seconds } = report;
        const made = archives.map(({ name, bytes }) => `${name}, ${readableSize(bytes)}`).join('; ');
        reporter.print([`${dir}: ${counted(files, 'file')} packed into ${out}: ${made}, in ${seconds} s`]);
        return { output: report };
      }),
    );
}
