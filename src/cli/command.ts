import * as z from 'zod';
import { type GamedataError, UsageError } from '../errors.ts';
import type { Watchers } from '../sources/source.ts';
import { parseValue } from './option-values.ts';
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

/** An option of a library function and, if it has flags, of the command line and the configuration file. */
export interface Option<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly flags?: string;
  readonly group?: string;
}

export type Options = Readonly<Record<string, Option>>;

export type OptionInput<O extends Options> = {
  readonly [Name in keyof O]?: z.input<O[Name]['schema']> | undefined;
};

export type ParsedOptions<O extends Options> = { readonly [Name in keyof O]: z.output<O[Name]['schema']> };

export interface Command<O extends Options> {
  readonly description: string;
  /** `[dir]` → its description and default. */
  readonly arguments?: Readonly<Record<string, readonly [about: string, value?: string]>>;
  readonly options: O;
  /** The command whose section of the configuration file applies after the command's own. */
  readonly inherits?: string;
  /** Whether SIGINT and SIGTERM end the command immediately, because there is nothing to tidy up. */
  readonly exitsOnSignal?: boolean;
  run(context: CommandContext<O>, ...args: string[]): Promise<CommandResult>;
  /** Describes the state after a failure, or after an interruption if there is no failure. */
  describePreserved?(
    options: OptionInput<O>,
    failure: GamedataError | undefined,
    ...args: string[]
  ): readonly string[];
}

export interface CommandContext<O extends Options> {
  readonly options: OptionInput<O>;
  readonly quiet: boolean;
  readonly reporter: Reporter;
  readonly watchers: Watchers;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  readonly lines?: readonly string[];
  readonly output?: object;
  readonly exitCode?: number;
}

export const defineCommand = <O extends Options>(command: Command<O>): Command<O> => command;

/** `option('--port <n>', 'port to listen on', integer(0, 65_535).default(3000))` */
export const option = <S extends z.ZodType>(flags: string, about: string, schema: S): Option<S> => ({
  flags,
  schema: schema.describe(about),
});

/** An option without a value: false by default, or true for `--no-…`. */
export const flag = (flags: string, about: string) =>
  option(flags, about, z.boolean().default(flags.startsWith('--no-')));

export const codeOnly = <T>() => ({ schema: z.custom<T>().optional() });

export const inGroup = <O extends Options>(group: string, options: O): O =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { ...option, group }])) as O;

export const quietOption = inGroup('Common:', { quiet: flag('--quiet', 'print only problems') });
export const reportOptions = inGroup('Common:', {
  json: flag('--json', 'print the report as JSON on stdout'),
  ...quietOption,
});

/** `--base-url <url>` → `base-url`; `--no-downloads` → `downloads`. */
export const parseFlag = (flags: string): string => /^--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '';

export interface CliOption extends Option {
  readonly name: string;
  readonly flags: string;
}

export const listCliOptions = ({ options }: Command<Options>): CliOption[] =>
  Object.entries(options).flatMap(([name, { flags, ...option }]) =>
    flags === undefined ? [] : [{ ...option, name, flags }],
  );

/** @throws UsageError if an option is unknown, as in `build({ sorce: 'csv' })` */
export function rejectUnknownOptions<O extends Options>(options: O, given: OptionInput<O>): void {
  if (typeof given !== 'object' || given === null)
    throw new UsageError(`options: got ${JSON.stringify(given) ?? 'nothing'}, expected an object`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(options, name));
  if (unknown === undefined) return;
  const known = Object.keys(options).join(', ');
  throw new UsageError(`got the option ${JSON.stringify(unknown)}, expected one of ${known}`);
}

/** Checks options and applies defaults. @throws UsageError */
export function parseOptions<O extends Options>(options: O, given: OptionInput<O>): ParsedOptions<O> {
  rejectUnknownOptions(options, given);
  const parsed = Object.entries(options).map(([name, { flags, schema }]) => [
    name,
    parseValue(schema, given[name], flags === undefined ? name : `--${parseFlag(flags)}`),
  ]);
  return Object.fromEntries(parsed) as ParsedOptions<O>;
}

/** Removed option → its replacement. */
export const removedOptions: ReadonlyMap<string, string> = new Map([
  [
    'on-change',
    `Run the command from the shell:
  gamedata build --json > report.json
  grep -q '"changed":true' report.json && <command>`,
  ],
]);
