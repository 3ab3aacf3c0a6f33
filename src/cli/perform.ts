/** Runs a command: output, signals and the exit code. */

import { explainSystemError, GamedataError } from '../errors.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { explain } from './explain.ts';
import { createReporter, type Reporter } from './reporter.ts';

/** The options of every command about its output. */
export interface Presentation {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export interface PerformOptions {
  /** Lines for after a failure, or after an interruption (undefined): what was kept, and how to go on. */
  readonly kept?: (failure: GamedataError | undefined) => Promise<readonly string[]>;
}

/** What a command returns: its report, and whether it counts as a failure. */
export interface Outcome {
  readonly output: object;
  readonly failed?: boolean;
  readonly exitCode?: number;
}

/** Runs a command's work, which SIGINT and SIGTERM abort, and sets the exit code accordingly. */
export const perform = (
  presentation: Presentation,
  work: (reporter: Reporter, signal: AbortSignal) => Promise<Outcome>,
  options: PerformOptions = {},
): Promise<void> => {
  const interruption = onInterruption();
  return run(presentation, (reporter) => work(reporter, interruption.signal), { ...options, interruption });
};

/** The same for work that has nothing to tidy up: SIGINT and SIGTERM end it at once, whatever it is waiting for. */
export const performReading = (
  presentation: Presentation,
  work: (reporter: Reporter) => Promise<Outcome>,
): Promise<void> => run(presentation, work);

async function run(
  { json = false, quiet = false }: Presentation,
  work: (reporter: Reporter) => Promise<Outcome>,
  { interruption, kept = async () => [] }: PerformOptions & { interruption?: Interruption } = {},
): Promise<void> {
  const reporter = createReporter(process.stderr, { quiet });
  const print = (output: object): void => void (json && process.stdout.write(`${JSON.stringify(output)}\n`));
  try {
    const { output, failed = false, exitCode } = await work(reporter);
    print(output);
    process.exitCode = exitCode ?? (failed ? exitCodes.failed : exitCodes.done);
  } catch (error) {
    reporter.settle();
    const interrupted = interruption?.by();
    if (interrupted) {
      reporter.notice(`stopped by ${interrupted}`);
      for (const line of await kept(undefined)) reporter.notice(line);
      process.exitCode = exitCodes[interrupted];
      return;
    }
    const explained = explainSystemError(error, process.cwd());
    if (!(explained instanceof GamedataError)) throw explained;
    const { code, message, hint = null } = explained;
    print({ error: { code, message, hint } });
    if (code === 'usage') throw explained;
    explain(explained, reporter, await kept(explained));
    process.exitCode = exitCodeOf(explained);
  } finally {
    interruption?.end();
  }
}

/** A signal that the first SIGINT or SIGTERM aborts; a second one ends the process at once. */
interface Interruption {
  readonly signal: AbortSignal;
  by(): 'SIGINT' | 'SIGTERM' | undefined;
  end(): void;
}

function onInterruption(): Interruption {
  const controller = new AbortController();
  let name: 'SIGINT' | 'SIGTERM' | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    end();
    name = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  };
  const end = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return { signal: controller.signal, by: () => name, end };
}
