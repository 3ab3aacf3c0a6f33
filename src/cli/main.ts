#!/usr/bin/env node
/** The command line: parses arguments, runs a command, and explains errors. The only file that sets an exit code. */

import module from 'node:module';
import path from 'node:path';
import { CommanderError } from 'commander';
import { GamedataError } from '../errors.ts';
import { PACKAGE_ROOT } from '../version.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { explain } from './explain.ts';
import { createProgram } from './program.ts';
import { createReporter } from './reporter.ts';

// Node 22 and later: beside the code, as whoever may write there may change the code as well. A shared temporary folder is not safe.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(path.join(PACKAGE_ROOT, 'dist', '.cache'));

const program = createProgram();

/** Prints an error; unexpected ones with their stack. Returns the exit code. */
function end(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  const reporter = createReporter(process.stderr, { quiet: false });
  if (error instanceof CommanderError) {
    // A suggestion comes on a line of its own.
    if (error.code !== 'commander.help') error.message.split('\n').forEach(reporter.notice);
    reporter.notice(usageLine());
    return exitCodes.usage;
  }
  if (error instanceof GamedataError) {
    explain(error, reporter, error.code === 'usage' ? [usageLine()] : []);
    return exitCodeOf(error);
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

// A log on a full disk, or a reader that is gone, has no say in what a command does and how it ends.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
// Warnings of Node are for whoever writes programs; the tests see them.
process.removeAllListeners('warning');

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = end(error);
}
