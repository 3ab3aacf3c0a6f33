/** `gamedata.config.json`: for each command the options that it has on the command line, under the same names. */

import path from 'node:path';
import { closest } from 'fastest-levenshtein';
import * as z from 'zod';
import { formatValue } from '../contract/parse.ts';
import { errorCode, UsageError } from '../errors.ts';
import { readRegular } from '../files.ts';
import { isUrl } from '../sources/source.ts';
import { describeIssue } from './checks.ts';
import { type Command, listTyped } from './command.ts';
import { type Options, parseFlag, removedOptions } from './options.ts';
import { baseUrlVariable, type Environment } from './shared-options.ts';

type Commands = Readonly<Record<string, Command<Options>>>;
/** Every option of every command, a hundred times. */
const MAX_BYTES = 64 * 1024;

type Config = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * Reads the options of a command, which those of the command line override.
 *
 * @param file the configuration, as the user named it
 * @throws UsageError if the file cannot be read, or has what no command knows
 */
export function readConfig(commands: Commands, name: string, file: string, environment: Environment) {
  const config = parseConfig(file, commands);
  const command = commands[name];
  const resolve = (folder: string): string =>
    path.isAbsolute(folder) ? folder : path.join(path.dirname(file), folder);
  const sections = [name, command?.inherits].filter((section) => section !== undefined);
  const found = (command ? listTyped(command) : []).flatMap((option) => {
    const flag = parseFlag(option.flags);
    const section = sections.find((one) => config[one]?.[flag] !== undefined);
    if (section === undefined || (flag === 'base-url' && baseUrlVariable(environment))) return [];
    const value = config[section]?.[flag];
    // `--out <dir>`, `--upstream <url|dir>`
    const isFolder = /<(?:url\|)?dir>/.test(option.flags) && typeof value === 'string' && !isUrl(value);
    return [{ name: option.name, flag, section, value: isFolder ? resolve(value) : value }];
  });
  const { out } = config.build ?? {};
  return {
    options: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    /** The folder that `build` writes. */
    built: typeof out === 'string' ? resolve(out) : undefined,
    /** Makes an error about an option name the file, unless the option was typed. */
    blame(error: unknown, typed: Readonly<Record<string, unknown>>): unknown {
      if (!(error instanceof UsageError)) return error;
      const [, wrong = '', problem = ''] = /^--([a-z-]+)(: .*)/s.exec(error.message) ?? [];
      const option = found.find(({ flag }) => flag === wrong);
      if (!option || Object.hasOwn(typed, option.name)) return error;
      const message = [file, option.section, wrong].join(' › ') + problem;
      return new UsageError(message, { cause: error, hint: error.hint });
    },
  };
}

function parseConfig(file: string, commands: Commands): Config {
  let text: string;
  try {
    text = readRegular(file, MAX_BYTES).toString();
  } catch (cause) {
    const problem = `cannot be read (${errorCode(cause)}), expected a configuration`;
    throw new UsageError(`${file}: ${problem}`, { cause });
  }
  const json = parseText(text, file);
  const [issue] = configSchema(commands).safeParse(json).error?.issues ?? [];
  if (!issue) return json as Config;
  const where = [file, ...issue.path];
  if (issue.code !== 'unrecognized_keys')
    throw new UsageError(`${where.join(' › ')}: ${describeIssue(issue, json)}`);
  const [key = ''] = issue.keys;
  const hint = removedOptions.get(key);
  if (hint !== undefined)
    throw new UsageError(`${[...where, key].join(' › ')}: got a removed option, expected none`, { hint });
  const { expected, meant } = suggest(key, issue.path[0], commands);
  throw new UsageError(`${where.join(' › ')}: got ${formatValue(key)}, expected ${expected}`, {
    hint: `Did you mean ${meant}?`,
  });
}

function parseText(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as SyntaxError;
    const problem = message.replace(/ in JSON at position .*|, (?:\.{3})?".* is not valid JSON$/s, '');
    throw new UsageError(`${file}: line ${findLine(message, text)}: invalid JSON: ${problem}`, { cause });
  }
}

/** Node 20 does not say where an unexpected token is: it is in the first line with which there is one. */
function findLine(message: string, text: string): number {
  const [, position] = / in JSON at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return text.slice(0, Number(position)).split('\n').length;
  const lines = text.split('\n');
  const at = lines.findIndex((_, last) => hasUnexpectedToken(lines.slice(0, last + 1).join('\n')));
  return at < 0 ? lines.length : at + 1;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as SyntaxError).message.startsWith('Unexpected token');
  }
}

function suggest(key: string, section: PropertyKey | undefined, commands: Commands) {
  const flags = new Map(Object.entries(commands).map(([name, command]) => [name, listFlags(command)]));
  const known = flags.get(String(section));
  if (known)
    return { expected: `an option of gamedata ${String(section)}`, meant: formatValue(closest(key, known)) };
  // An option next to the commands belongs to one of them.
  const owner = [...flags].find(([, own]) => own.includes(key))?.[0];
  const meant = owner
    ? `${formatValue(key)} in ${formatValue(owner)}`
    : formatValue(closest(key, [...flags.keys()]));
  return { expected: 'a command', meant };
}

const listFlags = (command: Command<Options>): string[] =>
  listTyped(command).map(({ flags }) => parseFlag(flags));

/** The schema of the file: the schemas of the options. */
export function configSchema(commands: Commands) {
  const sections = Object.entries(commands).map(([name, command]) => {
    const options = listTyped(command).map(({ flags, schema }) => [parseFlag(flags), schema.optional()]);
    return [name, z.strictObject(Object.fromEntries(options)).describe(command.description).optional()];
  });
  return z
    .strictObject({
      $schema: z.string().optional().describe('The schema of this file, for editors.'),
      ...Object.fromEntries(sections),
    })
    .meta({ title: 'gamedata.config.json', description: 'The options of each command of gamedata.' });
}

/** The same for editors, as JSON Schema. */
export const configJsonSchema = (commands: Commands): object =>
  z.toJSONSchema(configSchema(commands), { target: 'draft-2020-12', io: 'input' });
