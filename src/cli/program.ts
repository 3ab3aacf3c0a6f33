/** The command line: what is typed → a command and its options. Each command's code is loaded only when it is needed. */

import { existsSync } from 'node:fs';
import {
  Command as CommanderCommand,
  CommanderError,
  Option as CommanderOption,
  Help,
  type HelpConfiguration,
  InvalidArgumentError,
} from 'commander';
import { allKinds } from '../contract/words.ts';
import { GamedataError, UsageError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { type Command, type TypedOption, typedOptions } from './command.ts';
import { attributeOf, flagOf, type Options } from './options.ts';
import { exitCodes, explain, perform } from './perform.ts';
import { createReporter } from './reporter.ts';

const commands: Readonly<Record<string, () => Promise<{ readonly command: Command<Options> }>>> = {
  build: () => import('./commands/build.ts'),
  snapshot: () => import('./commands/snapshot.ts'),
  verify: () => import('./commands/verify.ts'),
  mirror: () => import('./commands/mirror.ts'),
  rebase: () => import('./commands/rebase.ts'),
  archive: () => import('./commands/archive.ts'),
  diff: () => import('./commands/diff.ts'),
  serve: () => import('./commands/serve.ts'),
};

/** @param name the command that is wanted, if it is known; otherwise all of them are loaded */
export async function loadCommands(name = ''): Promise<Readonly<Record<string, Command<Options>>>> {
  const wanted = Object.entries(commands).filter(([one]) => one === name || !Object.hasOwn(commands, name));
  return Object.fromEntries(
    await Promise.all(wanted.map(async ([one, load]) => [one, (await load()).command])),
  );
}

/** The configuration of the working folder, if there is one. */
const DEFAULT_CONFIG = 'gamedata.config.json';

/** @param name as above */
export async function createProgram(name?: string): Promise<CommanderCommand> {
  const program = new CommanderCommand('gamedata')
    .description(`Builds a read-only JSON API of game ${allKinds()} as static files for a CDN.`)
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp(compactHelp)
    .hook('preAction', async (_, command) => {
      const { config = existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined } = command.opts();
      if (config === undefined) return;
      const { configure } = await import('./config.ts');
      configure(await loadCommands(), command, config, process.env);
    });
  for (const [one, command] of Object.entries(await loadCommands(name)))
    addCommand(program.command(one), command);
  return program;
}

function addCommand(to: CommanderCommand, command: Command<Options>): void {
  to.summary(command.summary).description(command.description);
  for (const [name, [about, value]] of Object.entries(command.arguments ?? {}))
    to.argument(name, about, value);
  to.optionsGroup('Common:')
    .option('--config <file>', 'options [gamedata.config.json, if it exists]')
    .helpOption('-h, --help', 'show this help');
  const options = typedOptions(command);
  for (const option of options) addOption(to, option);
  to.action(() => {
    const typed = to.opts();
    const given = options.map((option) => [option.name, typed[attributeOf(option)]]);
    const { json, quiet, ...own } = Object.fromEntries(given);
    return perform(command, { json, quiet, options: own }, to.processedArgs);
  });
}

function addOption(to: CommanderCommand, option: TypedOption): void {
  const { flags, about, group = '', choices, replaced, isNumber, canBeOff, default: value } = option;
  const typed = new CommanderOption(flags, about).helpGroup(group);
  if (isNumber) typed.argParser(parseNumber);
  if (choices) typed.choices(choices);
  const { parseArg } = typed;
  if (replaced && parseArg)
    typed.argParser<unknown>((given, before) => {
      const list = parseArg(replaced.get(given) ?? given, before) as string[];
      return list.with(-1, given);
    });
  if (typed.required && value !== undefined) typed.default(value);
  to.addOption(typed);
  if (canBeOff) to.addOption(new CommanderOption(`--no-${flagOf(option)}`).hideHelp());
}

function parseNumber(text: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}

/** One line per option, without blank lines: the help of a command fits on a screen. */
const compactHelp: HelpConfiguration = {
  formatHelp: (command, help) => `${Help.prototype.formatHelp.call(help, command, help)}\n`,
  formatItemList: (heading, items) => (items.length === 0 ? [] : [heading, ...items]),
  optionDescription({ description, defaultValue, required }) {
    return required && defaultValue !== undefined ? `${description} [${defaultValue}]` : description;
  },
};

/** Runs a command, explains what stops it, and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  const program = await createProgram(args[0]);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const command = program.commands.find((candidate) => candidate.name() === args[0]);
    process.exitCode = end(blameConfig(error, command), usageOf(program, command));
  }
}

/** A value that is wrong in the configuration was not typed: `gamedata.config.json › build › keep: got -1, expected …`. */
function blameConfig(error: unknown, command: CommanderCommand | undefined): unknown {
  const [, name = '', problem = ''] =
    error instanceof UsageError ? (/^--([a-z-]+)(: .*)/s.exec(error.message) ?? []) : [];
  const option = command?.options.find(({ long }) => long === `--${name}`);
  if (!command || !option || command.getOptionValueSource(option.attributeName()) !== 'config') return error;
  const { config = DEFAULT_CONFIG } = command.opts();
  return new UsageError(`${config} › ${command.name()} › ${name}${problem}`, { cause: error });
}

function usageOf(program: CommanderCommand, command: CommanderCommand | undefined): string {
  const called = command ? `gamedata ${command.name()}` : 'gamedata';
  return `usage: ${called} ${(command ?? program).usage()} (see ${called} --help)`;
}

/** Prints an error that no command has explained; unexpected ones with their stack. Returns the exit code. */
function end(error: unknown, usage: string): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  const reporter = createReporter(process.stderr, { quiet: false });
  if (error instanceof CommanderError) {
    // A suggestion comes on a line of its own.
    if (error.code !== 'commander.help') error.message.split('\n').forEach(reporter.notice);
    reporter.notice(usage);
    return exitCodes.usage;
  }
  if (error instanceof GamedataError) return explain(error, reporter, [usage]);
  process.stderr.write(
    `${error instanceof Error ? error.stack : String(error)}\nThis is a bug in gamedata: please report it.\n`,
  );
  return exitCodes.failed;
}
