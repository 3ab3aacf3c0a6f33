/** Commands as data: the command line and its help follow from their declarations. */

import type { GamedataError } from '../errors.ts';
import type { Watchers } from '../sources/source.ts';
import { flag, type Given, inGroup, type Option, type Options } from './options.ts';
import type { Reporter } from './reporter.ts';

/** A command; each is a file in `commands/`. */
export interface Command<O extends Options> {
  readonly description: string;
  /** `[dir]` → its description and, if it has one, its default. */
  readonly arguments?: Readonly<Record<string, readonly [about: string, value?: string]>>;
  /** Options about output, which the function below does not take. Default: those of a command that has a report. */
  readonly presentation?: Options;
  readonly options: O;
  /** The command whose section of the configuration applies after its own. */
  readonly inherits?: string;
  /** True for work that has nothing to tidy up: SIGINT and SIGTERM end it immediately. */
  readonly endsAtOnce?: boolean;
  /** Does the work. The first SIGINT or SIGTERM aborts the signal. */
  run(context: Context<O>, ...args: string[]): Promise<Outcome>;
  /** Lines for after a failure, or after an interruption (undefined): what was kept, and how to go on. */
  kept?(options: Given<O>, failure: GamedataError | undefined, ...args: string[]): readonly string[];
}

export interface Context<O extends Options> {
  readonly options: Given<O>;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly reporter: Reporter;
  /** The reporter's view of a build or a snapshot while it reads. */
  readonly watchers: Watchers;
  readonly signal: AbortSignal;
}

/** A command's result for people and for `--json`, and its exit code unless that is 0. */
export interface Outcome {
  readonly lines?: readonly string[];
  readonly output?: object;
  readonly exitCode?: number;
}

/** Lets the compiler infer the type of the options. */
export const declare = <O extends Options>(declaration: Command<O>): Command<O> => declaration;

export const quietOption = inGroup('Common:', { quiet: flag('--quiet', 'print only problems') });

/** For a command that has a report. */
export const reportOptions = {
  ...inGroup('Common:', { json: flag('--json', 'print the report as JSON on stdout') }),
  ...quietOption,
};

export interface TypedOption extends Option {
  readonly name: string;
  readonly flags: string;
}

/** Lists the options that have flags. */
export const listTyped = ({ presentation = reportOptions, options }: Command<Options>): TypedOption[] =>
  Object.entries({ ...presentation, ...options }).flatMap(([name, { flags, ...option }]) =>
    flags === undefined ? [] : [{ ...option, name, flags }],
  );
