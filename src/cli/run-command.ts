import { GamedataError } from '../errors.ts';
import { toOutputError } from '../files.ts';
import { type Command, exitCodes } from './command.ts';
import type { Options } from './options.ts';
import { printError, printJsonError } from './print-error.ts';
import { createReporter, createWatchers, printToStdout } from './reporter.ts';

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
  const reporter = createReporter(process.stderr, { quiet: isQuiet });
  const watchers = createWatchers(reporter);
  const interruption = listenForSignals();
  try {
    const { signal } = interruption;
    const context = { options, quiet: isQuiet, reporter, watchers, signal };
    const { output, exitCode } = await command.run(context, ...args);
    if (output && json === true) printToStdout([JSON.stringify(output)]);
    process.exitCode = exitCode ?? exitCodes.done;
  } catch (thrown) {
    reporter.settle();
    const stoppedBy = interruption.stoppedBy();
    if (stoppedBy) {
      reporter.notice(`stopped by ${stoppedBy}`);
      process.exitCode = exitCodes[stoppedBy];
      return;
    }
    const error = toOutputError(thrown, 'the working folder');
    const isBug = !(error instanceof GamedataError);
    if (isBug || error.code === 'usage') throw error;
    if (json === true) printJsonError(error);
    process.exitCode = printError(error, reporter);
  } finally {
    interruption.stopListening();
  }
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
