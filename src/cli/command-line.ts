/** Turns declarations into commander's options, and parsed arguments into calls of commands. */

import { existsSync } from 'node:fs';
import { type Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import * as z from 'zod';
import { GamedataError } from '../errors.ts';
import { type Command, listTyped, type TypedOption } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { type Options, parseFlag, removedOptions } from './options.ts';
import { explain, perform } from './perform.ts';
import { createReporter } from './reporter.ts';

/** Read if the current folder has it. */
const DEFAULT_CONFIG = 'gamedata.config.json';

type LoadCommands = () => Promise<Readonly<Record<string, Command<Options>>>>;

/** @param loadAll for the configuration, which has sections for all commands */
export function addDeclaration(to: Commander, command: Command<Options>, loadAll: LoadCommands): void {
  to.description(command.description);
  for (const [name, [about, value]] of Object.entries(command.arguments ?? {}))
    to.argument(name, about, value);
  to.optionsGroup('Common:')
    .option('--config <file>', `options [${DEFAULT_CONFIG}, if it exists]`)
    .helpOption('-h, --help', 'show this help');
  const options = listTyped(command).map((option) => ({ option, ...createOption(option) }));
  const defaults = Object.fromEntries(options.map(({ option, value }) => [option.name, value]));
  for (const { option, typed } of options) {
    to.addOption(typed);
    // `--cache <dir>`, `--no-cache`
    if (typed.required && option.schema.safeParse(false).success)
      to.addOption(new CommanderOption(`--no-${parseFlag(option.flags)}`).hideHelp());
  }
  to.action(async () => {
    const parsed = options.flatMap(({ option: { name }, typed }) => {
      const attribute = typed.attributeName();
      const isTyped = to.getOptionValueSource(attribute) === 'cli';
      return isTyped ? [[name, to.getOptionValue(attribute)] as const] : [];
    });
    const given = Object.fromEntries(parsed);
    const { config = existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined } = to.opts();
    const configured = config === undefined ? undefined : await configure(config, to.name(), loadAll);
    const { json, quiet, ...own } = { ...defaults, ...configured?.options, ...given };
    const args = [...to.processedArgs];
    // What is built is what is served.
    if (to.args.length === 0 && args[0] !== undefined) args[0] = configured?.built ?? args[0];
    try {
      await perform(command, { json: json === true, quiet: quiet === true, options: own }, args);
    } catch (error) {
      throw configured ? configured.blame(error, given) : error;
    }
  });
}

async function configure(file: string, name: string, loadAll: LoadCommands) {
  const { readConfig } = await import('./config.ts');
  return readConfig(await loadAll(), name, file, process.env);
}

function createOption({ flags, schema, group = '' }: TypedOption) {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const { description = '', type, items, default: value } = json;
  const choices = json.enum ?? (typeof items === 'object' && 'enum' in items ? items.enum : undefined);
  const about = choices ? `${description}: ${choices.join(', ')}` : description;
  const isShown = flags.includes('<') && value !== undefined;
  const typed = new CommanderOption(flags, isShown ? `${about} [${value}]` : about).helpGroup(group);
  if (type === 'integer' || type === 'number') typed.argParser(readNumber);
  return { typed, value };
}

/** What is not a number is left to the schema, which knows what is expected. */
const readNumber = (text: string): unknown => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);

/** Prints an error that no command has explained; unexpected ones with their stack. Returns the exit code. */
export function explainEnd(error: unknown, usage: string): number {
  const reporter = createReporter(process.stderr, { quiet: false });
  if (error instanceof CommanderError) {
    // A suggestion comes on a line of its own.
    if (error.code !== 'commander.help') error.message.split('\n').forEach(reporter.notice);
    const [, unknown = ''] = /unknown option '--([a-z-]+)/.exec(error.message) ?? [];
    const replacement = removedOptions.get(unknown);
    if (replacement) `hint: ${replacement}`.split('\n').forEach(reporter.notice);
    reporter.notice(usage);
    return exitCodes.usage;
  }
  if (error instanceof GamedataError) return explain(error, reporter, [usage]);
  process.stderr.write(
    `${error instanceof Error ? error.stack : String(error)}\nThis is a bug in gamedata: please report it.\n`,
  );
  return exitCodes.failed;
}
