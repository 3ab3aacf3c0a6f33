/** `gamedata.config.json`: for each command the options that it has on the command line, under the same names. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command, Option } from 'commander';
import { closest } from 'fastest-levenshtein';
import * as z from 'zod';
import { show, valueAt } from '../contract/parse.ts';
import { errorCode, UsageError } from '../errors.ts';
import { isAddress } from '../sources/source.ts';
import { baseUrlOf } from './commands/build.ts';
import type { Environment } from './shared-options.ts';

type Config = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** `--out <dir>`, `--upstream <url|dir>`: relative folders count from the configuration's. */
const isFolder = ({ flags }: Option): boolean => /<(?:url\|)?dir>/.test(flags);

/** `--config` only makes sense where it is typed. */
const optionsOf = (command: Command): Option[] => command.options.filter(({ long }) => long !== '--config');

/** `--base-url` → `base-url`; `--no-downloads` → `downloads`. */
const keyOf = (option: Option): string => option.name().replace(/^no-/, '');

/**
 * Sets what neither a command's flags nor the environment say.
 *
 * @param file the configuration, as the user named it
 * @throws UsageError if the file cannot be read, or has what no command knows
 */
export function configure(program: Command, command: Command, file: string, environment: Environment): void {
  const config = readConfig(file, program);
  const section = config[command.name()] ?? {};
  const folder = path.dirname(file);
  for (const option of optionsOf(command)) {
    const name = option.attributeName();
    const value = section[keyOf(option)];
    if (value === undefined || command.getOptionValueSource(name) === 'cli') continue;
    if (command.name() === 'build' && name === 'baseUrl' && baseUrlOf(environment)) continue;
    const isRelative = isFolder(option) && typeof value === 'string' && !isAddress(value);
    command.setOptionValueWithSource(name, isRelative ? relativeTo(folder, value) : value, 'config');
  }
  // What is built is what is served and packed.
  const built = config.build?.out;
  if (typeof built === 'string' && isOptionalFolder(command))
    command.processedArgs[0] = relativeTo(folder, built);
}

const isOptionalFolder = ({ args, registeredArguments: [first] }: Command): boolean =>
  args.length === 0 && first?.name() === 'dir' && first.defaultValue !== undefined;

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
  const json = parseConfig(text, file);
  const result = configSchema(program).safeParse(json);
  if (result.success) return result.data as Config;
  const [issue] = result.error.issues;
  throw new UsageError(`${[file, ...(issue?.path ?? [])].join(' › ')}: ${problemOf(issue, json, program)}`);
}

function parseConfig(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as SyntaxError;
    const problem = message.replace(/ in JSON at position .*|, (?:\.{3})?".* is not valid JSON$/s, '');
    throw new UsageError(`${file}: line ${lineOf(message, text)}: invalid JSON: ${problem}`, { cause });
  }
}

/** Node does not say where an unexpected token is: it is in the first line with which there is one. */
function lineOf(message: string, text: string): number {
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

function problemOf(issue: z.core.$ZodIssue | undefined, json: unknown, program: Command): string {
  if (issue?.code !== 'unrecognized_keys')
    return `got ${show(valueAt(json, issue?.path ?? []))}: ${issue?.message.replace(/^Invalid \w+: /, '') ?? 'expected a configuration'}`;
  const [wrong = ''] = issue.keys;
  const command = program.commands.find((candidate) => candidate.name() === issue.path[0]);
  if (command)
    return `got ${show(wrong)}: expected an option of gamedata ${command.name()}; did you mean ${show(closest(wrong, optionsOf(command).map(keyOf)))}?`;
  // An option beside the commands belongs into one of them.
  const owner = program.commands.find(({ options }) => options.some((option) => keyOf(option) === wrong));
  const names = program.commands.map((candidate) => candidate.name());
  const meant = owner ? `${show(wrong)} in ${show(owner.name())}` : show(closest(wrong, names));
  return `got ${show(wrong)}: expected an option of a command; did you mean ${meant}?`;
}

/** The schema of the file: what commander knows of the options. */
export function configSchema(program: Command) {
  const sections = program.commands.map((command) => [command.name(), sectionSchema(command).optional()]);
  return z
    .strictObject({
      $schema: z.string().optional().describe('The schema of this file, for editors.'),
      ...(Object.fromEntries(sections) as Record<string, ReturnType<typeof sectionSchema>>),
    })
    .meta({ title: 'gamedata.config.json', description: 'The options of each command of gamedata.' });
}

function sectionSchema(command: Command) {
  const keys = new Map<string, z.ZodType>();
  for (const option of optionsOf(command)) {
    const before = keys.get(keyOf(option));
    // `--cache <dir>` and `--no-cache` are one key.
    const schema = before ? z.union([before, z.literal(false)]) : valueSchema(option);
    keys.set(keyOf(option), schema.describe(before?.description ?? option.description));
  }
  const shape = Object.fromEntries([...keys].map(([key, schema]) => [key, schema.optional()]));
  return z.strictObject(shape).describe(command.summary());
}

function valueSchema(option: Option): z.ZodType {
  if (option.isBoolean() || option.negate) return z.boolean();
  // Choices and numbers are all that is parsed.
  if (option.parseArg && !option.argChoices) return z.number();
  const one = option.argChoices ? z.enum(option.argChoices) : z.string();
  return option.variadic ? z.array(one) : one;
}

/** The same for editors, as JSON Schema. */
export const configJsonSchema = (program: Command): object =>
  z.toJSONSchema(configSchema(program), { target: 'draft-2020-12' });
