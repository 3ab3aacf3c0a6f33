import { existsSync } from 'node:fs';
import { type Command as Commander, Option as CommanderOption } from 'commander';
import { type CliOption, type Command, listCliOptions } from './command.ts';
import { type Config, findSection, readConfig } from './config.ts';
import { type Options, parseFlag } from './options.ts';
import { runCommand } from './run-command.ts';

const DEFAULT_CONFIG = 'gamedata.config.json';

type LoadCommands = () => Promise<Readonly<Record<string, Command<Options>>>>;

/**
 * Registers a command with commander, which parses the arguments and prints the
 * help. Options from the command line come first, then those from the environment,
 * then those from the configuration file, and then the defaults.
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
  for (const option of listCliOptions(command)) {
    target.addOption(createOption(option));
  }
  const examples = command.examples.map((example) => `  ${example}`);
  target.addHelpText('after', ['Examples:', ...examples].join('\n'));
  target.action(() => callCommand(target, command, loadAll));
}

/**
 * Converts one of our options to commander's form. Commander then reads it from the command
 * line or the environment, and shows its default in the help.
 */
function createOption(option: CliOption): CommanderOption {
  const { flags, about, group = '', choices, env, convert, schema } = option;
  const commanderOption = new CommanderOption(flags, about).helpGroup(group);
  if (choices) commanderOption.choices(choices);
  if (convert) commanderOption.argParser(convert);
  const variable = env?.();
  // Commander would also use an empty variable, which should count as unset.
  const isEmpty = variable !== undefined && process.env[variable] === '';
  if (variable !== undefined && !isEmpty) commanderOption.env(variable);
  // A schema converts `undefined` to its default.
  const defaultValue = schema.safeParse(undefined).data;
  // The help shows a default, which is obvious for an option without a value.
  const isShown = defaultValue !== undefined && defaultValue !== false;
  if (isShown) commanderOption.default(defaultValue);
  return commanderOption;
}

/**
 * Runs a command with all of its options and arguments. Commander has already parsed the
 * command line and the environment, so only the configuration file is added here.
 */
async function callCommand(
  target: Commander,
  command: Command<Options>,
  loadAll: LoadCommands,
): Promise<void> {
  const config = await findConfig(target, loadAll);
  if (config) applyConfig(target, command, config);
  const options: Record<string, unknown> = {};
  for (const option of listCliOptions(command)) {
    options[option.name] = target.getOptionValue(attributeName(option));
  }
  const args: string[] = [...target.processedArgs];
  // Only `serve` has an argument with a default, which is the output folder of
  // `build`. The configuration file may name another folder.
  const usesDefault = target.args.length === 0 && args[0] !== undefined;
  const buildFolder = config?.build?.out;
  if (usesDefault && typeof buildFolder === 'string') args[0] = buildFolder;
  await runCommand(command, options, args);
}

const attributeName = ({ flags }: CliOption): string =>
  new CommanderOption(flags).attributeName();

/**
 * Reads the configuration file that the user named, or the default one if it exists.
 */
async function findConfig(
  target: Commander,
  loadAll: LoadCommands,
): Promise<Config | undefined> {
  const named: string | undefined = target.opts().config;
  if (named === undefined && !existsSync(DEFAULT_CONFIG)) return undefined;
  return readConfig(await loadAll(), named ?? DEFAULT_CONFIG);
}

/**
 * Sets options from the configuration file. The command line and the environment take
 * precedence, so only options are set that still have their default.
 */
function applyConfig(
  target: Commander,
  command: Command<Options>,
  config: Config,
): void {
  const section = findSection(config, target.name(), command.inherits);
  for (const option of listCliOptions(command)) {
    const value = section[parseFlag(option.flags)];
    const attribute = attributeName(option);
    const source = target.getOptionValueSource(attribute) ?? 'default';
    if (value !== undefined && source === 'default') {
      target.setOptionValueWithSource(attribute, value, 'config');
    }
  }
}
