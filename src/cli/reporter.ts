import { styleText } from 'node:util';
import { escapeControls, formatCount, groupDigits } from '../contract/words.ts';
import type { Progress, Watchers } from '../upstream/source.ts';

/** The values shown on the progress line. */
export interface ShownProgress extends Pick<Progress, 'done' | 'total'> {
  /** The number of requests so far. Undefined if the work needs no requests. */
  readonly requests?: Progress['requests'];
}

/** Prints progress, results and problems. */
export interface Reporter {
  /** Erases the live progress line. */
  settle(): void;
  progress(progress: ShownProgress): void;
  /** Prints a line, even with `--quiet`. */
  notice(text: string): void;
  /** Prints the results. `--quiet` hides them. */
  print(lines: readonly string[]): void;
}

const LIVE_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 5000;

/**
 * The ECMA-48 escape codes that erase a line. `node:readline` can do this too, but
 * importing it would slow down startup.
 */
const ERASE_LINE = '\x1b[1G\x1b[2K';

/**
 * Creates a reporter for stderr. On a terminal, it shows progress on one live line:
 * each update replaces the line, and any other output erases it. Elsewhere, it prints a
 * plain line every five seconds.
 */
export function createReporter(
  stream: NodeJS.WriteStream,
  { quiet = false } = {},
): Reporter {
  const isTerminal = stream.isTTY && process.env.TERM !== 'dumb';
  // A terminal of unknown width has 0 columns.
  const isLive = isTerminal && stream.columns > 0;
  const intervalMs = isLive ? LIVE_INTERVAL_MS : PLAIN_INTERVAL_MS;
  // The first update appears after one interval, so short commands show no progress.
  let nextAt = performance.now() + intervalMs;
  let isLiveLineShown = false;

  function settle(): void {
    if (isLiveLineShown) stream.write(ERASE_LINE);
    isLiveLineShown = false;
  }

  return {
    settle,
    progress(progress) {
      const now = performance.now();
      if (quiet || now < nextAt) return;
      nextAt = now + intervalMs;
      const line = formatProgress(progress);
      if (!isLive) {
        printLine(stream, line);
        return;
      }
      // A line that fills the terminal would wrap, and could not be erased as one line.
      const liveLine = line.slice(0, stream.columns - 1);
      stream.write(ERASE_LINE + liveLine);
      isLiveLineShown = true;
    },
    notice(text) {
      settle();
      printLine(stream, text);
    },
    print(lines) {
      settle();
      if (quiet) return;
      for (const line of lines) printLine(stream, line);
    },
  };
}

/**
 * Prints a line. On a terminal, the label of a problem is colored. The label is the text
 * before the first colon, such as `warning`, or the whole line if there is no colon.
 */
function printLine(stream: NodeJS.WriteStream, text: string): void {
  const style = chooseStyle(text);
  const line = escapeControls(text);
  const [label = ''] = /^.+?(?=:\s|$)/.exec(line) ?? [];
  // `styleText` checks whether the stream is a terminal, and respects
  // `FORCE_COLOR` and `NO_COLOR`.
  const shownLabel = style ? styleText(style, label, { stream }) : label;
  stream.write(`${shownLabel}${line.slice(label.length)}\n`);
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
    notice('  Use --source snapshot to build from this data without a warning.');
  },
});

/** Formats progress, such as `1,200 of 3,160 done, 1,180 requests, 20 from cache`. */
export function formatProgress({ done, total, requests }: ShownProgress): string {
  const doneOfTotal = `${groupDigits(done)} of ${groupDigits(total)} done`;
  // `total` is 0 until it is known.
  const parts = [total > 0 ? doneOfTotal : 'waiting for the first response'];
  if (requests) parts.push(formatCount(requests.requests, 'request'));
  if (requests && requests.cacheHits > 0) {
    parts.push(`${groupDigits(requests.cacheHits)} from cache`);
  }
  return parts.join(', ');
}

export function printToStdout(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
