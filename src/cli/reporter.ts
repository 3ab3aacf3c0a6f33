import { styleText } from 'node:util';
import { escapeControls, formatCount, groupDigits } from '../contract/words.ts';
import type { Progress, Watchers } from '../sources/source.ts';

export type Reporter = ReturnType<typeof createReporter>;

const PLAIN_INTERVAL = 5000;
/** Earlier estimates would depend on the time that connections take, in seconds. */
const ESTIMATED_FROM = 2;
const TICK = 1000;
/** Narrower terminals get plain lines, because a live line would be cut. An unknown width is 0. */
const MIN_COLUMNS = 30;

/** ECMA-48. `node:readline` has this, too, but slows down every start. */
const ERASE_LINE = '\x1b[1G\x1b[2K';

/** Prints progress and results on stderr: one live line on a terminal, plain lines elsewhere. */
export function createReporter(stream: NodeJS.WriteStream, { quiet }: { quiet: boolean }) {
  const isTerminal = stream.isTTY && process.env.TERM !== 'dumb';
  const isLive = (): boolean => isTerminal && stream.columns >= MIN_COLUMNS;
  const started = performance.now();
  // Short commands end before the first plain line, after a second.
  let shownAt = started + TICK - PLAIN_INTERVAL;
  let isLineShown = false;
  let latest: Progress | undefined;
  let ticking: NodeJS.Timeout | undefined;

  /** `styleText` checks for a terminal, `FORCE_COLOR` and `NO_COLOR`. */
  function printLine(text: string, other?: 'red' | 'green'): void {
    const isError = /^(?:error|FAIL)\b/.test(text);
    const style = isError ? 'red' : /^warning\b/i.test(text) ? 'yellow' : other;
    const paint = (label: string): string => (style ? styleText(style, label, { stream }) : label);
    stream.write(`${escapeControls(text).replace(/^.+?(?=:\s|$)/, paint)}\n`);
  }
  function settle(): void {
    if (isLineShown) stream.write(ERASE_LINE);
    isLineShown = false;
    clearInterval(ticking);
    ticking = undefined;
  }
  function show(progress: Progress): void {
    const now = performance.now();
    const isLast = progress.total > 0 && progress.done === progress.total;
    if (quiet || (now - shownAt < (isLive() ? 100 : PLAIN_INTERVAL) && !isLast)) return;
    shownAt = now;
    const parts = formatProgress(progress, (now - started) / 1000);
    if (isLast) settle();
    isLineShown = isLive() && !isLast;
    if (isLineShown) stream.write(ERASE_LINE + fitParts(parts, stream.columns - 1));
    else printLine(parts.join(SEPARATOR));
  }

  return {
    settle,
    progress(progress: Progress): void {
      latest = progress;
      ticking ??= setInterval(() => latest && show(latest), TICK).unref();
      show(progress);
    },
    /** Prints a line, even with `--quiet`. */
    notice(text: string): void {
      settle();
      printLine(text);
    },
    /** @param result the beginning of the line that sums up */
    print(lines: readonly string[], result = lines.at(-1)): void {
      settle();
      if (quiet || result === undefined) return;
      for (const text of lines) printLine(text, text.startsWith(result) ? 'green' : undefined);
    },
    /** Prints problems and the line that sums them up, even with `--quiet`. */
    fail(lines: readonly string[]): void {
      settle();
      for (const [at, text] of lines.entries())
        printLine(text, at === lines.length - 1 ? 'red' : undefined);
    },
  };
}

export const createWatchers = ({ progress, notice }: Reporter): Watchers => ({
  onProgress: progress,
  onNotice: (text) => notice(`warning: ${text}`),
  onFallback(message, cause) {
    notice(`WARNING: ${message}`);
    notice(`  ${cause.message}`);
  },
});

const SEPARATOR = ' · ';

function fitParts(parts: readonly string[], columns: number): string {
  const line = parts.join(SEPARATOR);
  return line.length > columns ? fitParts(parts.slice(0, -1), columns) : line;
}

/** `1,200 of 3,160 read`, `retrying 3 requests, next in 4 s`, `412 requests/s`, `3 retries`, `20 from cache`, `5 s left` */
export function formatProgress(
  { done, total, requests, waiting }: Progress,
  seconds: number,
): string[] {
  const parts = [
    total > 0 ? `${groupDigits(done)} of ${groupDigits(total)} read` : 'waiting for the upstream',
  ];
  const { requests: retried, nextInMs } = waiting();
  if (retried > 0)
    parts.push(
      `retrying ${formatCount(retried, 'request')}, next in ${Math.ceil(nextInMs / 1000)} s`,
    );
  if (seconds > 0)
    parts.push(`${formatCount(Math.round(requests.requests / seconds), 'request')}/s`);
  if (requests.retries > 0) parts.push(formatCount(requests.retries, 'retry'));
  if (requests.cacheHits > 0) parts.push(`${groupDigits(requests.cacheHits)} from cache`);
  if (done > 0 && done < total && seconds >= ESTIMATED_FROM)
    parts.push(`${groupDigits(Math.ceil((seconds / done) * (total - done)))} s left`);
  return parts;
}

export const printToStdout = (lines: readonly string[]): void =>
  void process.stdout.write(`${lines.join('\n')}\n`);
