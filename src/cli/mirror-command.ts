/** `gamedata mirror`: its options, and what it prints. */

import type { Command } from 'commander';
import { counted, firstOf, groupDigits, readableSize } from '../contract/words.ts';
import { isAddress } from '../sources/source.ts';
import { defaults } from './commands/defaults.ts';
import type { MirrorOptions, MirrorReport } from './commands/mirror.ts';
import { keptLines, lossLines, publishedLines } from './lines.ts';
import {
  addPresentation,
  allowMissingOption,
  concurrencyOption,
  numberOption,
  retriesOption,
  SHRINK,
  takeLockOption,
} from './options.ts';
import { type Presentation, perform } from './perform.ts';
import { watch } from './reporter.ts';

export function addMirror(command: Command): void {
  addPresentation(command)
    .summary('copy a deployment, or restore an archive')
    .description(
      'Copies a deployment by its manifest: downloads what has changed, checks it, and updates the copy completely or not at all. Host configuration is excluded, as deployments do not serve it; rebase generates it. From an archive (.tar.gz), the site is built again as it was.',
    )
    .argument('<url|archive>', 'URL of the deployment, or an archive of a site')
    .argument('[dir]', 'folder of the copy (default: named after the source)')
    .optionsGroup('Data:')
    .addOption(concurrencyOption())
    .addOption(retriesOption())
    .optionsGroup('Guards:')
    .addOption(numberOption('--max-shrink <percent>', SHRINK).default(defaults.maxShrink))
    .addOption(allowMissingOption())
    .addOption(takeLockOption())
    .action(async (source: string, dir: string | undefined, options: MirrorOptions & Presentation) => {
      const { mirror, mirrorFolder } = await import('./commands/mirror.ts');
      const out = dir ?? mirrorFolder(source);
      await perform(
        options,
        async (reporter, signal) => {
          const report = await mirror(source, { ...options, out: dir, signal }, watch(reporter));
          reporter.print(mirrorLines(report));
          return { output: report };
        },
        { kept: (failure) => keptLines(out, failure) },
      );
    });
}

function mirrorLines(report: MirrorReport): string[] {
  const { address, out, downloaded, removed, excluded, lostRedirects, files, changed, seconds } = report;
  const lines = lossLines(report);
  if (lostRedirects.length > 0)
    lines.push(`warning: the deployment has lost redirects of renamed records: ${firstOf(lostRedirects)}`);
  if (excluded.length > 0) lines.push(`excluded, as host configuration: ${firstOf(excluded)}`);
  if (removed.length > 0) lines.push(`removed: ${firstOf(removed)}`);
  const resumed = downloaded.resumed > 0 ? `, ${groupDigits(downloaded.resumed)} resumed` : '';
  if (isAddress(address))
    lines.push(
      `${counted(downloaded.files, 'file')} downloaded, ${readableSize(downloaded.bytes)}${resumed}`,
    );
  if (!changed) lines.push(`${out}: nothing changed, in ${seconds} s`);
  else lines.push(...publishedLines(out, files, { changed, seconds }));
  return lines;
}
