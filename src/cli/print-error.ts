import { CommanderError } from 'commander';
import { escapeControls } from '../contract/words.ts';
import { GamedataError } from '../errors.ts';
import { exitCodes } from './command.ts';
import { describeCrash } from './crash.ts';
import { createReporter, printToStdout, type Reporter } from './reporter.ts';

/**
 * Prints an expected error and its hint.
 *
 * @returns the exit code
 */
export function printError(
  { code, message, hint }: GamedataError,
  reporter: Reporter,
): number {
  for (const line of `error: ${message}`.split('\n')) reporter.notice(line);
  if (hint !== undefined) {
    for (const line of `hint: ${hint}`.split('\n')) reporter.notice(line);
  }
  if (code === 'usage') return exitCodes.usage;
  return code === 'guard' ? exitCodes.refused : exitCodes.failed;
}

/** Prints an expected error to stdout as `--json` does, without control characters. */
export function printJsonError({ code, message, hint }: GamedataError): void {
  const hintLines = hint?.split('\n').map(escapeControls);
  const error = {
    code,
    message: escapeControls(message),
    hint: hintLines?.join('\n') ?? null,
  };
  printToStdout([JSON.stringify({ error })]);
}

interface ReportErrorOptions {
  /** The line that explains how to call the command. */
  readonly usage: string;
  /** Whether to print the error also as JSON on stdout. */
  readonly json: boolean;
}

/**
 * Prints an error that no command has printed. A bug is printed with its stack.
 *
 * @returns the exit code
 */
export function reportError(
  thrown: unknown,
  { usage, json }: ReportErrorOptions,
): number {
  const reporter = createReporter(process.stderr, { quiet: false });
  // If a command is required but missing, commander has already printed the help, so
  // we add only the usage line.
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') {
    reporter.notice(usage);
    return exitCodes.usage;
  }
  const error =
    thrown instanceof CommanderError ? convertCommanderError(thrown) : thrown;
  if (error instanceof GamedataError) {
    if (json) printJsonError(error);
    const exitCode = printError(error, reporter);
    reporter.notice(usage);
    return exitCode;
  }
  process.stderr.write(describeCrash(error));
  return exitCodes.failed;
}

/** Converts an error that commander found in the arguments. */
function convertCommanderError({ message }: CommanderError): GamedataError {
  return new GamedataError('usage', message.replace(/^error: /, ''));
}
