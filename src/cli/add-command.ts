import { existsSync } from 'node:fs';
import { type Command as Commander, Option as CommanderOption } from 'commander';
import * as z from 'zod';
import { type CliOption, type Command, listCliOptions } from './command.ts';
import type { CommandConfig } from './config.ts';
import { type Options, parseFlag } from './options.ts';
import { runCommand } from './run-command.ts';

const DEFAULT_CONFIG = 'gamedata.config.json';

type LoadCommands = () => Promise<Readonly<Record<string, Command<Options>>>>;

/** An option, together with the form of it that commander parses. */
interface ParsedOption {
  readonly option: CliOption;
  readonly parsed: CommanderOption;
  readonly defaultValue: unknown;
}

/**
 * Registers a command with commander, which parses the arguments and prints the
 * help.
 *
 * When the command runs, options from the command line take precedence over the
 * configuration file, and both take precedence over the defaults in the schemas.
 *
 * @param loadAll loads every command, because the configuration file has a section
 * for each one
 */
export function addCommand(
  target: Commander,
  command: Command<Options>,
  loadAll: LoadCommands,
): void {
  target.description(command.description);
  for (const [name, [about, value]] of Object.entries(command.arguments ?? {})) {
    target.argument(name, about, value);
  }
  target
    .optionsGroup('Common:')
    .option('--config <file>', `configuration [${DEFAULT_CONFIG} if it exists]`)
    .helpOption('-h, --help', 'show this help');
  const options = listCliOptions(command).map(createOption);
  for (const { option, parsed } of options) addOption(target, option, parsed);
  target.action(() => callCommand(target, command, options, loadAll));
}

/**
 * Adds an option. If the option also accepts `false`, adds its negated form, such as
 * `--no-cache`.
 */
function addOption(
  target: Commander,
  option: CliOption,
  parsed: CommanderOption,
): void {
  target.addOption(parsed);
  const acceptsFalse = parsed.required && option.schema.safeParse(false).success;
  if (!acceptsFalse) return;
  const opposite = new CommanderOption(`--no-${parseFlag(option.flags)}`);
  target.addOption(opposite.hideHelp());
}

/**
 * Runs a command with the options and arguments that the user gave. First, collects
 * the options from the command line, so that they can override the configuration
 * file, which is read next. If the command fails because of an option from that
 * file, the error names the file.
 */
async function callCommand(
  target: Commander,
  command: Command<Options>,
  options: readonly ParsedOption[],
  loadAll: LoadCommands,
): Promise<void> {
  const defaults: Record<string, unknown> = {};
  const typed: Record<string, unknown> = {};
  for (const { option, parsed, defaultValue } of options) {
    defaults[option.name] = defaultValue;
    const attribute = parsed.attributeName();
    const isTyped = target.getOptionValueSource(attribute) === 'cli';
    if (isTyped) typed[option.name] = target.getOptionValue(attribute);
  }

  const config = await findConfig(target, loadAll);
  // If the command then fails, `run` looks for this option.
  if (config?.options.json === true) {
    target.setOptionValueWithSource('json', true, 'config');
  }
  // `args` contains only the arguments that the user typed. `processedArgs` also
  // contains defaults.
  const args: string[] = [...target.processedArgs];
  const usesDefault = target.args.length === 0 && args[0] !== undefined;
  // If the configuration file sets the output folder of `build`, that folder is the
  // default argument of `serve` and other commands.
  if (usesDefault && config?.buildFolder !== undefined) {
    args[0] = config.buildFolder;
  }
  try {
    await runCommand(command, { ...defaults, ...config?.options, ...typed }, args);
  } catch (error) {
    throw config ? config.nameFileInError(error, typed) : error;
  }
}

/**
 * Reads the configuration file that the user named, or the default one if it exists.
 */
async function findConfig(
  target: Commander,
  loadAll: LoadCommands,
): Promise<CommandConfig | undefined> {
  const named: string | undefined = target.opts().config;
  if (named === undefined && !existsSync(DEFAULT_CONFIG)) return undefined;
  // This module is imported only if there is a configuration file, because it needs
  // every command.
  const { readConfig } = await import('./config.ts');
  return readConfig(
    await loadAll(),
    target.name(),
    named ?? DEFAULT_CONFIG,
    process.env,
  );
}

/** Creates an option for commander from the option's schema. */
function createOption(option: CliOption): ParsedOption {
  const { flags, schema, group = '' } = option;
  const valueSchema = unwrap(schema);
  const defaultValue = schema.safeParse(undefined).data;
  let about = schema.description ?? '';
  const choices = findChoices(valueSchema);
  if (choices) about += `: ${choices.join(', ')}`;
  const takesValue = flags.includes('<');
  if (takesValue && defaultValue !== undefined) about += ` [${defaultValue}]`;
  const parsed = new CommanderOption(flags, about).helpGroup(group);
  if (valueSchema instanceof z.ZodNumber) parsed.argParser(readNumber);
  return { option, parsed, defaultValue };
}

/**
 * Returns the schema inside `.optional()`, `.default(…)`, `.readonly()` and
 * `.transform(…)`.
 *
 * We could generate a JSON Schema for each option instead, but generating 30 of them
 * takes longer than parsing the arguments.
 */
function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly;
  if (isWrapper) return unwrap(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return unwrap(schema.in as z.ZodType);
  return schema;
}

/**
 * Returns the allowed values of an option. For a list, returns the allowed values of
 * its elements.
 */
function findChoices(schema: z.ZodType): readonly unknown[] | undefined {
  if (schema instanceof z.ZodArray) {
    return findChoices(unwrap(schema.element as z.ZodType));
  }
  return schema instanceof z.ZodEnum ? schema.options : undefined;
}

/**
 * Converts decimal text to a number. Other text is returned unchanged, because the
 * schema reports it together with the expected number.
 */
function readNumber(text: string): unknown {
  const isDecimal = /^-?\d+(?:\.\d+)?$/.test(text);
  return isDecimal ? Number(text) : text;
}
