/** Configuration: options that the command line does not set, from the environment or from `gamedata.config.json`. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command, Option } from 'commander';
import { closest } from 'fastest-levenshtein';
import type * as z from 'zod';
import { parseJson, show, valueAt } from '../contract/parse.ts';
import { errorCode, UsageError } from '../errors.ts';
import { isAddress } from '../sources/source.ts';
import { baseUrlOf } from './commands/build.ts';
import type { Environment } from './commands/source-options.ts';
import { configSchema, isConfigurable, keyOf } from './config-schema.ts';

/** An option, its value, and where that comes from. */
export interface Setting {
  readonly name: string;
  readonly value: unknown;
  readonly origin: string;
}

type Config = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** Options that name a file or folder: relative ones count from the configuration's folder. */
const PATHS = new Set(['out', 'cache', 'data', 'root', 'like', 'upstream']);

/**
 * Sets what a command's flags leave open: the environment counts first, then the file.
 *
 * @param file the configuration, as the user named it; undefined if there is none
 * @returns every option of the command
 * @throws UsageError if the file cannot be read, or has what no command knows
 */
export function configure(
  program: Command,
  command: Command,
  { file, environment }: { file: string | undefined; environment: Environment },
): Setting[] {
  const config = file === undefined ? {} : readConfig(file, program);
  const section = config[command.name()] ?? {};
  const variable = command.name() === 'build' ? baseUrlOf(environment) : undefined;
  const options = command.options.filter((option) => isConfigurable(option) && !option.hidden);
  const settings = options.map((option): Setting => {
    const [name, key] = [option.attributeName(), keyOf(option)];
    const typed = command.getOptionValueSource(name);
    const present = { name: key, value: command.getOptionValue(name) };
    if (typed === 'cli') return { ...present, origin: 'command line' };
    if (name === 'baseUrl' && variable) return { ...present, value: variable.value, origin: variable.name };
    const value = file === undefined ? undefined : fromFile(option, section[key], path.dirname(file));
    if (value === undefined)
      return { ...present, origin: present.value === undefined ? 'not set' : 'default' };
    command.setOptionValueWithSource(name, value, 'config');
    return { name: key, value, origin: file ?? '' };
  });
  // What is built is what is served and packed.
  const built = config.build?.out;
  if (file !== undefined && typeof built === 'string' && isOptionalFolder(command))
    command.processedArgs[0] = relativeTo(path.dirname(file), built);
  return settings;
}

const isOptionalFolder = ({ args, registeredArguments: [first] }: Command): boolean =>
  args.length === 0 && first?.name() === 'dir' && first.defaultValue !== undefined;

function fromFile(option: Option, value: unknown, folder: string): unknown {
  const name = option.attributeName();
  return PATHS.has(name) && typeof value === 'string' && !isAddress(value)
    ? relativeTo(folder, value)
    : value;
}

const relativeTo = (folder: string, name: string): string =>
  path.isAbsolute(name) ? name : path.join(folder, name);

function readConfig(file: string, program: Command): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file}: cannot be read (${errorCode(cause)}), expected a configuration`, {
      cause,
    });
  }
  const json = parseJson(text);
  if (json === undefined) throw new UsageError(`${file}: got text that is not JSON`);
  const result = configSchema(program).safeParse(json);
  if (result.success) return result.data as Config;
  const [issue] = result.error.issues;
  throw new UsageError(`${[file, ...(issue?.path ?? [])].join(' › ')}: ${problemOf(issue, json, program)}`);
}

function problemOf(issue: z.core.$ZodIssue | undefined, json: unknown, program: Command): string {
  if (issue?.code !== 'unrecognized_keys')
    return `got ${show(valueAt(json, issue?.path ?? []))}: ${issue?.message.replace(/^Invalid \w+: /, '') ?? 'expected a configuration'}`;
  const [section] = issue.path;
  const command = program.commands.find((candidate) => candidate.name() === section);
  const known = command
    ? command.options.filter(isConfigurable).map(keyOf)
    : program.commands.map((candidate) => candidate.name());
  const [wrong = ''] = issue.keys;
  const owner = command ? '' : ownerOf(wrong, program);
  return `got ${show(wrong)}: expected an option of ${command ? `gamedata ${command.name()}` : 'a command'}; did you mean ${owner || show(closest(wrong, known))}?`;
}

/** An option beside the commands: it belongs into one of them. */
function ownerOf(key: string, program: Command): string {
  const owner = program.commands.find((command) => command.options.some((option) => keyOf(option) === key));
  return owner ? `${show(key)} in ${show(owner.name())}` : '';
}

/** A table of all settings, or one JSON object. */
export function settingsLines(settings: readonly Setting[], { json = false }: { json?: boolean }): string[] {
  if (json) return [JSON.stringify(Object.fromEntries(settings.map(({ name, ...rest }) => [name, rest])))];
  const rows = settings.map(({ name, value, origin }) => [
    name,
    value === undefined ? '-' : plain(value),
    origin,
  ]);
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map(([name = '', value = '', origin = '']) =>
    `${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${origin}`.trimEnd(),
  );
}

const plain = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : String(value));
