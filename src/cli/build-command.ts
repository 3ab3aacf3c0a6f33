/** `gamedata build`: its options, and what it prints. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { iconModes } from '../contract/icons.ts';
import { counted, groupDigits } from '../contract/words.ts';
import { errorCode } from '../errors.ts';
import { webServerNames } from '../hosts/names.ts';
import type { IconsReport } from '../sources/icons.ts';
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
    .option('--on-change <command>', 'run once if the site changed, with the summary')
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
        const isVerified = report.verified !== null && problems.length === 0;
        const verified = isVerified ? `verified ${counted(report.verified ?? 0, 'file')}` : '';
        const summary = summaryLines(report);
        // A build that changes nothing says so in one line.
        if (!changed && verified !== '') summary.push(`${summary.pop()}; ${verified}`);
        reporter.print(changed ? [...summary, ...iconsLines(report.sprites)] : summary);
        problemLines(out, problems).forEach(reporter.notice);
        if (changed && verified !== '') reporter.print([verified]);
        if (problems.length === 0) reporter.print(nextLines(report, hosts));
        let failed = problems.length > 0;
        if (onChange !== undefined && changed) {
          const told = options.json ? JSON.stringify(report) : summary.join('\n');
          const problem = failed ? 'not run, as problems were found' : await runWith(`${told}\n`, onChange);
          if (problem !== undefined)
            reporter.notice(
              `error: --on-change: ${problem}: the site is published; run by hand: ${onChange}`,
            );
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

/** Runs a command with a text on its standard input. Returns what went wrong; undefined if it succeeded. */
async function runWith(text: string, command: string): Promise<string | undefined> {
  // Standard output is for the report.
  const child = spawn(command, { shell: true, stdio: ['pipe', 2, 2] });
  // A command need not read it.
  child.stdin?.on('error', () => {}).end(text);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return code === 0 ? undefined : `got ${signal ?? `exit code ${code}`}`;
  } catch (error) {
    return `cannot be started (${errorCode(error)})`;
  }
}
