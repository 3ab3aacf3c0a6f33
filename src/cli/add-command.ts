import { existsSync } from 'node:fs';
import { type Command as Commander, Option as CommanderOption } from 'commander';
import * as z from 'zod';
import { type CliOption, type Command, listCliOptions } from './command.ts';
import type { CommandConfig } from './config.ts';
import { type Options, parseFlag } from './options.ts';
import { runCommand } from './run-command.ts';

const DEFAULT_CONFIG = 'gamedata.config.json';

type LoadCommands = () => Promise<Readonly<Record<string, Command<Options>>>>;

/** An option, and the form of it that commander parses. */
interface ParsedOption {
  readonly option: CliOption;
  readonly parsed: CommanderOption;
  readonly defaultValue: unknown;
}

/**
 * Describes a command to commander, which parses the arguments and prints the help.
 *
 * When the command is called, its options come from the command line, then from the configuration
 * file, then from the defaults of their schemas.
 *
 * @param loadAll loads the commands for the configuration file, which has a section for each
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

/** Adds an option, and its opposite if it accepts `false`, as in `--no-cache`. */
function addOption(target: Commander, option: CliOption, parsed: CommanderOption): void {
  target.addOption(parsed);
  const acceptsFalse = parsed.required && option.schema.safeParse(false).success;
  if (!acceptsFalse) return;
  const opposite = new CommanderOption(`--no-${parseFlag(option.flags)}`);
  target.addOption(opposite.hideHelp());
}

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
  const args: string[] = [...target.processedArgs];
  // By default, `serve` and other commands use the folder of the configured `build`.
  const hasDefaultArgument = target.args.length === 0 && args[0] !== undefined;
  if (hasDefaultArgument && config?.built !== undefined) args[0] = config.built;
  try {
    await runCommand(command, { ...defaults, ...config?.options, ...typed }, args);
  } catch (error) {
    throw config ? config.blame(error, typed) : error;
  }
}

/** Reads the configuration file that the user named, or the default one if it exists. */
async function findConfig(
  target: Commander,
  loadAll: LoadCommands,
): Promise<CommandConfig | undefined> {
  const named: string | undefined = target.opts().config;
  if (named === undefined && !existsSync(DEFAULT_CONFIG)) return undefined;
  // Loaded only here, because it needs every command.
  const { readConfig } = await import('./config.ts');
  return readConfig(await loadAll(), target.name(), named ?? DEFAULT_CONFIG, process.env);
}

/** Creates an option for commander from the option's schema. */
function createOption(option: CliOption): ParsedOption {
  const { flags, schema, group = '' } = option;
  const json = z.toJSONSchema(schema, { io: 'input' });
  const choices = findChoices(json);
  let about = json.description ?? '';
  if (choices) about += `: ${choices.join(', ')}`;
  const takesValue = flags.includes('<');
  if (takesValue && json.default !== undefined) about += ` [${json.default}]`;
  const parsed = new CommanderOption(flags, about).helpGroup(group);
  const isNumber = json.type === 'integer' || json.type === 'number';
  if (isNumber) parsed.argParser(readNumber);
  return { option, parsed, defaultValue: json.default };
}

/** Returns the values of an option, or of the elements of an option that is a list. */
function findChoices(json: z.core.JSONSchema.BaseSchema): readonly unknown[] | undefined {
  if (json.enum) return json.enum;
  const { items } = json;
  if (typeof items !== 'object' || !('enum' in items)) return undefined;
  return items.enum;
}

/** Leaves other text to the schema, which describes the expected number. */
function readNumber(text: string): unknown {
  const isDecimal = /^-?\d+(?:\.\d+)?$/.test(text);
  return isDecimal ? Number(text) : text;
}
