import { existsSync } from 'node:fs';
import { type Command as Commander, Option as CommanderOption } from 'commander';
import * as z from 'zod';
import { type CliOption, type Command, listCliOptions } from './command.ts';
import { type Config, readConfig } from './config.ts';
import type { Options } from './options.ts';
import { exitCodes } from './print-error.ts';
import { createReporter, createWatchers, printToStdout } from './reporter.ts';

const DEFAULT_CONFIG = 'gamedata.config.json';

type LoadCommands = () => Promise<Readonly<Record<string, Command<Options>>>>;

/**
 * Registers a command with commander, which parses the arguments and prints the help.
 * Options on the command line take precedence over the environment, the environment
 * over the configuration file, and the configuration file over the defaults.
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
  for (const [name, about] of Object.entries(command.arguments ?? {})) {
    target.argument(name, about);
  }
  target
    .optionsGroup('Common:')
    .option('--config <file>', `configuration [${DEFAULT_CONFIG} if it exists]`)
    .helpOption('-h, --help', 'show this help');
  for (const option of listCliOptions(command)) {
    target.addOption(createOption(option));
  }
  const examples = command.examples.map((example) => `  ${example}`);
  target.addHelpText('after', ['', 'Examples:', ...examples].join('\n'));
  target.action(() => callCommand(target, command, loadAll));
}

/**
 * Converts one of our options to commander's form. Commander then reads it from the command
 * line or the environment, and shows its choices and its default in the help.
 */
function createOption({
  name,
  flags,
  group,
  env,
  schema,
}: CliOption): CommanderOption {
  const jsonSchema = z.toJSONSchema(schema, { io: 'input' });
  const option = new CommanderOption(flags, jsonSchema.description);
  // The name in the library function may differ from the flag, as in `hosts`.
  option.attributeName = () => name;
  if (group !== undefined) option.helpGroup(group);
  if (jsonSchema.enum) option.choices(jsonSchema.enum.map(String));
  const isNumber = jsonSchema.type === 'integer' || jsonSchema.type === 'number';
  if (isNumber) option.argParser(readNumber);
  if (jsonSchema.type === 'array') option.argParser(readList);
  const variable = env?.();
  // Commander would also use an empty variable, which should count as unset.
  const isEmpty = variable !== undefined && process.env[variable] === '';
  if (variable !== undefined && !isEmpty) option.env(variable);
  // The help omits the default of an option that takes no value.
  if (jsonSchema.default !== false) option.default(jsonSchema.default);
  return option;
}

/**
 * Converts decimal text to a number. Other text is returned unchanged, so that the
 * schema's error message can quote it.
 */
function readNumber(text: string): unknown {
  const isDecimal = /^-?\d+(?:\.\d+)?$/.test(text);
  return isDecimal ? Number(text) : text;
}

/** Adds an argument to a list. The argument may itself be a comma-separated list. */
const readList = (text: string, members: readonly string[] = []): string[] => [
  ...members,
  ...text.split(','),
];

/**
 * Calls a command with all of its options and arguments. Commander has already parsed
 * the command line and the environment, so this function only adds the configuration
 * file.
 */
async function callCommand(
  target: Commander,
  command: Command<Options>,
  loadAll: LoadCommands,
): Promise<void> {
  const config = await findConfig(target.getOptionValue('config'), loadAll);
  // For example, `mirror` inherits the options of `build`, except for those that its own
  // section sets.
  const inherited = config[command.inherits ?? ''];
  const section = { ...inherited, ...config[target.name()] };
  for (const { name, flag } of listCliOptions(command)) {
    const value = section[flag];
    const source = target.getOptionValueSource(name) ?? 'default';
    // The command line and the environment take precedence.
    if (value !== undefined && source === 'default') {
      target.setOptionValueWithSource(name, value, 'config');
    }
  }
  // Only `serve` has an optional argument. By default, it serves the output folder of
  // `build`, which the configuration file may set.
  const [firstArgument = config.build?.out, ...otherArguments] =
    target.processedArgs;
  // The file was read above, so the command does not need its name.
  const { config: _, ...options } = target.opts();
  await runCommand(command, options, [firstArgument, ...otherArguments]);
}

/** Reads the configuration file that the user named, or the default one if it exists. */
async function findConfig(
  file: string | undefined,
  loadAll: LoadCommands,
): Promise<Config> {
  if (file === undefined && !existsSync(DEFAULT_CONFIG)) return {};
  return readConfig(await loadAll(), file ?? DEFAULT_CONFIG);
}

/**
 * Runs a command, prints its report, and sets the exit code.
 *
 * The first SIGINT or SIGTERM aborts the command, so that it can clean up. We then stop
 * listening, so that a second signal ends the process immediately.
 *
 * @throws the command's error, unless a signal has stopped the command
 */
async function runCommand(
  command: Command<Options>,
  { json, quiet, ...options }: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<void> {
  const isQuiet = quiet === true;
  const reporter = createReporter(process.stderr, { quiet: isQuiet });
  const watchers = createWatchers(reporter);
  const controller = new AbortController();
  const { signal } = controller;
  let stoppedBy: 'SIGINT' | 'SIGTERM' = 'SIGINT';
  function stop(name: NodeJS.Signals): void {
    stopListening();
    stoppedBy = name === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  }
  function stopListening(): void {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    const context = { options, quiet: isQuiet, reporter, watchers, signal };
    const { output, exitCode } = await command.run(context, ...args);
    if (output && json === true) printToStdout([JSON.stringify(output)]);
    process.exitCode = exitCode ?? exitCodes.done;
  } catch (error) {
    if (!signal.aborted) throw error;
    // The command failed only because the signal stopped it.
    reporter.notice(`stopped by ${stoppedBy}`);
    process.exitCode = exitCodes[stoppedBy];
  } finally {
    reporter.settle();
    stopListening();
  }
}
