import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import * as z from 'zod';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { escapeControls } from '../contract/words.ts';
import { GamedataError, toOutputError, UpstreamError } from '../errors.ts';
import { attempt } from '../files.ts';
import { isBeingChanged } from '../publish/publish.ts';
import type { Watchers } from '../sources/source.ts';
import { type CliOption, type Command, exitCodes, listCliOptions } from './command.ts';
import { describeCrash } from './crash.ts';
import { hintAtBaseUrl, type Options, parseFlag } from './options.ts';
import { createReporter, createWatchers, printToStdout, type Reporter } from './reporter.ts';

const DEFAULT_CONFIG = 'gamedata.config.json';

/** @param loadAll loads the commands for the configuration file, which has a section for each */
export function addCommand(
  to: Commander,
  command: Command<Options>,
  loadAll: () => Promise<Readonly<Record<string, Command<Options>>>>,
): void {
  to.description(command.description);
  for (const [name, [about, value]] of Object.entries(command.arguments ?? {}))
    to.argument(name, about, value);
  to.optionsGroup('Common:')
    .option('--config <file>', `configuration [${DEFAULT_CONFIG} if it exists]`)
    .helpOption('-h, --help', 'show this help');
  const options = listCliOptions(command).map((option) => ({ option, ...createOption(option) }));
  const defaults = Object.fromEntries(options.map(({ option, value }) => [option.name, value]));
  for (const { option, parsed } of options) {
    to.addOption(parsed);
    if (parsed.required && option.schema.safeParse(false).success)
      to.addOption(new CommanderOption(`--no-${parseFlag(option.flags)}`).hideHelp());
  }
  to.action(async () => {
    const typed = Object.fromEntries(
      options
        .filter(({ parsed }) => to.getOptionValueSource(parsed.attributeName()) === 'cli')
        .map(({ option, parsed }) => [option.name, to.getOptionValue(parsed.attributeName())]),
    );
    const { config = existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined } = to.opts();
    const configured =
      config === undefined
        ? undefined
        : (await import('./config.ts')).readConfig(await loadAll(), to.name(), config, process.env);
    const args = [...to.processedArgs];
    // By default, `serve` and other commands use the folder of the configured `build`.
    if (to.args.length === 0 && args[0] !== undefined) args[0] = configured?.built ?? args[0];
    try {
      await runCommand(command, { ...defaults, ...configured?.options, ...typed }, args);
    } catch (error) {
      throw configured ? configured.blame(error, typed) : error;
    }
  });
}

function createOption({ flags, schema, group = '' }: CliOption) {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const { description = '', type, items, default: value } = json;
  const choices =
    json.enum ?? (typeof items === 'object' && 'enum' in items ? items.enum : undefined);
  const about = choices ? `${description}: ${choices.join(', ')}` : description;
  const isShown = flags.includes('<') && value !== undefined;
  const parsed = new CommanderOption(flags, isShown ? `${about} [${value}]` : about).helpGroup(
    group,
  );
  if (type === 'integer' || type === 'number') parsed.argParser(readNumber);
  return { parsed, value };
}

/** Leaves other text to the schema, which describes the expected number. */
const readNumber = (text: string): unknown =>
  /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;

/** Runs a command. The first SIGINT or SIGTERM aborts it, the second one ends the process. */
async function runCommand(
  command: Command<Options>,
  { json, quiet, ...options }: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<void> {
  const reporter = createReporter(process.stderr, { quiet: quiet === true });
  const printJson = (output: object) => json === true && printToStdout([JSON.stringify(output)]);
  const controller = new AbortController();
  let stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
  /** Whether the disk cache has responses with which the same command would continue. */
  let hasStored = false;
  const stopListening = (): void => void process.off('SIGINT', stop).off('SIGTERM', stop);
  function stop(signal: NodeJS.Signals): void {
    stopListening();
    stoppedBy = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  }
  if (!command.exitsOnSignal) process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    const watchers: Watchers = {
      ...createWatchers(reporter),
      onStored() {
        hasStored = true;
      },
    };
    const context = {
      options,
      quiet: quiet === true,
      reporter,
      watchers,
      signal: controller.signal,
    };
    const { output, exitCode = exitCodes.done } = await command.run(context, ...args);
    if (output) printJson(output);
    process.exitCode = exitCode;
  } catch (thrown) {
    reporter.settle();
    const error = toOutputError(thrown, '.');
    const isInterrupted = stoppedBy !== undefined || error instanceof UpstreamError;
    const cache = isInterrupted && hasStored ? options.cache : undefined;
    const preserved = describePreserved(command.getOut?.(options, ...args), cache);
    if (stoppedBy) {
      [`stopped by ${stoppedBy}`, ...preserved].forEach(reporter.notice);
      process.exitCode = exitCodes[stoppedBy];
      return;
    }
    if (!(error instanceof GamedataError)) throw error;
    const { code, message, hint } = error;
    const lines = hint?.split('\n').map(escapeControls);
    printJson({
      error: { code, message: escapeControls(message), hint: lines?.join('\n') ?? null },
    });
    if (code === 'usage') throw error;
    process.exitCode = printError(error, reporter, [...args.flatMap(hintAtBaseUrl), ...preserved]);
  } finally {
    stopListening();
  }
}

/** @param cache the disk cache if it has responses with which the same command continues */
export function describePreserved(out: string | undefined, cache: unknown): string[] {
  if (out === undefined) return [];
  if (attempt(() => isBeingChanged(out)))
    return [`${out}: partly the new site: run the command again to complete the change`];
  const published = existsSync(path.join(out, MANIFEST_FILE))
    ? 'unchanged'
    : 'nothing was published';
  if (typeof cache !== 'string') return [`${out}: ${published}`];
  return [
    `${out}: ${published}`,
    `responses remain in ${cache}: the same command continues from there`,
  ];
}

function printError(
  { code, message, hint }: GamedataError,
  { notice }: Reporter,
  more: readonly string[],
): number {
  const hints = hint === undefined ? [] : `hint: ${hint}`.split('\n');
  [`error: ${message}`, ...hints, ...more].forEach(notice);
  if (code === 'usage') return exitCodes.usage;
  return code === 'guard' ? exitCodes.refused : exitCodes.failed;
}

/** Prints an error that no command has printed; a bug with its stack. Returns the exit code. */
export function reportError(error: unknown, usage: string): number {
  const reporter = createReporter(process.stderr, { quiet: false });
  if (error instanceof CommanderError) {
    // commander adds a suggestion on a line of its own.
    if (error.code !== 'commander.help') error.message.split('\n').forEach(reporter.notice);
    reporter.notice(usage);
    return exitCodes.usage;
  }
  if (error instanceof GamedataError) return printError(error, reporter, [usage]);
  process.stderr.write(describeCrash(error));
  return exitCodes.failed;
}
