/** Runs a command: its output, signals and exit code. */

import { explainSystemError, GamedataError } from '../errors.ts';
import { createReporter, type Reporter } from './reporter.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  different: 3,
  /** A guard refused the data. */
  refused: 4,
  /** The site is published, and what was to follow failed: a check, an archive or a command. */
  unfinished: 5,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/** The options of every command about its output. */
export interface Presentation {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** What a command's work comes to: its report for `--json`, and the exit code if that is another than 0. */
export interface Outcome {
  readonly output?: object;
  readonly exitCode?: number;
}

export interface PerformOptions {
  /** Lines for after a failure, or after an interruption (undefined): what was kept, and how to go on. */
  readonly kept?: (failure: GamedataError | undefined) => readonly string[];
  /** True for work that has nothing to tidy up: SIGINT and SIGTERM end it at once, whatever it is waiting for. */
  readonly endsAtOnce?: boolean;
}

/** Runs a command's work, which the first SIGINT or SIGTERM aborts; a second one ends the process at once. */
export async function perform(
  { json = false, quiet = false }: Presentation,
  work: (reporter: Reporter, signal: AbortSignal) => Promise<Outcome>,
  { kept = () => [], endsAtOnce = false }: PerformOptions = {},
): Promise<void> {
  const reporter = createReporter(process.stderr, { quiet });
  const printJson = (output: object): void => {
    if (json) print([JSON.stringify(output)]);
  };
  const controller = new AbortController();
  let stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
  const letSignalsEnd = (): void => void process.off('SIGINT', stop).off('SIGTERM', stop);
  function stop(signal: NodeJS.Signals): void {
    letSignalsEnd();
    stoppedBy = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  }
  if (!endsAtOnce) process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    const { output, exitCode = exitCodes.done } = await work(reporter, controller.signal);
    if (output) printJson(output);
    process.exitCode = exitCode;
  } catch (error) {
    reporter.settle();
    if (stoppedBy) {
      for (const line of [`stopped by ${stoppedBy}`, ...kept(undefined)]) reporter.notice(line);
      process.exitCode = exitCodes[stoppedBy];
      return;
    }
    const explained = explainSystemError(error, '.');
    if (!(explained instanceof GamedataError)) throw explained;
    const { code, message, hint = null } = explained;
    printJson({ error: { code, message, hint } });
    // The usage line belongs to it.
    if (code === 'usage') throw explained;
    process.exitCode = explain(explained, reporter, kept(explained));
  } finally {
    letSignalsEnd();
  }
}

/**
 * Tells an expected failure.
 *
 * @param after what else users should know, such as what was kept
 * @returns its exit code
 */
export function explain(
  { code, message, hint }: GamedataError,
  { notice }: Reporter,
  after: readonly string[],
): number {
  const lines = [`error: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`]), ...after];
  lines.forEach(notice);
  if (code === 'usage') return exitCodes.usage;
  return code === 'guard' ? exitCodes.refused : exitCodes.failed;
}

/** Prints a command's result on stdout. */
export const print = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);
