import path from 'node:path';
import * as z from 'zod';
import { describeIssue, formatValue, parseJsonOrThrow } from '../contract/parse.ts';
import { isUrl } from '../contract/paths.ts';
import { describeReadFailure, UsageError } from '../errors.ts';
import { readRegular } from '../files.ts';
import { type CliOption, type Command, listCliOptions } from './command.ts';
import { type Options, parseFlag } from './options.ts';
import { type Environment, findBaseUrlVariable } from './site-options.ts';

type Commands = Readonly<Record<string, Command<Options>>>;

/**
 * The configuration file: each command has a section, which maps flags to values.
 */
type Config = Readonly<
  Record<string, Readonly<Record<string, unknown>> | undefined>
>;

const MAX_BYTES = 64 * 1024;

/** An option of a command that the configuration file sets. */
interface ConfiguredOption {
  readonly name: string;
  readonly flag: string;
  /**
   * The section that sets the option: the section of the command, or of the command
   * it inherits from.
   */
  readonly section: string;
  readonly value: unknown;
}

export interface CommandConfig {
  /** The configured values by option name. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The output folder of `build`, if the file sets one. */
  readonly buildFolder: string | undefined;
  /**
   * Adds the file's name to an error about an option that the file sets. Returns any
   * other error unchanged.
   *
   * @param typed the options from the command line, which take precedence over the
   * file
   */
  nameFileInError(error: unknown, typed: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Reads the options of a command from `gamedata.config.json`.
 *
 * Folders in the file are relative to the file. A base URL from the environment
 * takes precedence over the base URL in the file.
 *
 * @throws UsageError
 */
export function readConfig(
  commands: Commands,
  name: string,
  file: string,
  environment: Environment,
): CommandConfig {
  if (file === '') {
    throw new UsageError('got "", expected a file', { option: '--config' });
  }
  const config = parseConfig(file, commands);
  const folder = path.dirname(file);
  const configured = listConfigured(commands[name], name, config, folder);
  const hasBaseUrlVariable = findBaseUrlVariable(environment) !== undefined;
  const applied = configured.filter(
    ({ flag }) => flag !== 'base-url' || !hasBaseUrlVariable,
  );
  const out = config.build?.out;
  const hasBuildFolder = typeof out === 'string';
  return {
    options: Object.fromEntries(applied.map(({ name, value }) => [name, value])),
    buildFolder: hasBuildFolder ? path.resolve(folder, out) : undefined,
    nameFileInError(error, typed) {
      if (!(error instanceof UsageError)) return error;
      const option = applied.find(({ flag }) => error.option === `--${flag}`);
      const isFromFile = option && !Object.hasOwn(typed, option.name);
      if (!isFromFile) return error;
      const place = [file, option.section, option.flag].join(' › ');
      return new UsageError(`${place}: ${error.problem}`, {
        cause: error,
        hint: error.hint,
      });
    },
  };
}

function listConfigured(
  command: Command<Options> | undefined,
  name: string,
  config: Config,
  folder: string,
): ConfiguredOption[] {
  const sections =
    command?.inherits === undefined ? [name] : [name, command.inherits];
  const configured: ConfiguredOption[] = [];
  for (const option of listCliOptions(command)) {
    const flag = parseFlag(option.flags);
    const section = sections.find(
      (candidate) => config[candidate]?.[flag] !== undefined,
    );
    if (section === undefined) continue;
    const value = resolveFolder(option, config[section]?.[flag], folder);
    configured.push({ name: option.name, flag, section, value });
  }
  return configured;
}

/**
 * Resolves the value of an option such as `--out <dir>` or `--upstream <url|dir>` if
 * it is a relative path.
 */
function resolveFolder(
  { flags }: CliOption,
  value: unknown,
  folder: string,
): unknown {
  const acceptsFolder = /<(?:url\|)?dir>/.test(flags);
  if (!acceptsFolder || typeof value !== 'string' || isUrl(value)) return value;
  return path.isAbsolute(value) ? value : path.join(folder, value);
}

function parseConfig(file: string, commands: Commands): Config {
  const json = readJson(file);
  const [issue] = createConfigSchema(commands).safeParse(json).error?.issues ?? [];
  if (!issue) return json as Config;
  const place = [file, ...issue.path].join(' › ');
  if (issue.code !== 'unrecognized_keys') {
    throw new UsageError(`${place}: ${describeIssue(issue, json)}`);
  }
  const [key = ''] = issue.keys;
  const [section] = issue.path.map(String);
  const expected =
    section === undefined ? 'a command' : `an option of gamedata ${section}`;
  throw new UsageError(`${place}: got ${formatValue(key)}, expected ${expected}`, {
    hint: hintAtKeys(key, section, commands),
  });
}

function readJson(file: string): unknown {
  try {
    return parseJsonOrThrow(readRegular(file, MAX_BYTES));
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      throw new UsageError(`${file}: ${cause.message}`, { cause });
    }
    const failure = describeReadFailure(cause);
    throw new UsageError(`${file}: ${failure}, expected a configuration`, { cause });
  }
}

/**
 * Returns a hint that names the command to which a misplaced key belongs, or else
 * lists the valid keys.
 */
function hintAtKeys(
  key: string,
  section: string | undefined,
  commands: Commands,
): string {
  if (section !== undefined) {
    return `The options of ${section} are ${listFlags(section, commands).join(', ')}.`;
  }
  const names = Object.keys(commands);
  const owners = names.filter((name) => listFlags(name, commands).includes(key));
  const [owner] = owners;
  if (owner !== undefined) {
    return `Move ${formatValue(key)} into the section ${formatValue(owner)}.`;
  }
  return `The commands are ${names.join(', ')}.`;
}

const listFlags = (name: string, commands: Commands): string[] =>
  listCliOptions(commands[name]).map(({ flags }) => parseFlag(flags));

/**
 * Creates the schema of the configuration file, which has a section for each
 * command. The keys of a section are the flags of its command.
 */
export function createConfigSchema(commands: Commands) {
  const sections: Record<string, z.ZodType> = {};
  for (const [name, command] of Object.entries(commands)) {
    const options: Record<string, z.ZodType> = {};
    for (const { flags, schema } of listCliOptions(command)) {
      options[parseFlag(flags)] = schema.optional();
    }
    sections[name] = z
      .strictObject(options)
      .describe(command.description)
      .optional();
  }
  return z
    .strictObject({
      $schema: z
        .string()
        .optional()
        .describe('The schema of this file, for editors.'),
      ...sections,
    })
    .meta({
      title: 'gamedata.config.json',
      description: 'The options of each command of gamedata.',
    });
}

export const createConfigJsonSchema = (commands: Commands): object =>
  z.toJSONSchema(createConfigSchema(commands), { io: 'input' });
