/** Runs a command: its output, signals and exit code. */

import { GamedataError, toOutputError } from '../errors.ts';
import { hintAtBase } from './checks.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import type { Given, Options } from './options.ts';
import { createReporter, type Reporter, watch } from './reporter.ts';

/** Runs a command. The first SIGINT or SIGTERM aborts it, the second one ends the process. */
export async function perform<O extends Options>(
  command: Command<O>,
  { json = false, quiet = false, options }: { json?: boolean; quiet?: boolean; options: Given<O> },
  args: readonly string[],
): Promise<void> {
  const reporter = createReporter(process.stderr, { quiet });
  const printJson = (output: object): void => {
    if (json) print([JSON.stringify(output)]);
  };
  const controller = new AbortController();
  let stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
  const letSignalsEnd = (): void => void process.off('SIGINT', stop).off('SIGTERM', stop);
  function stop(signal: NodeJS.Signals): void {
    letSignalsEnd();
    stoppedBy = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  }
  if (!command.endsAtOnce) process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    const context = { options, json, quiet, reporter, watchers: watch(reporter), signal: controller.signal };
    const { lines = [], output, exitCode = exitCodes.done } = await command.run(context, ...args);
    reporter.print(lines);
    if (output) printJson(output);
    process.exitCode = exitCode;
  } catch (error) {
    reporter.settle();
    const kept = (failure?: GamedataError) => command.kept?.(options, failure, ...args) ?? [];
    if (stoppedBy) {
      for (const line of [`stopped by ${stoppedBy}`, ...kept()]) reporter.notice(line);
      process.exitCode = exitCodes[stoppedBy];
      return;
    }
    const explained = toOutputError(error, '.');
    if (!(explained instanceof GamedataError)) throw explained;
    const { code, message, hint = null } = explained;
    printJson({ error: { code, message, hint } });
    // The caller adds the usage line.
    if (code === 'usage') throw explained;
    process.exitCode = explain(explained, reporter, [...args.flatMap(hintAtBase), ...kept(explained)]);
  } finally {
    letSignalsEnd();
  }
}

/** Prints an expected failure. Returns its exit code. */
export function explain(
  { code, message, hint }: GamedataError,
  { notice }: Reporter,
  after: readonly string[],
): number {
  const lines = [`error: ${message}`, ...(hint === undefined ? [] : `hint: ${hint}`.split('\n')), ...after];
  lines.forEach(notice);
  if (code === 'usage') return exitCodes.usage;
  return code === 'guard' ? exitCodes.refused : exitCodes.failed;
}

/** Prints a command's result on stdout. */
export const print = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);
