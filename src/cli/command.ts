import * as z from 'zod';
import { describeIssue } from '../contract/parse.ts';
import { GamedataError } from '../errors.ts';
import type { Watchers } from '../upstream/source.ts';
import { flag, inGroup, type Option, type Options, parseFlag } from './options.ts';
import type { Reporter } from './reporter.ts';

export type OptionInput<O extends Options> = {
  readonly [Name in keyof O]?: z.input<O[Name]['schema']> | undefined;
};

export type ParsedOptions<O extends Options> = {
  readonly [Name in keyof O]: z.output<O[Name]['schema']>;
};

export interface Command<O extends Options> {
  /** The first sentence of the help. */
  readonly description: string;
  /** Two example command lines, printed at the end of the help. */
  readonly examples: readonly string[];
  /** Maps each argument, such as `[dir]`, to its description. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options: O;
  /**
   * The command whose section of the configuration file also applies to this command,
   * except for options that this command's own section sets.
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

/** A command-line option. */
export interface CliOption extends Option {
  /** The option's name in the library function, such as `baseUrl`. */
  readonly name: string;
  readonly flags: string;
  /** The name in the configuration file, such as `base-url` for `--base-url <url>`. */
  readonly flag: string;
}

/** Lists the options that a command accepts on the command line. */
export function listCliOptions({ options }: Command<Options>): CliOption[] {
  const cliOptions: CliOption[] = [];
  for (const [name, option] of Object.entries(options)) {
    const { flags } = option;
    if (flags === undefined) continue;
    cliOptions.push({ ...option, name, flags, flag: parseFlag(flags) });
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
  const schemas: Record<string, z.ZodType> = {};
  for (const [name, { schema }] of Object.entries(options)) schemas[name] = schema;
  const { data, error } = z.strictObject(schemas).safeParse(values);
  const issue = error?.issues[0];
  if (!issue) return data as ParsedOptions<O>;
  // The issue's path starts with the option's name. If the option is unknown, the path
  // is empty, and the issue's description contains the name.
  const [name = 'options'] = issue.path.map(String);
  const place = formatOptionName(name, options[name]);
  throw new GamedataError('usage', `${place}: ${describeIssue(issue, values)}`);
}

/**
 * Returns an option's flag, such as `--base-url` for `baseUrl`, or its name if it has
 * no flag.
 */
function formatOptionName(name: string, option: Option | undefined): string {
  const flags = option?.flags;
  return flags === undefined ? name : `--${parseFlag(flags)}`;
}
