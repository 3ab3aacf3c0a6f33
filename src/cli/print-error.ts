import { CommanderError } from 'commander';
import { escapeControls } from '../contract/words.ts';
import { GamedataError } from '../errors.ts';
import { toOutputError } from '../files.ts';
import { createReporter, printToStdout } from './reporter.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  different: 3,
  refused: 4,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

interface PrintErrorOptions {
  /** The usage line of the command that failed. */
  readonly usage: string;
  /** Whether to also print the error as JSON on stdout. */
  readonly json: boolean;
}

/**
 * Prints the error that ended the program: an expected error with its hint, or a bug
 * with its stack trace.
 *
 * @returns the exit code
 */
export function printError(
  thrown: unknown,
  { usage, json }: PrintErrorOptions,
): number {
  // If the command is missing, commander has already printed the help.
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') {
    return exitCodes.usage;
  }
  const usageError = convertUsageError(thrown);
  // If a system call fails unexpectedly, for example because the working directory has
  // been removed, the cause is the user's machine, not a bug.
  const error = toOutputError(usageError, 'the working directory');
  if (!(error instanceof GamedataError)) {
    process.stderr.write(describeCrash(error));
    return exitCodes.failed;
  }
  const { code, message, hint } = error;
  if (json) printJsonError(error);
  const lines = `error: ${message}`.split('\n');
  if (hint !== undefined) lines.push(...`hint: ${hint}`.split('\n'));
  if (code === 'usage') lines.push(usage);
  const reporter = createReporter(process.stderr);
  for (const line of lines) reporter.notice(line);
  if (code === 'usage') return exitCodes.usage;
  return code === 'guard' ? exitCodes.refused : exitCodes.failed;
}

/** Converts commander's errors about the arguments to our own errors. */
function convertUsageError(thrown: unknown): unknown {
  if (!(thrown instanceof CommanderError)) return thrown;
  return new GamedataError('usage', thrown.message.replace(/^error: /, ''));
}

/** Prints an error as JSON to stdout, with escaped control characters. */
function printJsonError({ code, message, hint }: GamedataError): void {
  const hintLines = hint?.split('\n').map(escapeControls);
  const error = {
    code,
    message: escapeControls(message),
    hint: hintLines?.join('\n') ?? null,
  };
  printToStdout([JSON.stringify({ error })]);
}

/** Describes an unexpected error, and asks the user to report it as a bug. */
export function describeCrash(error: unknown): string {
  const stack = error instanceof Error ? error.stack : String(error);
  return `${stack}\nThis is a bug in gamedata: please report it.\n`;
}
