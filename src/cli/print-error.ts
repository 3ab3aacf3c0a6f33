import { CommanderError } from 'commander';
import { GamedataError } from '../errors.ts';
import { exitCodes } from './command.ts';
import { describeCrash } from './crash.ts';
import { createReporter, type Reporter } from './reporter.ts';

/**
 * Prints an expected error, its hint, and then the additional lines.
 *
 * @returns the exit code
 */
export function printError(
  { code, message, hint }: GamedataError,
  reporter: Reporter,
  more: readonly string[],
): number {
  reporter.notice(`error: ${message}`);
  if (hint !== undefined) {
    for (const line of `hint: ${hint}`.split('\n')) reporter.notice(line);
  }
  for (const line of more) reporter.notice(line);
  if (code === 'usage') return exitCodes.usage;
  return code === 'guard' ? exitCodes.refused : exitCodes.failed;
}

/**
 * Prints an error that no command has printed. A bug is printed with its stack.
 *
 * @returns the exit code
 */
export function reportError(error: unknown, usage: string): number {
  const reporter = createReporter(process.stderr, { quiet: false });
  if (error instanceof CommanderError) {
    // If a command is required but missing, commander has already printed the help,
    // so we add only the usage line.
    const lines = error.code === 'commander.help' ? [] : error.message.split('\n');
    for (const line of [...lines, usage]) reporter.notice(line);
    return exitCodes.usage;
  }
  if (error instanceof GamedataError) return printError(error, reporter, [usage]);
  process.stderr.write(describeCrash(error));
  return exitCodes.failed;
}
