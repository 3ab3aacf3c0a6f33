#!/usr/bin/env node
/** The command line: the only file that knows about arguments, exit codes and the console. */

import { once } from 'node:events';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ArchiveOptions } from './archive.ts';
import { linkStyles } from './contract/addresses.ts';
import { spriteModes } from './contract/pictures.ts';
import { GamedataError } from './errors.ts';
import { hostNames } from './hosts/names.ts';
import type {
  BuildOptions,
  DiffOptions,
  MirrorOptions,
  RebaseOptions,
  SnapshotOptions,
  VerifyOptions,
} from './options.ts';
import { createReporter, type Reporter, servedLines } from './reporter.ts';
import { sourceNames } from './sources/source.ts';
import { levels } from './verify/level.ts';
import { VERSION } from './version.ts';

/** What every command has for the person who runs it. */
interface Presentation {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const exitCodes = { done: 0, failed: 1, usage: 2, different: 3, SIGINT: 130, SIGTERM: 143 } as const;

const program = new Command('gamedata')
  .description('Builds a read-only JSON API of game moves and items as static files for a CDN.')
  .version(VERSION)
  .exitOverride()
  .configureOutput({ outputError: () => {} });

withSourceOptions(program.command('build'))
  .summary('build the site')
  .description('Reads every move and item and publishes the site into a folder.')
  .option(
    '--base-url <url>',
    'address the site will be served under (default: $BASE_URL, then what Netlify sets, then http://localhost:3000)',
  )
  .option('--out <dir>', 'folder of the site', 'build')
  .addOption(
    new Option('--host <name...>', 'hosts to write configuration for')
      .choices(hostNames)
      .default(['netlify']),
  )
  .addOption(
    new Option('--links <style>', 'what links lead to: endpoints, or the files themselves')
      .choices(linkStyles)
      .default('query'),
  )
  .option('--no-downloads', 'leave out the bulk files')
  .addOption(
    new Option(
      '--sprites <mode>',
      "pictures of items: redirect to the upstream's, hold them, or only the placeholder",
    )
      .choices(spriteModes)
      .default('link'),
  )
  .option('--sprites-upstream <url>', "where pictures are (default: the live upstream's)")
  .option('--archive', 'let the site offer itself for download: /download/gamedata.tar.gz and .zip')
  .action(async (options: BuildOptions & Presentation & { host: NonNullable<BuildOptions['hosts']> }) => {
    const { host: hosts, ...rest } = options;
    await perform(options, async (reporter, signal) => {
      const { build } = await import('./build.ts');
      const report = await build({ ...rest, hosts, signal }, watch(reporter));
      reporter.summary(report);
      const { spritesLines } = await import('./copy-lines.ts');
      reporter.told(spritesLines(report.sprites));
      return { output: report };
    });
  });

withSourceOptions(program.command('snapshot'))
  .summary('refresh the bundled data set')
  .description(
    'Reads every move and item and keeps them in a folder that builds can read instead of the upstream. auto means rest here: there is nothing to fall back to.',
  )
  .option('--data <dir>', 'folder of the data set (default: the bundled one)')
  .action(async (options: SnapshotOptions & Presentation) => {
    await perform(options, async (reporter, signal) => {
      const { snapshot } = await import('./snapshot.ts');
      const report = await snapshot({ ...options, signal }, watch(reporter));
      reporter.summary(report);
      return { output: report };
    });
  });

withPresentation(program.command('verify'))
  .summary('check a built site or a deployment')
  .description(
    'Re-reads a built site, or asks a deployment: complete, linked, true to the schemas and to every clause that is promised.',
  )
  .argument('<dir|url>', 'folder of the site, or address of a deployment')
  .addOption(
    new Option('--level <level>', 'of an address: what every host keeps, or the whole contract')
      .choices(levels)
      .default('static'),
  )
  .option('--concurrency <n>', 'of an address: requests at one time', parseNumber, 16)
  .option(
    '--link-base <url>',
    'of an address: what links begin with, if the site was built under another name',
  )
  .action(async (target: string, options: VerifyOptions & Presentation) => {
    await perform(options, async (reporter, signal) => {
      const { verify } = await import('./verify.ts');
      const report = await verify(target, { ...options, signal });
      const failed = 'clauses' in report ? report.failed > 0 : report.problems.length > 0;
      reporter.verified(target, report);
      return { output: report, failed };
    });
  });

withPresentation(program.command('mirror'))
  .summary('copy a deployment')
  .description(
    "Copies a deployment by its manifest: fetches what has changed, checks it and replaces the copy in one go. Hosts' configuration is left out: no deployment hands it out, and rebase makes it.",
  )
  .argument('<url>', 'address of the deployment')
  .argument('[dir]', 'folder of the copy (default: named like the host)')
  .option('--dry-run', 'only say what would be done')
  .option('--concurrency <n>', 'requests at one time', parseNumber, 16)
  .option('--retries <n>', 'how often a failed request is sent again', parseNumber, 4)
  .action(async (url: string, dir: string | undefined, options: MirrorOptions & Presentation) => {
    await perform(options, async (reporter, signal) => {
      const { mirror } = await import('./mirror.ts');
      const { mirrorLines } = await import('./copy-lines.ts');
      const report = await mirror(url, { ...options, out: dir, signal }, { onProgress: reporter.progress });
      reporter.told(mirrorLines(report));
      return { output: report };
    });
  });

withPresentation(program.command('rebase'))
  .summary('put a copy under another address')
  .description(
    'Makes the site of a copy anew, out of its own records, under another address. Needs no network; the copy is replaced in one go.',
  )
  .argument('<dir>', 'folder of the copy')
  .requiredOption('--base-url <url>', 'address the copy will be served under')
  .addOption(
    new Option('--links <style>', 'what links lead to (default: as in the copy)').choices(linkStyles),
  )
  .addOption(
    new Option('--host <name...>', 'hosts to write configuration for (default: as in the copy)').choices(
      hostNames,
    ),
  )
  .option('--out <dir>', 'folder of the rebased site (default: the copy itself)')
  .action(
    async (
      dir: string,
      { host, ...options }: RebaseOptions & Presentation & { host?: RebaseOptions['hosts'] },
    ) => {
      await perform(options, async (reporter, signal) => {
        const { rebase } = await import('./rebase.ts');
        const { rebaseLines } = await import('./copy-lines.ts');
        const report = await rebase(dir, { ...options, hosts: host, signal });
        reporter.told(rebaseLines(report));
        return { output: report };
      });
    },
  );

withPresentation(program.command('archive'))
  .summary('pack a site for download')
  .description(
    'Packs a site into gamedata.tar.gz and gamedata.zip, with their checksums in gamedata.sha256: the same bytes for the same site.',
  )
  .argument('[dir]', 'folder of the site', 'build')
  .option('--out <dir>', 'folder of the archives', '.')
  .action(async (dir: string, options: ArchiveOptions & Presentation) => {
    await perform(options, async (reporter) => {
      const { archive } = await import('./archive.ts');
      const { archiveLines } = await import('./copy-lines.ts');
      const report = await archive(dir, options);
      reporter.told(archiveLines(report));
      return { output: report };
    });
  });

program
  .command('diff')
  .summary('compare two data sets')
  .description(
    'Compares two data sets, each the folder of a snapshot, the folder of a site or the address of a deployment: what was added, removed, renamed (same id, new slug) and changed, field by field.',
  )
  .argument('<old>', 'what was')
  .argument('<new>', 'what is')
  .addOption(
    new Option('--format <format>', 'how to print it').choices(['text', 'json', 'markdown']).default('text'),
  )
  .option('--max <n>', 'of text and markdown: the most records named in one group', parseNumber)
  .option('--exit-code', 'exit with 3 where there are differences, instead of 0')
  .option('--concurrency <n>', 'of an address: requests at one time', parseNumber, 16)
  .action(
    async (
      before: string,
      after: string,
      options: DiffOptions & { format: 'text' | 'json' | 'markdown'; max?: number; exitCode?: boolean },
    ) => {
      await perform({}, async (_, signal) => {
        const { diff } = await import('./diff.ts');
        const { countChanges } = await import('./changes/compare.ts');
        const { markdownLines, textLines } = await import('./changes/text.ts');
        const comparison = await diff(before, after, { ...options, signal });
        const lines = {
          text: () => textLines(comparison, options),
          json: () => [JSON.stringify(comparison)],
          markdown: () => markdownLines(comparison, options),
        }[options.format]();
        process.stdout.write(`${lines.join('\n')}\n`);
        const differs = options.exitCode === true && countChanges(comparison) > 0;
        return { output: comparison, exitCode: differs ? exitCodes.different : exitCodes.done };
      });
    },
  );

program
  .command('hosts')
  .summary('list the hosts')
  .description('Lists the hosts that --host knows, and what each can and cannot do.')
  .option('--json', 'print the list as one JSON object on stdout')
  .action(async ({ json = false }: Presentation) => {
    const { describeHosts, hostLines } = await import('./hosts/description.ts');
    process.stdout.write(
      json ? `${JSON.stringify({ hosts: describeHosts() })}\n` : hostLines().join('\n').concat('\n'),
    );
  });

program
  .command('serve')
  .summary('serve a built site')
  .description(
    'Serves a built site with the whole contract: any window, pages for browsers, 304, 405, redirects.',
  )
  .argument('[dir]', 'folder of the site', 'build')
  .option('--port <n>', 'port to listen on; 0 takes a free one', parseNumber, 3000)
  .option('--listen <address>', 'address to listen on', '127.0.0.1')
  .option('--access-log', 'print a line for each request: method, path, status, bytes, milliseconds')
  .option('--quiet', 'print nothing but problems')
  .action(
    async (
      dir: string,
      options: { port: number; listen: string; accessLog?: boolean } & Pick<Presentation, 'quiet'>,
    ) => {
      await perform(options, async (reporter, signal) => {
        const { serve } = await import('./serve.ts');
        const { port, listen, accessLog = false, quiet = false } = options;
        const print = (line: string): void => void process.stdout.write(`${line}\n`);
        const onRequest = accessLog ? print : undefined;
        const server = await serve({ dir, port, listen, onRequest, onProblem: reporter.notice });
        if (!quiet) for (const line of servedLines(dir, server)) print(line);
        if (!signal.aborted) await once(signal, 'abort');
        await server.close();
        return { output: {} };
      });
    },
  );

function withSourceOptions(command: Command): Command {
  command
    .addOption(
      new Option('--source <name>', 'where the data comes from').choices(sourceNames).default('auto'),
    )
    .option(
      '--upstream <url|dir>',
      "the source's address, or folder for csv and snapshot (default: the live PokeAPI v2)",
    )
    .option('--label <text>', 'what the site calls the upstream instead of its address')
    .option('--concurrency <n>', 'requests at one time', parseNumber, 16)
    .option('--retries <n>', 'how often a failed request is sent again', parseNumber, 4)
    .option('--cache <dir>', 'folder of the disk cache', '.cache/gamedata')
    .option('--no-cache', 'fetch everything anew')
    .option(
      '--max-shrink <percent>',
      'refuse data without more of the last records than this share',
      parseNumber,
      1,
    );
  command.option(
    '--allow-missing <record...>',
    'records that may be gone, as <kind>/<slug>: they do not count',
  );
  return withPresentation(command);
}

function withPresentation(command: Command): Command {
  return command
    .option('--json', 'print the report as one JSON object on stdout')
    .option('--quiet', 'print nothing but problems');
}

function parseNumber(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}

function watch(reporter: Reporter): Parameters<typeof import('./build.ts').build>[1] {
  return {
    onProgress: reporter.progress,
    onFallback(message, cause) {
      reporter.notice(`WARNING: ${message}: building from the bundled data set instead`);
      if (cause) reporter.notice(`  ${cause.message}`);
    },
  };
}

/** Runs a command's work, and sets the exit code by how it ends. */
async function perform(
  { json = false, quiet = false }: Presentation,
  work: (
    reporter: Reporter,
    signal: AbortSignal,
  ) => Promise<{ output: object; failed?: boolean; exitCode?: number }>,
): Promise<void> {
  const reporter = createReporter(process.stderr, { quiet });
  const print = (output: object): void => void (json && process.stdout.write(`${JSON.stringify(output)}\n`));
  const interruption = interruptible();
  try {
    const { output, failed = false, exitCode } = await work(reporter, interruption.signal);
    print(output);
    process.exitCode = exitCode ?? (failed ? exitCodes.failed : exitCodes.done);
  } catch (error) {
    reporter.settle();
    const interrupted = interruption.by();
    if (interrupted) {
      reporter.notice(
        `stopped by ${interrupted}: nothing was published, what was fetched is kept in the cache`,
      );
      process.exitCode = exitCodes[interrupted];
      return;
    }
    if (error instanceof GamedataError)
      print({ error: { code: error.code, message: error.message, hint: error.hint ?? null } });
    throw error;
  } finally {
    interruption.end();
  }
}

/** A signal that is aborted by the first SIGINT or SIGTERM; a second one ends the process at once. */
function interruptible(): { signal: AbortSignal; by(): 'SIGINT' | 'SIGTERM' | undefined; end(): void } {
  const controller = new AbortController();
  let name: 'SIGINT' | 'SIGTERM' | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    end();
    name = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  };
  const end = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return { signal: controller.signal, by: () => name, end };
}

/** Says what went wrong; a bug shows its stack. */
function explain(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  const { notice } = createReporter(process.stderr, { quiet: false });
  if (error instanceof CommanderError) {
    if (error.code !== 'commander.help') notice(error.message);
    notice(usageLine());
    return exitCodes.usage;
  }
  if (error instanceof GamedataError) {
    notice(`error: ${error.message}`);
    if (error.hint !== undefined) notice(`hint: ${error.hint}`);
    if (error.code !== 'usage') return exitCodes.failed;
    notice(usageLine());
    return exitCodes.usage;
  }
  process.stderr.write(
    `${error instanceof Error ? error.stack : String(error)}\nThis is a bug in gamedata: please report it.\n`,
  );
  return exitCodes.failed;
}

function usageLine(): string {
  const command = program.commands.find((candidate) => candidate.name() === process.argv[2]);
  const usage = command ? `gamedata ${command.name()} ${command.usage()}` : `gamedata ${program.usage()}`;
  return `usage: ${usage} (see gamedata ${command ? `${command.name()} ` : ''}--help)`;
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}
