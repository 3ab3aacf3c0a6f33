/** A command as data: `program.ts` makes the command line and the configuration's schema of it. */

import type { GamedataError } from '../errors.ts';
import { flag, type Given, inGroup, type Options } from './options.ts';
import type { Reporter } from './reporter.ts';

export interface Command<O extends Options> {
  readonly summary: string;
  readonly description: string;
  /** `[dir]` → what it is and, if it has one, its default. */
  readonly arguments?: Readonly<Record<string, readonly [about: string, value?: string]>>;
  /** Those of the command line alone about output, which the function below does not take. */
  readonly presentation: Options;
  readonly options: O;
  /** True for work that has nothing to tidy up: SIGINT and SIGTERM end it at once, whatever it is waiting for. */
  readonly endsAtOnce?: boolean;
  /** Does the work, and prints what it came to. The first SIGINT or SIGTERM aborts the signal. */
  run(context: Context<O>, ...args: string[]): Promise<Outcome>;
  /** Lines for after a failure, or after an interruption (undefined): what was kept, and how to go on. */
  kept?(options: Given<O>, failure: GamedataError | undefined, ...args: string[]): readonly string[];
}

export interface Context<O extends Options> {
  readonly options: Given<O>;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

/** A command's report for `--json`, and its exit code if that is another than 0. */
export interface Outcome {
  readonly output?: object;
  readonly exitCode?: number;
}

/** Lets the compiler infer what the options are. */
export const declare = <O extends Options>(declaration: Command<O>): Command<O> => declaration;

export const quietOption = inGroup('Common:', { quiet: flag('--quiet', 'print only problems') });

/** For a command that has a report. */
export const reportOptions = {
  ...inGroup('Common:', { json: flag('--json', 'print the report as JSON on stdout') }),
  ...quietOption,
};
