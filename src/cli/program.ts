/**
 * Each command is loaded only when it is needed, so that `--version` and `--help`
 * are fast.
 */

import { Command as Commander, CommanderError, Help } from 'commander';
import { describeSubject } from '../contract/words.ts';
import { VERSION } from '../package.ts';
import type { Command } from './command.ts';
import type { Options } from './options.ts';
import { printError } from './print-error.ts';

interface Entry {
  readonly summary: string;
  load(): Promise<{ readonly command: Command<Options> }>;
}

const commands: Readonly<Record<string, Entry>> = {
  build: { summary: 'build the site', load: () => import('./commands/build.ts') },
  snapshot: {
    summary: 'refresh a data set',
    load: () => import('./commands/snapshot.ts'),
  },
  verify: {
    summary: 'check a built site or a deployment',
    load: () => import('./commands/verify.ts'),
  },
  mirror: {
    summary: 'copy a site',
    load: () => import('./commands/mirror.ts'),
  },
  diff: {
    summary: 'compare two data sets',
    load: () => import('./commands/diff.ts'),
  },
  serve: {
    summary: 'serve a built site',
    load: () => import('./commands/serve.ts'),
  },
};

export async function loadCommands(): Promise<
  Readonly<Record<string, Command<Options>>>
> {
  const loaded: Record<string, Command<Options>> = {};
  for (const [name, { load }] of Object.entries(commands)) {
    loaded[name] = (await load()).command;
  }
  return loaded;
}

/**
 * Creates a commander program that lists all commands.
 *
 * @param isWanted returns whether to load a command's options as well, which takes
 * time. By default, the options of all commands are loaded.
 */
export async function createProgram(
  isWanted = (_name: string): boolean => true,
): Promise<Commander> {
  const program = new Commander('gamedata')
    .description(
      `Builds a read-only JSON API of ${describeSubject()} as static files for a CDN.`,
    )
    .version(VERSION)
    // This makes commander throw its errors instead of printing them and exiting.
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program.command(name).summary(summary);
    if (!isWanted(name)) continue;
    const { addCommand } = await import('./run-command.ts');
    const { command: definition } = await load();
    addCommand(command, definition, loadCommands);
  }
  return program;
}

/**
 * Runs the command named in the arguments, prints any error, and sets the exit code.
 */
export async function run(args: readonly string[]): Promise<void> {
  // We load only the options of the command that the user named. The name is the second
  // argument in `gamedata help build`.
  const isNamed = (name: string): boolean => args.slice(0, 2).includes(name);
  const program = await createProgram(isNamed);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander also throws after printing the help or the version.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const namedCommand = program.commands.find(
      (candidate) => candidate.name() === args[0],
    );
    const command = namedCommand ?? program;
    process.exitCode = printError(error, {
      usage: describeUsage(command),
      // If an argument is invalid, commander may not have read `--json`.
      json: args.includes('--json') || command.getOptionValue('json') === true,
    });
  }
}

function describeUsage(command: Commander): string {
  const usage = new Help().commandUsage(command);
  return `usage: ${usage} (--help explains the options)`;
}
