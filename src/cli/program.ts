/** Commands are loaded only when needed, so that `--version` and `--help` are fast. */

import { Command as Commander, CommanderError, Help } from 'commander';
import { listKinds } from '../contract/words.ts';
import { VERSION } from '../package.ts';
import type { Command } from './command.ts';
import type { Options } from './options.ts';

type Entry = { summary: string; alias?: string; load(): Promise<{ command: Command<Options> }> };

const commands: Readonly<Record<string, Entry>> = {
  build: { summary: 'build the site', load: () => import('./commands/build.ts') },
  snapshot: { summary: 'refresh a data set', load: () => import('./commands/snapshot.ts') },
  verify: {
    summary: 'check a built site or a deployment',
    load: () => import('./commands/verify.ts'),
  },
  mirror: {
    summary: 'copy a site, or restore an archive',
    alias: 'restore',
    load: () => import('./commands/mirror.ts'),
  },
  diff: { summary: 'compare two data sets', load: () => import('./commands/diff.ts') },
  serve: { summary: 'serve a built site', load: () => import('./commands/serve.ts') },
};

export async function loadCommands(): Promise<Readonly<Record<string, Command<Options>>>> {
  const load = async ([name, { load }]: [string, Entry]) => [name, (await load()).command];
  return Object.fromEntries(await Promise.all(Object.entries(commands).map(load)));
}

export async function createProgram(
  isWanted = (..._: string[]): boolean => true,
): Promise<Commander> {
  const program = new Commander('gamedata')
    .description(`Builds a read-only JSON API of game ${listKinds()} as static files for a CDN.`)
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({
      // No blank lines between options, so that the help of a command fits on a screen.
      formatHelp: (command, help) => `${Help.prototype.formatHelp.call(help, command, help)}\n`,
      formatItemList: (heading, items) => (items.length === 0 ? [] : [heading, ...items]),
    });
  for (const [name, { summary, alias = '', load }] of Object.entries(commands)) {
    const command = program.command(name).summary(summary);
    if (alias) command.alias(alias);
    if (!isWanted(name, alias)) continue;
    const { addCommand } = await import('./command-line.ts');
    addCommand(command, (await load()).command, loadCommands);
  }
  return program;
}

export async function run(args: readonly string[]): Promise<void> {
  const isNamed = (...names: string[]): boolean =>
    args.slice(0, 2).some((arg) => names.includes(arg));
  const program = await createProgram(isNamed);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const { reportError } = await import('./command-line.ts');
    const command = program.commands.find((one) =>
      [one.name(), one.alias()].includes(args[0] ?? ''),
    );
    const called = command ? `gamedata ${command.name()}` : 'gamedata';
    const usage = `usage: ${called} ${(command ?? program).usage()} (see ${called} --help)`;
    process.exitCode = reportError(error, usage);
  }
}
