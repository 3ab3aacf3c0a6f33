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
  /** The line that explains how to call the command. */
  readonly usage: string;
  /** Whether to print the error also as JSON on stdout. */
  readonly json: boolean;
}

/**
 * Prints an error that ended the program. An expected error is printed with its hint, and
 * a bug with its stack.
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
  // A system call that no command expects to fail, such as finding the working folder
  // after it was removed, is an error of the user's machine, not a bug.
  const error = toOutputError(usageError, 'the working folder');
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

/** Converts an error that commander found in the arguments. */
function convertUsageError(thrown: unknown): unknown {
  if (!(thrown instanceof CommanderError)) return thrown;
  return new GamedataError('usage', thrown.message.replace(/^error: /, ''));
}

/** Prints an error to stdout as `--json` does, without control characters. */
function printJsonError({ code, message, hint }: GamedataError): void {
  const hintLines = hint?.split('\n').map(escapeControls);
  const error = {
    code,
    message: escapeControls(message),
    hint: hintLines?.join('\n') ?? null,
  };
  printToStdout([JSON.stringify({ error })]);
}

/**
 * Describes an error that no command expects, and asks the user to report it as a
 * bug.
 */
export function describeCrash(error: unknown): string {
  const stack = error instanceof Error ? error.stack : String(error);
  return `${stack}\nThis is a bug in gamedata: please report it.\n`;
}
