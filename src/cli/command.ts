import type * as z from 'zod';
import { UsageError } from '../errors.ts';
import type { Watchers } from '../sources/source.ts';
import { flag, inGroup, type Option, type Options, parseFlag, parseValue } from './options.ts';
import type { Reporter } from './reporter.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  different: 3,
  refused: 4,
  /** The site is published, but `--verify` or `--keep` failed. */
  unfinished: 5,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export type OptionInput<O extends Options> = {
  readonly [Name in keyof O]?: z.input<O[Name]['schema']> | undefined;
};

export type ParsedOptions<O extends Options> = {
  readonly [Name in keyof O]: z.output<O[Name]['schema']>;
};

export interface Command<O extends Options> {
  readonly description: string;
  /** `[dir]` → its description and default. */
  readonly arguments?: Readonly<Record<string, readonly [about: string, value?: string]>>;
  readonly options: O;
  /** The command whose section of the configuration file applies after the command's own. */
  readonly inherits?: string;
  /** Whether SIGINT and SIGTERM end the command immediately, because there is nothing to tidy up. */
  readonly exitsOnSignal?: boolean;
  run(
    context: CommandContext<O>,
    ...args: string[]
  ): Promise<{ readonly output?: object; readonly exitCode?: number }>;
  readonly getOut?: (options: OptionInput<O>, ...args: string[]) => string;
}

export interface CommandContext<O extends Options> {
  readonly options: OptionInput<O>;
  readonly quiet: boolean;
  readonly reporter: Reporter;
  readonly watchers: Watchers;
  readonly signal: AbortSignal;
}

export const defineCommand = <O extends Options>(command: Command<O>): Command<O> => command;

export const quietOption = inGroup('Common:', { quiet: flag('--quiet', 'print only problems') });
export const reportOptions = inGroup('Common:', {
  json: flag('--json', 'print the report as JSON on stdout'),
  ...quietOption,
});

export type CliOption = Option & { readonly name: string; readonly flags: string };

export const listCliOptions = (command: Command<Options> | undefined): CliOption[] =>
  Object.entries(command?.options ?? {}).flatMap(([name, { flags, ...option }]) =>
    flags === undefined ? [] : [{ ...option, name, flags }],
  );

/** Checks options and applies defaults. @throws UsageError, also for an unknown option, as in `build({ sorce: 'csv' })` */
export function parseOptions<O extends Options>(
  options: O,
  given: OptionInput<O>,
): ParsedOptions<O> {
  if (typeof given !== 'object' || given === null)
    throw new UsageError(`options: got ${JSON.stringify(given) ?? 'nothing'}, expected an object`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(options, name));
  if (unknown !== undefined) {
    const known = Object.keys(options).join(', ');
    throw new UsageError(`got the option ${JSON.stringify(unknown)}, expected one of ${known}`);
  }
  const parsed = Object.entries(options).map(([name, { flags, schema }]) => [
    name,
    parseValue(schema, given[name], flags === undefined ? name : `--${parseFlag(flags)}`),
  ]);
  return Object.fromEntries(parsed) as ParsedOptions<O>;
}
