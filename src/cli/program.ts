/** The command line: its commands, each of which is declared in a file of its own and loads its code only when it runs. */

import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { GamedataError, UsageError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { addArchive } from './archive-command.ts';
import { addBuild } from './build-command.ts';
import { addDiff } from './diff-command.ts';
import { addMirror } from './mirror-command.ts';
import { compactHelp } from './options.ts';
import { exitCodes, explain } from './perform.ts';
import { addRebase } from './rebase-command.ts';
import { createReporter } from './reporter.ts';
import { addServe } from './serve-command.ts';
import { addSnapshot } from './snapshot-command.ts';
import { addVerify } from './verify-command.ts';

/** The configuration of the working folder, if there is one. */
const DEFAULT_CONFIG = 'gamedata.config.json';

export function createProgram(): Command {
  const program = new Command('gamedata')
    .description('Builds a read-only JSON API of game moves and items as static files for a CDN.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp(compactHelp)
    .hook('preAction', async (_, command) => {
      const { config = existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined } = command.opts();
      if (config === undefined) return;
      const { configure } = await import('./config.ts');
      configure(program, command, config, process.env);
    });
  addBuild(program.command('build'));
  addSnapshot(program.command('snapshot'));
  addVerify(program.command('verify'));
  addMirror(program.command('mirror'));
  addRebase(program.command('rebase'));
  addArchive(program.command('archive'));
  addDiff(program.command('diff'));
  addServe(program.command('serve'));
  return program;
}

/** Runs a command, explains what stops it, and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  const program = createProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const command = program.commands.find((candidate) => candidate.name() === args[0]);
    process.exitCode = end(blameConfig(error, command), usageOf(program, command));
  }
}

/** A value that is wrong in the configuration was not typed: `gamedata.config.json › build › keep: got -1, expected …`. */
function blameConfig(error: unknown, command: Command | undefined): unknown {
  const [, name = '', problem = ''] =
    error instanceof UsageError ? (/^--([a-z-]+)(: .*)/s.exec(error.message) ?? []) : [];
  const option = command?.options.find(({ long }) => long === `--${name}`);
  if (!command || !option || command.getOptionValueSource(option.attributeName()) !== 'config') return error;
  const { config = DEFAULT_CONFIG } = command.opts();
  return new UsageError(`${config} › ${command.name()} › ${name}${problem}`, { cause: error });
}

function usageOf(program: Command, command: Command | undefined): string {
  const usage = command ? `gamedata ${command.name()} ${command.usage()}` : `gamedata ${program.usage()}`;
  return `usage: ${usage} (see gamedata ${command ? `${command.name()} ` : ''}--help)`;
}

/** Prints an error that no command has explained; unexpected ones with their stack. Returns the exit code. */
function end(error: unknown, usage: string): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  const reporter = createReporter(process.stderr, { quiet: false });
  if (error instanceof CommanderError) {
    // A suggestion comes on a line of its own.
    if (error.code !== 'commander.help') error.message.split('\n').forEach(reporter.notice);
    reporter.notice(usage);
    return exitCodes.usage;
  }
  if (error instanceof GamedataError) return explain(error, reporter, [usage]);
  process.stderr.write(
    `${error instanceof Error ? error.stack : String(error)}\nThis is a bug in gamedata: please report it.\n`,
  );
  return exitCodes.failed;
}
