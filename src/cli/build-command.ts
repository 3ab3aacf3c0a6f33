/** `gamedata build`: its options, and what it prints. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Command } from 'commander';
import { iconModes } from '../contract/icons.ts';
import { counted, groupDigits } from '../contract/words.ts';
import { explainSystemError, OutputError } from '../errors.ts';
import { statusOf } from '../files.ts';
import { webServerNames } from '../hosts/names.ts';
import { appendToWorkingFile, readWorkingFile, workFolders } from '../publish/work-folders.ts';
import type { IconsReport } from '../sources/icons/gather.ts';
import type { BuildOptions, BuildReport } from './commands/build.ts';
import { defaults } from './commands/defaults.ts';
import { keptLines, problemLines } from './lines.ts';
import {
  addPresentation,
  addServingOptions,
  addSourceOptions,
  choices,
  hostOption,
  linksOption,
  parseNumber,
} from './options.ts';
import { exitCodes, type Presentation, perform } from './perform.ts';
import { watch } from './reporter.ts';

type Typed = BuildOptions & Presentation & { host: BuildOptions['hosts']; out: string; onChange?: string };

export function addBuild(command: Command): void {
  addSourceOptions(addPresentation(command))
    .summary('build the site')
    .description('Reads every move and item, and publishes the site into a folder.')
    .option('--forget-history', 'start a new history, without redirects')
    .optionsGroup('Output:')
    .option('--base-url <url>', `base URL [$BASE_URL, or ${defaults.baseUrl}]`)
    .option('--out <dir>', 'output folder', defaults.out)
    .addOption(linksOption())
    .option('--no-downloads', 'omit the bulk files')
    .addOption(choices('--sprites <mode>', 'icons', iconModes).default(defaults.sprites))
    .option('--sprites-upstream <url>', 'where icons come from')
    .option('--archive', 'offer the site as /download/gamedata.tar.gz')
    .option('--verify', 'check what was published')
    .option('--keep <n>', 'keep archives of the last n sites', parseNumber)
    .option('--on-change <command>', 'run if the site changed, with the summary')
    .optionsGroup('Hosts:')
    .addOption(hostOption('write configuration for').default([...defaults.hosts]));
  addServingOptions(command).action(({ host: hosts, onChange, ...options }: Typed) =>
    perform(
      options,
      async (reporter, signal) => {
        const { build } = await import('./commands/build.ts');
        const { summaryLines } = await import('./summary.ts');
        const report = await build({ ...options, hosts, signal }, watch(reporter));
        const { problems, changed, out } = report;
        const summary = summaryLines(report);
        reporter.print(changed ? [...summary, ...iconsLines(report.sprites)] : summary);
        problemLines(out, problems).forEach(reporter.notice);
        if (problems.length === 0) reporter.print(nextLines(report, hosts));
        let failed = problems.length > 0;
        if (onChange !== undefined) {
          const change = !changed ? [] : options.json ? [JSON.stringify(report)] : summary;
          const problem = await tellChange(onChange, out, { change, isRight: !failed });
          if (problem !== undefined) reporter.notice(`error: --on-change: ${problem}`);
          failed ||= problem !== undefined;
        }
        return { output: report, exitCode: failed ? exitCodes.unfinished : exitCodes.done };
      },
      { kept: (failure) => keptLines(options.out, failure, options.cache) },
    ),
  );
}

function iconsLines({ mode, icons, missing, offline, requests }: IconsReport): string[] {
  if (mode === 'link') return [];
  const placeholders = mode === 'none' ? icons : missing;
  const parts = [
    counted(icons, 'icon'),
    `${groupDigits(placeholders)} replaced by the placeholder`,
    ...(requests
      ? [counted(requests.bodies, 'body', 'bodies'), `${groupDigits(requests.cacheHits)} from cache`]
      : []),
  ];
  const lines = [`icons: ${parts.join(' · ')}`];
  if (offline !== null) lines.push(`warning: using cached icons: ${offline}`);
  return lines;
}

/** What to do with a site that has changed. */
function nextLines({ changed, out, install, kept }: BuildReport, hosts: BuildOptions['hosts']): string[] {
  if (!changed) return [];
  const archive = kept === null ? [] : [`archive: ${kept}`];
  const isInstalled = hosts?.some((host) => webServerNames.includes(host));
  const commands = isInstalled ? install : [`npx gamedata serve ${out}, or upload that folder to a host`];
  return [...archive, ...commands.map((command) => `next: ${command}`)];
}

/**
 * Runs a command with the summary of a change on its standard input. The summary is kept beside the site until the command has
 * succeeded: if it fails, the next build runs it again, even if nothing has changed since.
 *
 * @param change what has changed; empty if nothing has
 * @param isRight whether the command may be run: it is not told of a site that is wrong
 * @returns what went wrong; undefined if it succeeded, or there was nothing to tell
 */
async function tellChange(
  command: string,
  out: string,
  { change, isRight }: { change: readonly string[]; isRight: boolean },
): Promise<string | undefined> {
  const folders = workFolders(out);
  const { unreported } = folders;
  try {
    if (change.length > 0) appendToWorkingFile(folders, unreported, `${change.join('\n')}\n`);
    if (!isRight || !statusOf(unreported)) return undefined;
    const summary = readWorkingFile(folders, unreported);
    // Standard output is for the report.
    const child = spawn(command, { shell: true, stdio: ['pipe', 2, 2] });
    // A command need not read it.
    child.stdin?.on('error', () => {}).end(summary);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code !== 0)
      return `got ${signal ?? `exit code ${code}`}: the site is published, and the next build will run the command again`;
    // Another build may have added to it, or have told all of it.
    const present = statusOf(unreported) ? readWorkingFile(folders, unreported) : '';
    if (!present.startsWith(summary)) return undefined;
    rmSync(unreported);
    if (present !== summary) appendToWorkingFile(folders, unreported, present.slice(summary.length));
    return undefined;
  } catch (error) {
    const explained = explainSystemError(error, unreported);
    if (explained instanceof OutputError) return explained.message;
    throw error;
  }
}
