/** The commands, their arguments and options. Each loads its code only when it runs. */

import { once } from 'node:events';
import { Command, CommanderError } from 'commander';
import { levels } from '../contract/guarantees.ts';
import { iconModes } from '../contract/icons.ts';
import type { GamedataError } from '../errors.ts';
import type { Watchers } from '../sources/capture.ts';
import { VERSION } from '../version.ts';
import type { ArchiveOptions } from './commands/archive.ts';
import type { BuildOptions } from './commands/build.ts';
import { defaults } from './commands/defaults.ts';
import type { DiffOptions } from './commands/diff.ts';
import type { MirrorOptions } from './commands/mirror.ts';
import type { RebaseOptions } from './commands/rebase.ts';
import type { SnapshotOptions } from './commands/snapshot.ts';
import type { VerifyOptions } from './commands/verify.ts';
import { exitCodes } from './exit-codes.ts';
import {
  addCommon,
  addPresentation,
  addSourceOptions,
  allowMissingOption,
  choices,
  compactHelp,
  concurrencyOption,
  fallbackOption,
  findConfig,
  hostOption,
  linksOption,
  numberOption,
  parseNumber,
  retriesOption,
  rootOption,
  SHRINK,
  takeLockOption,
} from './options.ts';
import { type Presentation, perform, performReading } from './perform.ts';
import type { Reporter } from './reporter.ts';

export function createProgram(): Command {
  const program = new Command('gamedata')
    .description('Builds a read-only JSON API of game moves and items as static files for a CDN.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp(compactHelp)
    .hook('preAction', async (_, command) => {
      const file = findConfig(command.opts());
      if (file === undefined && !command.opts().printConfig) return;
      const { configure, settingsLines } = await import('./config.ts');
      const settings = configure(program, command, { file, environment: process.env });
      if (!command.opts().printConfig) return;
      printAll(settingsLines(settings, command.opts()));
      throw new CommanderError(exitCodes.done, 'gamedata.printed', '');
    });
  addBuild(program.command('build'));
  addSnapshot(program.command('snapshot'));
  addVerify(program.command('verify'));
  addMirror(program.command('mirror'));
  addRebase(program.command('rebase'));
  addArchive(program.command('archive'));
  addDiff(program.command('diff'));
  addHosts(program.command('hosts'));
  addServe(program.command('serve'));
  return program;
}

type BuildCommand = BuildOptions &
  Presentation & { host: NonNullable<BuildOptions['hosts']>; out: string; onChange?: string };

function addBuild(command: Command): void {
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
    .addOption(hostOption('write configuration for').default([...defaults.hosts]))
    .addOption(rootOption())
    .addOption(fallbackOption())
    .action(async (options: BuildCommand) => {
      const { host: hosts, onChange, ...rest } = options;
      await perform(
        options,
        async (reporter, signal) => {
          const { build } = await import('./commands/build.ts');
          const { iconsLines, nextLines, problemLines, summaryLines } = await import('./lines.ts');
          const report = await build({ ...rest, hosts, signal }, watch(reporter));
          const summary = summaryLines(report);
          reporter.print([...summary, ...iconsLines(report.sprites)]);
          const { problems, changed, out } = report;
          for (const line of problemLines(out, problems)) reporter.notice(line);
          if (problems.length === 0) reporter.print(nextLines(report));
          let failed = problems.length > 0;
          if (onChange !== undefined) {
            const { noteChange, runOnChange } = await import('./on-change.ts');
            noteChange({ out, changed, summary: options.json ? [JSON.stringify(report)] : summary });
            failed ||= !(await runOnChange(onChange, out, reporter));
          }
          return { output: report, failed };
        },
        { kept: leftBy({ out: options.out, fetched: options.cache }) },
      );
    });
}

/** What a failure leaves. Loaded then: no build needs it otherwise. */
const leftBy =
  ({ out, fetched }: { out: string; fetched?: string | false | undefined }) =>
  async (failure: GamedataError | undefined): Promise<string[]> => {
    const { keptLines } = await import('./lines.ts');
    return keptLines({ out, fetched: fetched || undefined }, failure);
  };

function addSnapshot(command: Command): void {
  addSourceOptions(addPresentation(command))
    .summary('refresh a data set')
    .description(
      'Reads every move and item, and writes them to a folder that builds can read instead of the upstream. auto means rest, as there is nothing to fall back to.',
    )
    .optionsGroup('Output:')
    .option('--data <dir>', 'folder of the data set', defaults.data)
    .action(async (options: SnapshotOptions & Presentation & { data: string }) => {
      await perform(
        options,
        async (reporter, signal) => {
          const { snapshot } = await import('./commands/snapshot.ts');
          const { summaryLines } = await import('./lines.ts');
          const report = await snapshot({ ...options, signal }, watch(reporter));
          reporter.print(summaryLines(report));
          return { output: report };
        },
        { kept: leftBy({ out: options.data, fetched: options.cache }) },
      );
    });
}

function addVerify(command: Command): void {
  addPresentation(command)
    .summary('check a built site or a deployment')
    .description(
      'Re-reads a built site, or checks a deployment by sending requests: completeness, links, schemas and every guarantee of the contract.',
    )
    .argument('<dir|url>', "a site's folder, or a deployment's URL")
    .optionsGroup('For a URL:')
    .addOption(choices('--level <level>', 'guarantees to check [static]', levels))
    .option('--like <dir>', 'expect exactly the site in this folder')
    .option('--wait <time>', 'how long to wait for it, such as 90s or 10m')
    .option('--link-base <url>', 'base URL of links, if it is another one')
    .addOption(concurrencyOption())
    .action(async (target: string, options: VerifyOptions & Presentation) => {
      await performReading(options, async (reporter) => {
        const { verify } = await import('./commands/verify.ts');
        const { verifyLines } = await import('./lines.ts');
        const report = await verify(target, options, { onWait: reporter.notice });
        const failed = 'guarantees' in report ? report.failed > 0 : report.problems.length > 0;
        const lines = verifyLines(target, report);
        if (failed) for (const line of lines) reporter.notice(line);
        else reporter.print(lines);
        return { output: report, failed };
      });
    });
}

function addMirror(command: Command): void {
  addPresentation(command)
    .summary('copy a deployment, or restore an archive')
    .description(
      'Copies a deployment by its manifest: downloads what has changed, checks it, and updates the copy completely or not at all. Host configuration is excluded, as deployments do not serve it; rebase generates it. An archive (.tar.gz) is restored completely.',
    )
    .argument('<url|archive>', 'URL of the deployment, or an archive of a site')
    .argument('[dir]', 'folder of the copy (default: named after the source)')
    .optionsGroup('Data:')
    .option('--dry-run', 'only report what would be done')
    .addOption(concurrencyOption())
    .addOption(retriesOption())
    .optionsGroup('Guards:')
    .addOption(numberOption('--max-shrink <percent>', `${SHRINK} [1; any for an archive]`))
    .addOption(allowMissingOption())
    .addOption(takeLockOption())
    .action(async (source: string, dir: string | undefined, options: MirrorOptions & Presentation) => {
      await perform(
        options,
        async (reporter, signal) => {
          const { mirror } = await import('./commands/mirror.ts');
          const { mirrorLines } = await import('./lines.ts');
          const watchers = { onProgress: reporter.progress };
          const report = await mirror(source, { ...options, out: dir, signal }, watchers);
          reporter.print(mirrorLines(report));
          return { output: report };
        },
        {
          async kept(failure) {
            const { mirrorFolder } = await import('./commands/mirror.ts');
            return leftBy({ out: dir ?? mirrorFolder(source) })(failure);
          },
        },
      );
    });
}

function addRebase(command: Command): void {
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
    .addOption(hostOption('write configuration for [as in the copy]'))
    .addOption(rootOption())
    .addOption(fallbackOption())
    .action(
      async (
        dir: string,
        { host, ...options }: RebaseOptions & Presentation & { host?: RebaseOptions['hosts'] },
      ) => {
        await perform(
          options,
          async (reporter, signal) => {
            const { rebase } = await import('./commands/rebase.ts');
            const { rebaseLines } = await import('./lines.ts');
            const report = await rebase(dir, { ...options, hosts: host, signal });
            reporter.print(rebaseLines(report));
            return { output: report };
          },
          { kept: leftBy({ out: options.out ?? dir }) },
        );
      },
    );
}

function addArchive(command: Command): void {
  addPresentation(command)
    .summary('pack a site for download')
    .description(
      'Packs a site into gamedata.tar.gz and gamedata.zip, with checksums in gamedata.sha256: the same bytes for the same site.',
    )
    .argument('[dir]', 'folder of the site', defaults.out)
    .optionsGroup('Output:')
    .option('--out <dir>', 'folder of the archives', defaults.archiveOut)
    .action(async (dir: string, options: ArchiveOptions & Presentation) => {
      await perform(options, async (reporter) => {
        const { archive } = await import('./commands/archive.ts');
        const { archiveLines } = await import('./lines.ts');
        const report = await archive(dir, options);
        reporter.print(archiveLines(report));
        return { output: report };
      });
    });
}

type DiffFormat = 'text' | 'json' | 'markdown';

function addDiff(command: Command): void {
  addCommon(command)
    .summary('compare two data sets')
    .description(
      "Compares two data sets, each given by a snapshot's folder, a site's folder or a deployment's URL: records added, removed, renamed (same id, new slug) and changed, field by field.",
    )
    .argument('<old>', 'the older data set')
    .argument('<new>', 'the newer data set')
    .optionsGroup('Output:')
    .addOption(choices('--format <format>', 'one of', ['text', 'json', 'markdown']).default('text'))
    .option('--max <n>', 'maximum number of records listed per group', parseNumber)
    .option('--exit-code', 'exit with 3 instead of 0 if there are differences')
    .optionsGroup('Data:')
    .addOption(concurrencyOption())
    .action(
      async (
        before: string,
        after: string,
        options: DiffOptions & { format: DiffFormat; max?: number; exitCode?: boolean },
      ) => {
        await performReading({}, async () => {
          const { diff } = await import('./commands/diff.ts');
          const { countChanges } = await import('../dataset/compare.ts');
          const { markdownLines, textLines } = await import('../dataset/describe-changes.ts');
          const comparison = await diff(before, after, options);
          const lines = {
            text: () => textLines(comparison, options),
            json: () => [JSON.stringify(comparison)],
            markdown: () => markdownLines(comparison, options),
          }[options.format]();
          printAll(lines);
          const differs = options.exitCode === true && countChanges(comparison) > 0;
          return { output: comparison, exitCode: differs ? exitCodes.different : exitCodes.done };
        });
      },
    );
}

function addHosts(command: Command): void {
  addCommon(command)
    .summary('list the hosts')
    .description('Lists the hosts that --host accepts, and what each does not support.')
    .option('--json', 'print the list as one JSON object on stdout')
    .action(async ({ json = false }: Presentation) => {
      const { describeHosts } = await import('./commands/hosts.ts');
      const { hostLines } = await import('./lines.ts');
      const hosts = describeHosts();
      printAll(json ? [JSON.stringify({ hosts })] : hostLines(hosts));
    });
}

function addServe(command: Command): void {
  addCommon(command)
    .option('--quiet', 'print only problems')
    .summary('serve a built site')
    .description(
      'Serves a built site with the whole contract: any limit and offset, pages for browsers, 304, 405, redirects.',
    )
    .argument('[dir]', 'folder of the site', defaults.out)
    .optionsGroup('Server:')
    .option('--port <n>', 'port to listen on; 0 picks a free one', parseNumber, defaults.port)
    .option('--listen <address>', 'address to listen on', defaults.listen)
    .option('--compress', 'compress API responses, too, not only other files')
    .option('--access-log', 'print a line per request')
    .action(
      async (
        dir: string,
        options: { port: number; listen: string; compress?: boolean; accessLog?: boolean } & Pick<
          Presentation,
          'quiet'
        >,
      ) => {
        await perform(options, async (reporter, signal) => {
          const { serve } = await import('./commands/serve.ts');
          const { servedLines } = await import('./lines.ts');
          const { port, listen, compress, accessLog = false, quiet = false } = options;
          const onRequest = accessLog ? (line: string) => printAll([line]) : undefined;
          const server = await serve({ dir, port, listen, compress, onRequest, onProblem: reporter.notice });
          if (!quiet) printAll(servedLines(dir, server));
          if (!signal.aborted) await once(signal, 'abort');
          await server.close();
          return { output: {} };
        });
      },
    );
}

const printAll = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

function watch(reporter: Reporter): Watchers {
  return {
    onProgress: reporter.progress,
    onFallback(message, cause) {
      reporter.notice(`WARNING: ${message}`);
      if (cause) reporter.notice(`  ${cause.message}`);
    },
  };
}
