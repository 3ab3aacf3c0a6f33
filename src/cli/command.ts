import type * as z from 'zod';
import { GamedataError } from '../errors.ts';
import type { Watchers } from '../upstream/source.ts';
import {
  type CliForm,
  flag,
  inGroup,
  type Option,
  type Options,
  parseFlag,
  parseValue,
} from './options.ts';
import type { Reporter } from './reporter.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  different: 3,
  refused: 4,
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
  /** The first sentence of the help. */
  readonly description: string;
  /** Two command lines with a comment each, which end the help. */
  readonly examples: readonly string[];
  /**
   * The arguments: each key, such as `[dir]`, maps to a description and a default
   * value.
   */
  readonly arguments?: Readonly<
    Record<string, readonly [about: string, value?: string]>
  >;
  readonly options: O;
  /**
   * The command whose section of the configuration file provides the options that
   * this command's own section does not set.
   */
  readonly inherits?: string;
  run(context: CommandContext<O>, ...args: string[]): Promise<CommandResult>;
}

export interface CommandResult {
  /** The object that `--json` prints. */
  readonly output?: object;
  /** The exit code of the process. The default is 0. */
  readonly exitCode?: number;
}

export interface CommandContext<O extends Options> {
  readonly options: OptionInput<O>;
  readonly quiet: boolean;
  readonly reporter: Reporter;
  readonly watchers: Watchers;
  readonly signal: AbortSignal;
}

export const defineCommand = <O extends Options>(command: Command<O>): Command<O> =>
  command;

export const quietOption = inGroup('Common:', {
  quiet: flag('--quiet', 'print only problems'),
});
export const reportOptions = inGroup('Common:', {
  json: flag('--json', 'print the report as JSON on stdout'),
  ...quietOption,
});

/** An option of the command line, with its name in the library function. */
export interface CliOption extends CliForm {
  readonly name: string;
  readonly schema: Option['schema'];
}

/** Lists the options that a command accepts on the command line. */
export function listCliOptions(command: Command<Options> | undefined): CliOption[] {
  const cliOptions: CliOption[] = [];
  for (const [name, { schema, cli }] of Object.entries(command?.options ?? {})) {
    if (cli) cliOptions.push({ ...cli, name, schema });
  }
  return cliOptions;
}

/**
 * Validates option values and fills in the defaults.
 *
 * @throws GamedataError for an invalid value or an unknown option, as in `build({
 * sorce: 'csv' })`
 */
export function parseOptions<O extends Options>(
  options: O,
  values: OptionInput<O>,
): ParsedOptions<O> {
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(options, name)) continue;
    const expected = Object.keys(options).join(', ');
    throw new GamedataError(
      'usage',
      `got the option ${JSON.stringify(name)}, expected one of ${expected}`,
    );
  }
  const parsed: Record<string, unknown> = {};
  for (const [name, { schema, cli }] of Object.entries(options)) {
    const shownName = cli ? `--${parseFlag(cli.flags)}` : name;
    parsed[name] = parseValue(schema, values[name], shownName);
  }
  return parsed as ParsedOptions<O>;
}
