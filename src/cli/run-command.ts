import { existsSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { GamedataError, UpstreamError } from '../errors.ts';
import { attempt, toOutputError } from '../files.ts';
import { COMPLETED } from '../publish/publish.ts';
import { findCommittedManifest } from '../site-folder.ts';
import type { Watchers } from '../upstream/source.ts';
import { type Command, exitCodes } from './command.ts';
import { hintAtBaseUrl, type Options } from './options.ts';
import { printError, printJsonError } from './print-error.ts';
import { createReporter, createWatchers, printToStdout } from './reporter.ts';

type OptionValues = Readonly<Record<string, unknown>>;

/**
 * Runs a command, prints its report, and sets the exit code.
 *
 * The first SIGINT or SIGTERM aborts the command, so that it can clean up. The
 * second signal ends the process. An expected error is printed with its hint and a
 * description of the remaining files. A usage error is thrown instead. The caller
 * prints it, because the message may also have to name the configuration file. Any
 * other error is a bug.
 *
 * @throws UsageError, or any error that is not a GamedataError
 */
export async function runCommand(
  command: Command<Options>,
  { json, quiet, ...options }: OptionValues,
  args: readonly string[],
): Promise<void> {
  const isQuiet = quiet === true;
  const reporter = createReporter(process.stderr, { quiet: isQuiet });
  /**
   * Whether the disk cache has stored responses that the same command would reuse.
   */
  let hasStored = false;
  const onStored = (): void => {
    hasStored = true;
  };
  const reporting = createWatchers(reporter);
  /** Whether the command has completed an interrupted build before it failed. */
  let hasCompleted = false;
  const onNotice = (notice: string): void => {
    if (notice === COMPLETED) hasCompleted = true;
    reporting.onNotice?.(notice);
  };
  const watchers: Watchers = { ...reporting, onStored, onNotice };
  const interruption = listenForSignals(command);
  try {
    const { signal } = interruption;
    const context = { options, quiet: isQuiet, reporter, watchers, signal };
    const { output, exitCode } = await command.run(context, ...args);
    if (output && json === true) printToStdout([JSON.stringify(output)]);
    process.exitCode = exitCode ?? exitCodes.done;
  } catch (thrown) {
    reporter.settle();
    const error = toOutputError(thrown, '.');
    const stoppedBy = interruption.stoppedBy();
    const canContinue = stoppedBy !== undefined || error instanceof UpstreamError;
    const { cache } = options;
    const continuesFromCache = canContinue && hasStored && typeof cache === 'string';
    const out = command.getOut?.(options, ...args);
    const preserved = describePreserved(out, {
      cache: continuesFromCache ? cache : undefined,
      hasCompleted,
    });
    if (stoppedBy) {
      reporter.notice(`stopped by ${stoppedBy}`);
      for (const line of preserved) reporter.notice(line);
      process.exitCode = exitCodes[stoppedBy];
      return;
    }
    if (!(error instanceof GamedataError)) throw error;
    if (error.code === 'usage') throw error;
    if (json === true) printJsonError(error);
    const hints: string[] = [];
    for (const arg of args) hints.push(...hintAtBaseUrl(arg));
    process.exitCode = printError(error, reporter, [...hints, ...preserved]);
  } finally {
    interruption.stopListening();
  }
}

type StopSignal = 'SIGINT' | 'SIGTERM';

interface Interruption {
  readonly signal: AbortSignal;
  /**
   * Returns the signal that stopped the command. Undefined if no signal has arrived.
   */
  stoppedBy(): StopSignal | undefined;
  stopListening(): void;
}

/**
 * Aborts a command at the first signal. We then stop listening, so that Node ends
 * the process at the second signal.
 */
function listenForSignals(command: Command<Options>): Interruption {
  const controller = new AbortController();
  let stoppedBy: StopSignal | undefined;
  const stopListening = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  function stop(signal: NodeJS.Signals): void {
    stopListening();
    stoppedBy = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    controller.abort();
  }
  if (!command.exitsOnSignal) {
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  }
  return { signal: controller.signal, stoppedBy: () => stoppedBy, stopListening };
}

export interface Preserved {
  /**
   * The folder of the disk cache, if it has stored responses that the same command
   * would reuse.
   */
  readonly cache?: string | undefined;
  /** Whether the command has completed an interrupted build before it failed. */
  readonly hasCompleted?: boolean | undefined;
}

/**
 * Describes the files that remain after a command failed or was stopped.
 *
 * @param out the output folder; undefined if the command has none
 */
export function describePreserved(
  out: string | undefined,
  { cache, hasCompleted = false }: Preserved = {},
): string[] {
  if (out === undefined) return [];
  if (attempt(() => findCommittedManifest(out))) {
    return [
      `${out}: partly the new site: run the command again to complete the change`,
    ];
  }
  const isPublished = existsSync(path.join(out, MANIFEST_FILE));
  let state = isPublished ? 'unchanged' : 'nothing was published';
  if (hasCompleted) {
    state = 'the interrupted build was completed; nothing else was published';
  }
  const lines = [`${out}: ${state}`];
  if (cache !== undefined) {
    lines.push(
      `responses remain in ${cache}: the same command continues from there`,
    );
  }
  return lines;
}
