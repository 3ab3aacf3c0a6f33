/** The commands, their arguments and options. Each loads its code only when it runs. */

import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ArchiveOptions } from '../commands/archive.ts';
import type { BuildOptions } from '../commands/build.ts';
import { defaults } from '../commands/defaults.ts';
import type { DiffOptions } from '../commands/diff.ts';
import type { MirrorOptions } from '../commands/mirror.ts';
import type { RebaseOptions } from '../commands/rebase.ts';
import type { SnapshotOptions } from '../commands/snapshot.ts';
import type { VerifyOptions } from '../commands/verify.ts';
import { iconModes } from '../contract/icons.ts';
import { linkStyles } from '../contract/paths.ts';
import { hostNames } from '../hosts/names.ts';
import type { Watchers } from '../sources/capture.ts';
import { sourceNames } from '../sources/source.ts';
import { levels } from '../verify/level.ts';
import { VERSION } from '../version.ts';
import { exitCodes } from './exit-codes.ts';
import { type Presentation, perform, performReading } from './perform.ts';
import type { Reporter } from './reporter.ts';

export function createProgram(): Command {
  const program = new Command('gamedata')
    .description('Builds a read-only JSON API of game moves and items as static files for a CDN.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
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

function addBuild(command: Command): void {
  addSourceOptions(command)
    .summary('build the site')
    .description('Reads every move and item, and publishes the site into a folder.')
    .option(
      '--base-url <url>',
      `base URL of the site (default: $BASE_URL, then Netlify's variables, then ${defaults.baseUrl})`,
    )
    .option('--out <dir>', 'output folder', defaults.out)
    .addOption(hostOption('hosts to write configuration for').default([...defaults.hosts]))
    .addOption(rootOption())
    .addOption(fallbackOption())
    .addOption(
      linksOption(
        `what links point to: endpoints (query) or files (file) (default: ${defaults.links}; for github-pages file)`,
      ),
    )
    .option('--no-downloads', 'omit the bulk files')
    .addOption(
      new Option('--sprites <mode>', 'icons: redirect to the upstream, copy them, or only a placeholder')
        .choices(iconModes)
        .default(defaults.sprites),
    )
    .option('--sprites-upstream <url>', "where icons come from (default: the live upstream's)")
    .option('--forget-history', 'start a new history, without redirects of records renamed before')
    .option('--archive', 'let the site offer itself as /download/gamedata.tar.gz and .zip')
    .action(async (options: BuildOptions & Presentation & { host: NonNullable<BuildOptions['hosts']> }) => {
      const { host: hosts, ...rest } = options;
      await perform(options, async (reporter, signal) => {
        const { build } = await import('../commands/build.ts');
        const { iconsLines, summaryLines } = await import('./lines.ts');
        const report = await build({ ...rest, hosts, signal }, watch(reporter));
        reporter.print([...summaryLines(report), ...iconsLines(report.sprites)]);
        return { output: report };
      });
    });
}

function addSnapshot(command: Command): void {
  addSourceOptions(command)
    .summary('refresh the bundled data set')
    .description(
      'Reads every move and item, and writes them to a folder that builds can read instead of the upstream. auto means rest, as there is nothing to fall back to.',
    )
    .option('--data <dir>', 'folder of the data set (default: the bundled one)')
    .action(async (options: SnapshotOptions & Presentation) => {
      await perform(options, async (reporter, signal) => {
        const { snapshot } = await import('../commands/snapshot.ts');
        const { summaryLines } = await import('./lines.ts');
        const report = await snapshot({ ...options, signal }, watch(reporter));
        reporter.print(summaryLines(report));
        return { output: report };
      });
    });
}

function addVerify(command: Command): void {
  addPresentation(command)
    .summary('check a built site or a deployment')
    .description(
      'Re-reads a built site, or checks a deployment by sending requests: completeness, links, schemas and every guarantee of the contract.',
    )
    .argument('<dir|url>', "a site's folder, or a deployment's URL")
    .addOption(
      new Option('--level <level>', 'for a URL: the guarantees of every host, or the whole contract')
        .choices(levels)
        .default(defaults.level),
    )
    .addOption(concurrencyOption('for a URL: maximum number of concurrent requests'))
    .option('--link-base <url>', 'for a URL: base URL of links, if the site was built for another one')
    .action(async (target: string, options: VerifyOptions & Presentation) => {
      await performReading(options, async (reporter) => {
        const { verify } = await import('../commands/verify.ts');
        const { verifyLines } = await import('./lines.ts');
        const report = await verify(target, options);
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
    .summary('copy a deployment')
    .description(
      'Copies a deployment by its manifest: downloads what has changed, checks it, and updates the copy completely or not at all. Host configuration is excluded, as deployments do not serve it; rebase generates it.',
    )
    .argument('<url>', 'URL of the deployment')
    .argument('[dir]', 'folder of the copy (default: named after the host)')
    .option('--dry-run', 'only report what would be done')
    .addOption(maxShrinkOption())
    .addOption(allowMissingOption())
    .addOption(takeLockOption())
    .addOption(concurrencyOption())
    .addOption(retriesOption())
    .action(async (url: string, dir: string | undefined, options: MirrorOptions & Presentation) => {
      await perform(options, async (reporter, signal) => {
        const { mirror } = await import('../commands/mirror.ts');
        const { mirrorLines } = await import('./lines.ts');
        const report = await mirror(url, { ...options, out: dir, signal }, { onProgress: reporter.progress });
        reporter.print(mirrorLines(report));
        return { output: report };
      });
    });
}

function addRebase(command: Command): void {
  addPresentation(command)
    .summary('move a copy to another base URL')
    .description(
      'Rebuilds the site of a copy for another base URL, from its own records. Works offline, and updates the copy completely or not at all.',
    )
    .argument('<dir>', 'folder of the copy')
    .requiredOption('--base-url <url>', 'new base URL')
    .addOption(linksOption('what links point to (default: as in the copy)'))
    .addOption(hostOption('hosts to write configuration for (default: as in the copy)'))
    .addOption(rootOption())
    .addOption(fallbackOption())
    .option('--out <dir>', 'output folder (default: the copy itself)')
    .addOption(takeLockOption())
    .action(
      async (
        dir: string,
        { host, ...options }: RebaseOptions & Presentation & { host?: RebaseOptions['hosts'] },
      ) => {
        await perform(options, async (reporter, signal) => {
          const { rebase } = await import('../commands/rebase.ts');
          const { rebaseLines } = await import('./lines.ts');
          const report = await rebase(dir, { ...options, hosts: host, signal });
          reporter.print(rebaseLines(report));
          return { output: report };
        });
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
    .option('--out <dir>', 'folder of the archives', defaults.archiveOut)
    .action(async (dir: string, options: ArchiveOptions & Presentation) => {
      await perform(options, async (reporter) => {
        const { archive } = await import('../commands/archive.ts');
        const { archiveLines } = await import('./lines.ts');
        const report = await archive(dir, options);
        reporter.print(archiveLines(report));
        return { output: report };
      });
    });
}

type DiffFormat = 'text' | 'json' | 'markdown';

function addDiff(command: Command): void {
  command
    .summary('compare two data sets')
    .description(
      "Compares two data sets, each given by a snapshot's folder, a site's folder or a deployment's URL: records added, removed, renamed (same id, new slug) and changed, field by field.",
    )
    .argument('<old>', 'the older data set')
    .argument('<new>', 'the newer data set')
    .addOption(
      new Option('--format <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'),
    )
    .option('--max <n>', 'for text and markdown: maximum number of records listed per group', parseNumber)
    .option('--exit-code', 'exit with 3 instead of 0 if there are differences')
    .addOption(concurrencyOption('for a URL: maximum number of concurrent requests'))
    .action(
      async (
        before: string,
        after: string,
        options: DiffOptions & { format: DiffFormat; max?: number; exitCode?: boolean },
      ) => {
        await performReading({}, async () => {
          const { diff } = await import('../commands/diff.ts');
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
  command
    .summary('list the hosts')
    .description('Lists the hosts that --host accepts, and what each does not support.')
    .option('--json', 'print the list as one JSON object on stdout')
    .action(async ({ json = false }: Presentation) => {
      const { describeHosts } = await import('../commands/hosts.ts');
      const { hostLines } = await import('./lines.ts');
      const hosts = describeHosts();
      printAll(json ? [JSON.stringify({ hosts })] : hostLines(hosts));
    });
}

function addServe(command: Command): void {
  command
    .summary('serve a built site')
    .description(
      'Serves a built site with the whole contract: any limit and offset, pages for browsers, 304, 405, redirects.',
    )
    .argument('[dir]', 'folder of the site', defaults.out)
    .option('--port <n>', 'port to listen on; 0 picks a free one', parseNumber, defaults.port)
    .option('--listen <address>', 'address to listen on', defaults.listen)
    .option('--compress', 'compress API responses, too, not only other files')
    .option('--access-log', 'print a line per request: method, path, status, bytes, milliseconds')
    .option('--quiet', 'print only problems')
    .action(
      async (
        dir: string,
        options: { port: number; listen: string; compress?: boolean; accessLog?: boolean } & Pick<
          Presentation,
          'quiet'
        >,
      ) => {
        await perform(options, async (reporter, signal) => {
          const { serve } = await import('../commands/serve.ts');
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

const takeLockOption = (): Option =>
  new Option('--take-lock', 'take over the lock of a build on another host that has ended');
const maxShrinkOption = (): Option =>
  new Option('--max-shrink <percent>', 'fail if more than this percentage of records disappeared')
    .argParser(parseNumber)
    .default(defaults.maxShrink);
const allowMissingOption = (): Option =>
  new Option(
    '--allow-missing <record...>',
    'records allowed to disappear, as <kind>/<slug>; excluded from --max-shrink',
  );
const hostOption = (description: string): Option =>
  new Option('--host <name...>', description).choices(hostNames);
const rootOption = (): Option =>
  new Option('--root <dir>', 'document root, for nginx, caddy and apache (default: the output folder)');
const fallbackOption = (): Option =>
  new Option(
    '--fallback <url>',
    'gamedata serve to proxy pages that are not built to, for nginx, caddy and apache',
  );
const linksOption = (description: string): Option =>
  new Option('--links <style>', description).choices(linkStyles);
const concurrencyOption = (description = 'maximum number of concurrent requests'): Option =>
  new Option('--concurrency <n>', description).argParser(parseNumber).default(defaults.concurrency);
const retriesOption = (): Option =>
  new Option('--retries <n>', 'how often a failed request is retried')
    .argParser(parseNumber)
    .default(defaults.retries);

function addSourceOptions(command: Command): Command {
  command
    .addOption(
      new Option('--source <name>', 'where the data comes from')
        .choices(sourceNames)
        .default(defaults.source),
    )
    .option(
      '--upstream <url|dir>',
      'URL of the source, or a folder for csv and snapshot (default: the live PokeAPI v2)',
    )
    .option('--label <text>', 'name of the upstream in the site, instead of its URL')
    .addOption(concurrencyOption())
    .addOption(retriesOption())
    .option('--cache <dir>', 'folder of the disk cache', defaults.cache)
    .option('--no-cache', 'fetch everything without a cache')
    .addOption(maxShrinkOption())
    .option('--max-age <days>', 'fail if the data was captured longer ago (default: any age)', parseNumber)
    .option('--allow-mixed-editions', "publish a mixture of the upstream's editions if it has nothing else")
    .addOption(allowMissingOption())
    .option('--skip <record...>', 'records to leave out on purpose, as <kind>/<id>')
    .addOption(takeLockOption());
  return addPresentation(command);
}

function addPresentation(command: Command): Command {
  return command
    .option('--json', 'print the report as one JSON object on stdout')
    .option('--quiet', 'print only problems');
}

function parseNumber(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}

function watch(reporter: Reporter): Watchers {
  return {
    onProgress: reporter.progress,
    onFallback(message, cause) {
      reporter.notice(`WARNING: ${message}`);
      if (cause) reporter.notice(`  ${cause.message}`);
    },
  };
}
