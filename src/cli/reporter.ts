import { styleText } from 'node:util';
import { escapeControls, formatCount, groupDigits } from '../contract/words.ts';
import type { Progress, Watchers } from '../upstream/source.ts';

/** The values that are shown on the progress line. */
export interface ShownProgress extends Pick<Progress, 'done' | 'total'> {
  /**
   * The verb for records, files or requests that are done. The default is `read`.
   */
  readonly verb?: 'read' | 'checked';
  /** The number of requests so far. Undefined if the work needs no requests. */
  readonly requests?: Progress['requests'] | undefined;
  /**
   * The time at which the work began, in milliseconds, from `performance.now()`. The
   * default is the time at which the reporter was created.
   */
  readonly started?: number;
}

/** Prints progress, results and problems. */
export interface Reporter {
  /** Erases the live progress line, and stops updating it. */
  settle(): void;
  progress(progress: ShownProgress): void;
  /** Prints a line, even with `--quiet`. */
  notice(text: string): void;
  /**
   * Prints the results. `--quiet` hides them.
   *
   * @param result the beginning of the last line, which sums up the results
   */
  print(lines: readonly string[], result?: string): void;
  /** Prints problems, followed by a summary line, even with `--quiet`. */
  fail(lines: readonly string[]): void;
}

const LIVE_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 5000;
const TICK_MS = 1000;
/**
 * The number of seconds before the first estimate. Earlier estimates would mostly
 * reflect the time it takes to open connections.
 */
const ESTIMATED_FROM = 2;
/**
 * The minimum terminal width for a live line. Narrower terminals get plain lines,
 * because a live line would be cut off. A terminal of unknown width has 0 columns.
 */
const MIN_COLUMNS = 30;

/**
 * The ECMA-48 escape codes that erase a line. `node:readline` can do this, too, but
 * importing it slows down every start.
 */
const ERASE_LINE = '\x1b[1G\x1b[2K';

const SEPARATOR = ' · ';

/**
 * Creates a reporter for stderr. A terminal shows progress as one live line.
 * Otherwise, a plain line is printed every five seconds.
 *
 * A timer prints the latest progress again while work is running, because the line
 * also shows times that change.
 */
export function createReporter(
  stream: NodeJS.WriteStream,
  { quiet }: { readonly quiet: boolean },
): Reporter {
  const isTerminal = stream.isTTY && process.env.TERM !== 'dumb';
  const isLive = (): boolean => isTerminal && stream.columns >= MIN_COLUMNS;
  const created = performance.now();
  // The first plain line appears after a second, so that short commands print none.
  let shownAt = created + TICK_MS - PLAIN_INTERVAL_MS;
  let isLineShown = false;
  let latest: ShownProgress | undefined;
  let ticking: NodeJS.Timeout | undefined;

  /** Prints a line. On a terminal, its label, such as `warning`, is colored. */
  function printLine(text: string, defaultStyle?: 'red' | 'green'): void {
    const style = chooseStyle(text) ?? defaultStyle;
    const line = escapeControls(text);
    const [label = ''] = /^.+?(?=:\s|$)/.exec(line) ?? [];
    // `styleText` checks whether the stream is a terminal, and respects
    // `FORCE_COLOR` and `NO_COLOR`.
    const shownLabel = style ? styleText(style, label, { stream }) : label;
    stream.write(`${shownLabel}${line.slice(label.length)}\n`);
  }

  function settle(): void {
    if (isLineShown) stream.write(ERASE_LINE);
    isLineShown = false;
    clearInterval(ticking);
    ticking = undefined;
  }

  function show(progress: ShownProgress): void {
    if (quiet) return;
    const now = performance.now();
    const interval = isLive() ? LIVE_INTERVAL_MS : PLAIN_INTERVAL_MS;
    const isLast = progress.total > 0 && progress.done === progress.total;
    if (now - shownAt < interval && !isLast) return;
    shownAt = now;
    const started = progress.started ?? created;
    const parts = formatProgress(progress, (now - started) / 1000);
    if (isLast) settle();
    isLineShown = isLive() && !isLast;
    if (isLineShown) {
      stream.write(ERASE_LINE + fitParts(parts, stream.columns - 1));
    } else {
      printLine(parts.join(SEPARATOR));
    }
  }

  function tick(): void {
    if (latest) show(latest);
  }

  return {
    settle,
    progress(progress) {
      latest = progress;
      ticking ??= setInterval(tick, TICK_MS).unref();
      show(progress);
    },
    notice(text) {
      settle();
      printLine(text);
    },
    print(lines, result = lines.at(-1)) {
      settle();
      if (quiet || result === undefined) return;
      for (const line of lines) {
        const isResult = line.startsWith(result);
        printLine(line, isResult ? 'green' : undefined);
      }
    },
    fail(lines) {
      settle();
      for (const line of lines.slice(0, -1)) printLine(line);
      for (const summary of lines.slice(-1)) printLine(summary, 'red');
    },
  };
}

function chooseStyle(text: string): 'red' | 'yellow' | undefined {
  if (/^(?:error|FAIL)\b/.test(text)) return 'red';
  if (/^warning\b/i.test(text)) return 'yellow';
  return undefined;
}

export const createWatchers = ({ progress, notice }: Reporter): Watchers => ({
  onProgress: progress,
  onNotice: (text) => notice(`warning: ${text}`),
  onFallback(message, cause) {
    notice(`WARNING: ${message}`);
    notice(`  ${cause.message}`);
    notice('  Use --source csv to read the tables of the upstream instead.');
  },
});

/** Joins as many parts as fit into the width of the terminal. */
function fitParts(parts: readonly string[], columns: number): string {
  const line = parts.join(SEPARATOR);
  if (line.length <= columns) return line;
  return fitParts(parts.slice(0, -1), columns);
}

/** The text that is shown until the total is known. */
const textsWithoutTotal = {
  read: 'waiting for the upstream',
  checked: 'reading the lists',
} as const;

/**
 * Formats progress as parts of a line: `1,200 of 3,160 read`, `412 requests/s`,
 * `20 from cache`, `5 s left`.
 */
export function formatProgress(progress: ShownProgress, seconds: number): string[] {
  const { done, total, verb = 'read', requests } = progress;
  const isTotalKnown = total > 0;
  const doneOfTotal = `${groupDigits(done)} of ${groupDigits(total)} ${verb}`;
  const parts = [isTotalKnown ? doneOfTotal : textsWithoutTotal[verb]];
  if (requests && seconds > 0) {
    const rate = Math.round(requests.requests / seconds);
    parts.push(`${formatCount(rate, 'request')}/s`);
  }
  if (requests && requests.cacheHits > 0) {
    parts.push(`${groupDigits(requests.cacheHits)} from cache`);
  }
  if (done > 0 && done < total && seconds >= ESTIMATED_FROM) {
    const secondsLeft = Math.ceil((seconds / done) * (total - done));
    parts.push(`${groupDigits(secondsLeft)} s left`);
  }
  return parts;
}

export function printToStdout(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
