import { styleText } from 'node:util';
import { escapeControls, formatCount, groupDigits } from '../contract/words.ts';
import type { Progress, Watchers } from '../sources/source.ts';

/** What the progress line shows. */
export interface ShownProgress extends Pick<Progress, 'done' | 'total'> {
  /** What is done with each record, file or request. Default: `read`. */
  readonly verb?: 'read' | 'checked';
  /** Undefined if nothing is requested. */
  readonly requests?: Progress['requests'] | undefined;
  readonly waiting?: Progress['waiting'];
  /**
   * When the work began, in the milliseconds of `performance.now()`. Default: when the reporter was
   * created.
   */
  readonly started?: number;
}

/** Prints progress and results. */
export interface Reporter {
  /** Ends the live line. */
  settle(): void;
  progress(progress: ShownProgress): void;
  /** Prints a line, even with `--quiet`. */
  notice(text: string): void;
  /** @param result the beginning of the line that sums up */
  print(lines: readonly string[], result?: string): void;
  /** Prints problems and the line that sums them up, even with `--quiet`. */
  fail(lines: readonly string[]): void;
}

const LIVE_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 5000;
const TICK_MS = 1000;
/** Earlier estimates would depend on the time that connections take, in seconds. */
const ESTIMATED_FROM = 2;
/** Narrower terminals get plain lines, because a live line would be cut. An unknown width is 0. */
const MIN_COLUMNS = 30;

/** ECMA-48. `node:readline` has this, too, but slows down every start. */
const ERASE_LINE = '\x1b[1G\x1b[2K';

const SEPARATOR = ' · ';

/**
 * Creates a reporter for stderr. Progress is one live line on a terminal and a plain line every
 * five seconds elsewhere, as long as there is work: a timer repeats the latest progress, because it
 * also has times that pass.
 */
export function createReporter(
  stream: NodeJS.WriteStream,
  { quiet }: { readonly quiet: boolean },
): Reporter {
  const isTerminal = stream.isTTY && process.env.TERM !== 'dumb';
  const isLive = (): boolean => isTerminal && stream.columns >= MIN_COLUMNS;
  const created = performance.now();
  // Short commands end before the first plain line, after a second.
  let shownAt = created + TICK_MS - PLAIN_INTERVAL_MS;
  let isLineShown = false;
  let latest: ShownProgress | undefined;
  let ticking: NodeJS.Timeout | undefined;

  /** Prints a line whose label, such as `warning`, has a color on terminals. */
  function printLine(text: string, defaultStyle?: 'red' | 'green'): void {
    const style = chooseStyle(text) ?? defaultStyle;
    const line = escapeControls(text);
    const [label = ''] = /^.+?(?=:\s|$)/.exec(line) ?? [];
    // `styleText` checks for a terminal, `FORCE_COLOR` and `NO_COLOR`.
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
  },
});

/** Joins as many parts as the terminal's width allows. */
function fitParts(parts: readonly string[], columns: number): string {
  const line = parts.join(SEPARATOR);
  if (line.length <= columns) return line;
  return fitParts(parts.slice(0, -1), columns);
}

/** What is shown until the total is known. */
const beginnings = { read: 'waiting for the upstream', checked: 'reading the lists' } as const;

/**
 * `1,200 of 3,160 read`, `retrying 3 requests, next in 4 s`, `412 requests/s`, `3 retries`, `20
 * from cache`, `5 s left`
 */
export function formatProgress(progress: ShownProgress, seconds: number): string[] {
  const { done, total, verb = 'read', requests, waiting } = progress;
  const isTotalKnown = total > 0;
  const begun = `${groupDigits(done)} of ${groupDigits(total)} ${verb}`;
  const parts = [isTotalKnown ? begun : beginnings[verb]];
  const retries = waiting?.();
  if (retries && retries.requests > 0) {
    const nextIn = Math.ceil(retries.nextInMs / 1000);
    parts.push(`retrying ${formatCount(retries.requests, 'request')}, next in ${nextIn} s`);
  }
  if (requests && seconds > 0) {
    const rate = Math.round(requests.requests / seconds);
    parts.push(`${formatCount(rate, 'request')}/s`);
  }
  if (requests && requests.retries > 0) parts.push(formatCount(requests.retries, 'retry'));
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
