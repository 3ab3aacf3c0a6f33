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
  /**
   * Whether SIGINT and SIGTERM end the command immediately, because there is nothing to tidy up.
   */
  readonly exitsOnSignal?: boolean;
  run(context: CommandContext<O>, ...args: string[]): Promise<CommandResult>;
  readonly getOut?: (options: OptionInput<O>, ...args: string[]) => string;
}

export interface CommandResult {
  /** What `--json` prints. */
  readonly output?: object;
  /** Default: 0. */
  readonly exitCode?: number;
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

/** An option of the command line and of the configuration file. */
export interface CliOption extends Option {
  readonly name: string;
  readonly flags: string;
}

/** Lists the options of a command, except those that only the library function accepts. */
export function listCliOptions(command: Command<Options> | undefined): CliOption[] {
  const cliOptions: CliOption[] = [];
  for (const [name, option] of Object.entries(command?.options ?? {})) {
    const { flags } = option;
    if (flags !== undefined) cliOptions.push({ ...option, name, flags });
  }
  return cliOptions;
}

/**
 * Checks the values of options, and applies defaults.
 *
 * @throws UsageError for an invalid value or an unknown option, as in `build({ sorce: 'csv' })`
 */
export function parseOptions<O extends Options>(
  options: O,
  values: OptionInput<O>,
): ParsedOptions<O> {
  if (typeof values !== 'object' || values === null) {
    const got = JSON.stringify(values) ?? 'nothing';
    throw new UsageError(`options: got ${got}, expected an object`);
  }
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(options, name)) continue;
    const expected = Object.keys(options).join(', ');
    throw new UsageError(`got the option ${JSON.stringify(name)}, expected one of ${expected}`);
  }
  const parsed: Record<string, unknown> = {};
  for (const [name, { flags, schema }] of Object.entries(options)) {
    const shownName = flags === undefined ? name : `--${parseFlag(flags)}`;
    parsed[name] = parseValue(schema, values[name], shownName);
  }
  return parsed as ParsedOptions<O>;
}
