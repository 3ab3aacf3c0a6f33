/** `gamedata.config.json`: for each command the options that it has on the command line, under the same names. */

import path from 'node:path';
import type { Command as CommanderCommand } from 'commander';
import { closest } from 'fastest-levenshtein';
import * as z from 'zod';
import { show, valueAt } from '../contract/parse.ts';
import { errorCode, UsageError } from '../errors.ts';
import { readNamedFile } from '../files.ts';
import { isAddress } from '../sources/source.ts';
import { type Command, type TypedOption, typedOptions } from './command.ts';
import { baseUrlVariable } from './commands/build.ts';
import { attributeOf, flagOf, type Options } from './options.ts';
import type { Environment } from './shared-options.ts';

type Commands = Readonly<Record<string, Command<Options>>>;
/** Every option of every command, a hundred times. */
const MAX_BYTES = 64 * 1024;

type Config = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * Sets what neither a command's flags nor the environment say.
 *
 * @param file the configuration, as the user named it
 * @throws UsageError if the file cannot be read, or has what no command knows
 */
export function configure(
  commands: Commands,
  typed: CommanderCommand,
  file: string,
  environment: Environment,
): void {
  const config = readConfig(file, commands);
  const name = typed.name();
  const command = commands[name];
  const relative = (folder: string) =>
    path.isAbsolute(folder) ? folder : path.join(path.dirname(file), folder);
  for (const option of command ? typedOptions(command) : []) {
    const attribute = attributeOf(option);
    const value = config[name]?.[flagOf(option)];
    if (value === undefined || typed.getOptionValueSource(attribute) === 'cli') continue;
    if (name === 'build' && attribute === 'baseUrl' && baseUrlVariable(environment)) continue;
    // `--out <dir>`, `--upstream <url|dir>`
    const isFolder = /<(?:url\|)?dir>/.test(option.flags) && typeof value === 'string' && !isAddress(value);
    typed.setOptionValueWithSource(attribute, isFolder ? relative(value) : value, 'config');
  }
  // What is built is what is served and packed.
  const built = config.build?.out;
  const [first] = typed.registeredArguments;
  const isOptionalFolder = first?.name() === 'dir' && first.defaultValue !== undefined;
  if (typeof built === 'string' && isOptionalFolder && typed.args.length === 0)
    typed.processedArgs[0] = relative(built);
}

function readConfig(file: string, commands: Commands): Config {
  let text: string;
  try {
    text = readNamedFile(file, MAX_BYTES);
  } catch (cause) {
    throw new UsageError(`${file}: cannot be read (${errorCode(cause)}), expected a configuration`, {
      cause,
    });
  }
  const json = parseConfig(text, file);
  const result = configSchema(commands).safeParse(json);
  // Former choices are left to the command, which tells what replaces them.
  if (result.success) return json as Config;
  const [issue] = result.error.issues;
  throw new UsageError(`${[file, ...(issue?.path ?? [])].join(' › ')}: ${problemOf(issue, json, commands)}`);
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

function problemOf(issue: z.core.$ZodIssue | undefined, json: unknown, commands: Commands): string {
  if (issue?.code !== 'unrecognized_keys')
    return `got ${show(valueAt(json, issue?.path ?? []))}: ${issue?.message.replace(/^Invalid \w+: /, '') ?? 'expected a configuration'}`;
  const [wrong = ''] = issue.keys;
  const keys = Object.entries(commands).map(([name, command]) => ({
    name,
    known: typedOptions(command).map(flagOf),
  }));
  const section = keys.find(({ name }) => name === issue.path[0]);
  if (section)
    return `got ${show(wrong)}: expected an option of gamedata ${section.name}; did you mean ${show(closest(wrong, section.known))}?`;
  // An option beside the commands belongs into one of them.
  const owner = keys.find(({ known }) => known.includes(wrong));
  const meant = owner ? `${show(wrong)} in ${show(owner.name)}` : show(closest(wrong, Object.keys(commands)));
  return `got ${show(wrong)}: expected an option of a command; did you mean ${meant}?`;
}

/** The schema of the file: the rows of the options. */
export function configSchema(commands: Commands) {
  const sections = Object.entries(commands).map(([name, command]) => [
    name,
    sectionSchema(command).optional(),
  ]);
  return z
    .strictObject({
      $schema: z.string().optional().describe('The schema of this file, for editors.'),
      ...Object.fromEntries(sections),
    })
    .meta({ title: 'gamedata.config.json', description: 'The options of each command of gamedata.' });
}

function sectionSchema(command: Command<Options>) {
  const shape = typedOptions(command).map((option) => [
    flagOf(option),
    valueSchema(option)
      .describe(option.about ?? '')
      .optional(),
  ]);
  return z.strictObject(Object.fromEntries(shape)).describe(command.summary);
}

function valueSchema({ flags, about = '', choices, replaced, isNumber, canBeOff }: TypedOption): z.ZodType {
  if (!flags.includes('<')) return z.boolean();
  if (isNumber) return z.number();
  const known = choices ? z.enum(choices) : z.string();
  const one = replaced ? z.preprocess((value) => replaced.get(String(value)) ?? value, known) : known;
  const value = (flags.includes('...') ? z.array(one) : one).describe(about);
  return canBeOff ? z.union([value, z.literal(false)]) : value;
}

/** The same for editors, as JSON Schema. */
export const configJsonSchema = (commands: Commands): object =>
  z.toJSONSchema(configSchema(commands), { target: 'draft-2020-12' });
