import path from 'node:path';
import { closest } from 'fastest-levenshtein';
import * as z from 'zod';
import { describeIssue, formatValue, parseJsonOrThrow } from '../contract/parse.ts';
import { isUrl } from '../contract/paths.ts';
import { errorCode, UsageError } from '../errors.ts';
import { readRegular } from '../files.ts';
import { type Command, listCliOptions } from './command.ts';
import { type Options, parseFlag } from './options.ts';
import { type Environment, findBaseUrlVariable } from './site-options.ts';

type Commands = Readonly<Record<string, Command<Options>>>;
type Config = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

const MAX_BYTES = 64 * 1024;

/** Reads the options of a command from `gamedata.config.json`. @throws UsageError */
export function readConfig(
  commands: Commands,
  name: string,
  file: string,
  environment: Environment,
) {
  const config = parseConfig(file, commands);
  const command = commands[name];
  const resolve = (folder: string): string =>
    path.isAbsolute(folder) ? folder : path.join(path.dirname(file), folder);
  const sections = [name, command?.inherits].filter((section) => section !== undefined);
  const found = listCliOptions(command).flatMap((option) => {
    const flag = parseFlag(option.flags);
    const section = sections.find((one) => config[one]?.[flag] !== undefined);
    if (section === undefined || (flag === 'base-url' && findBaseUrlVariable(environment)))
      return [];
    const value = config[section]?.[flag];
    const isFolder =
      /<(?:url\|)?dir>/.test(option.flags) && typeof value === 'string' && !isUrl(value);
    return [{ name: option.name, flag, section, value: isFolder ? resolve(value) : value }];
  });
  const { out } = config.build ?? {};
  return {
    options: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    built: typeof out === 'string' ? resolve(out) : undefined,
    /** Names the file in an error about an option, unless the option was given on the command line. */
    blame(error: unknown, typed: Readonly<Record<string, unknown>>): unknown {
      if (!(error instanceof UsageError)) return error;
      const [, flag = '', problem = ''] = /^--([a-z-]+)(: .*)/s.exec(error.message) ?? [];
      const option = found.find((one) => one.flag === flag);
      if (!option || Object.hasOwn(typed, option.name)) return error;
      const message = [file, option.section, flag].join(' › ') + problem;
      return new UsageError(message, { cause: error, hint: error.hint });
    },
  };
}

function parseConfig(file: string, commands: Commands): Config {
  let json: unknown;
  try {
    json = parseJsonOrThrow(readRegular(file, MAX_BYTES));
  } catch (cause) {
    const problem = `cannot be read (${errorCode(cause)}), expected a configuration`;
    throw new UsageError(`${file}: ${cause instanceof SyntaxError ? cause.message : problem}`, {
      cause,
    });
  }
  const [issue] = createConfigSchema(commands).safeParse(json).error?.issues ?? [];
  if (!issue) return json as Config;
  const where = [file, ...issue.path];
  if (issue.code !== 'unrecognized_keys')
    throw new UsageError(`${where.join(' › ')}: ${describeIssue(issue, json)}`);
  const [key = ''] = issue.keys;
  const [section] = issue.path.map(String);
  const expected = section === undefined ? 'a command' : `an option of gamedata ${section}`;
  throw new UsageError(`${where.join(' › ')}: got ${formatValue(key)}, expected ${expected}`, {
    hint: `Did you mean ${suggest(key, section, commands)}?`,
  });
}

function suggest(key: string, section: string | undefined, commands: Commands): string {
  const names = Object.keys(commands);
  const listFlags = (name: string) =>
    listCliOptions(commands[name]).map(({ flags }) => parseFlag(flags));
  if (section !== undefined) return formatValue(closest(key, listFlags(section)));
  const owner = names.find((name) => listFlags(name).includes(key));
  return owner ? `${formatValue(key)} in ${formatValue(owner)}` : formatValue(closest(key, names));
}

export function createConfigSchema(commands: Commands) {
  const sections = Object.entries(commands).map(([name, command]) => {
    const options = listCliOptions(command).map(({ flags, schema }) => [
      parseFlag(flags),
      schema.optional(),
    ]);
    return [
      name,
      z.strictObject(Object.fromEntries(options)).describe(command.description).optional(),
    ];
  });
  return z
    .strictObject({
      $schema: z.string().optional().describe('The schema of this file, for editors.'),
      ...Object.fromEntries(sections),
    })
    .meta({
      title: 'gamedata.config.json',
      description: 'The options of each command of gamedata.',
    });
}

export const createConfigJsonSchema = (commands: Commands): object =>
  z.toJSONSchema(createConfigSchema(commands), { io: 'input' });
