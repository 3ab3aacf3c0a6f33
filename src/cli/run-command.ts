import { GamedataError } from '../errors.ts';
import { toOutputError } from '../files.ts';
import { type Command, exitCodes } from './command.ts';
import type { Options } from './options.ts';
import { printError, printJsonError } from './print-error.ts';
import {
  createReporter,
  createWatchers,
  printToStdout,
  type Reporter,
} from './reporter.ts';

type OptionValues = Readonly<Record<string, unknown>>;

/**
 * Runs a command, prints its report, and sets the exit code.
 *
 * The first SIGINT or SIGTERM aborts the command, so that it can clean up. The
 * second signal ends the process.
 *
 * @throws any error that is not a GamedataError, because it is a bug, and usage
 * errors, because the caller knows the usage
 */
export async function runCommand(
  command: Command<Options>,
  { json, quiet, ...options }: OptionValues,
  args: readonly string[],
): Promise<void> {
  const isQuiet = quiet === true;
  const isJson = json === true;
  const reporter = createReporter(process.stderr, { quiet: isQuiet });
  const watchers = createWatchers(reporter);
  const interruption = listenForSignals();
  try {
    const { signal } = interruption;
    const context = { options, quiet: isQuiet, reporter, watchers, signal };
    const { output, exitCode } = await command.run(context, ...args);
    if (output && isJson) printToStdout([JSON.stringify(output)]);
    process.exitCode = exitCode ?? exitCodes.done;
  } catch (error) {
    reporter.settle();
    const stoppedBy = interruption.stoppedBy();
    process.exitCode = stoppedBy
      ? printStopped(stoppedBy, reporter)
      : printOrRethrow(error, isJson, reporter);
  } finally {
    interruption.stopListening();
  }
}

/**
 * Prints that a signal has stopped the command. The error of the command is not printed,
 * because it is only the consequence.
 *
 * @returns the exit code
 */
function printStopped(stoppedBy: StopSignal, reporter: Reporter): number {
  reporter.notice(`stopped by ${stoppedBy}`);
  return exitCodes[stoppedBy];
}

/**
 * Prints the expected error of a command.
 *
 * @returns the exit code
 * @throws bugs and usage errors, which the caller of the command prints
 */
function printOrRethrow(
  thrown: unknown,
  isJson: boolean,
  reporter: Reporter,
): number {
  const error = toOutputError(thrown, 'the working folder');
  const isBug = !(error instanceof GamedataError);
  if (isBug || error.code === 'usage') throw error;
  if (isJson) printJsonError(error);
  return printError(error, reporter);
}

type StopSignal = 'SIGINT' | 'SIGTERM';

interface Interruption {
  readonly signal: AbortSignal;
  /**
   * Returns the signal that stopped the command. Undefined if no signal has arrived.
   */
  stoppedBy(): StopSignal | undefined;
  stopListening(): void;
}

/**
 * Aborts a command at the first signal. We then stop listening, so that Node ends
 * the process at the second signal.
 */
function listenForSignals(): Interruption {
  const controller = new AbortController();
  let stoppedBy: StopSignal | undefined;
  const stopListening = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  function stop(signal: NodeJS.Signals): void {
    stopListening();
    stoppedBy = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  }
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: controller.signal, stoppedBy: () => stoppedBy, stopListening };
}
