/** The reporter: tells people on stderr what is going on, in one live line on a terminal, in plain lines elsewhere. */

import { styleText } from 'node:util';
import { counted, groupDigits, printable } from '../contract/words.ts';
import type { Watchers } from '../sources/capture.ts';
import type { Progress } from '../sources/source.ts';

export type Reporter = ReturnType<typeof createReporter>;

/** The minimum time between two updates of the live line, and between two plain lines, in milliseconds. */
const LIVE_INTERVAL = 100;
const PLAIN_INTERVAL = 5000;
/** Before that, an estimate would say more about connections than about the rest, in seconds. */
const ESTIMATED_FROM = 2;
/** A line that is older is written again, even if nothing has happened but that time has passed. */
const TICK = 1000;
/** On a narrower terminal, a live line would lose what matters: it gets plain lines. 0 stands for an unknown width. */
const MIN_COLUMNS = 30;

/** On a terminal that is narrower, what it does with long lines is no worse. */
const MIN_WRAPPED = 60;

/** How what a line begins with, up to a colon, is coloured. */
const styles = [
  [/^(?:error|FAIL)\b/, 'red'],
  [/^warning\b/i, 'yellow'],
] as const;
type Style = (typeof styles)[number][1] | 'green';

/** To the first column, and erase the line (ECMA-48). `node:readline` has this too, but slows down every start. */
const ERASE_LINE = '\x1b[1G\x1b[2K';

export function createReporter(stream: NodeJS.WriteStream, { quiet }: { quiet: boolean }) {
  const isTerminal = stream.isTTY && process.env.TERM !== 'dumb';
  const isLive = (): boolean => isTerminal && stream.columns >= MIN_COLUMNS;
  const started = performance.now();
  // The first plain line comes after a second: whatever is done by then needs none.
  let shownAt = started + TICK - PLAIN_INTERVAL;
  let liveShown = false;
  let latest: Progress | undefined;
  let ticking: NodeJS.Timeout | undefined;

  /** @param style of a line whose beginning has none; one for terminals, unless `FORCE_COLOR` or `NO_COLOR` says otherwise */
  function line(text: string, style?: Style): void {
    const shown = printable(text);
    const [, own = style] = styles.find(([beginning]) => beginning.test(text)) ?? [];
    const isWide = isTerminal && stream.columns >= MIN_WRAPPED;
    const rows = isWide && shown.length > stream.columns ? wrapped(shown, stream.columns) : shown;
    const paint = (label: string): string => (own ? styleText(own, label, { stream }) : label);
    stream.write(`${rows.replace(/^.+?(?=\n|:\s|$)/, paint)}\n`);
  }
  function settle(): void {
    if (liveShown) stream.write(ERASE_LINE);
    liveShown = false;
    clearInterval(ticking);
    ticking = undefined;
  }
  function show(progress: Progress): void {
    const now = performance.now();
    const isLast = progress.total > 0 && progress.done === progress.total;
    if (quiet || (now - shownAt < (isLive() ? LIVE_INTERVAL : PLAIN_INTERVAL) && !isLast)) return;
    shownAt = now;
    const parts = progressParts(progress, (now - started) / 1000);
    if (isLast) settle();
    if (isLast || !isLive()) {
      line(parts.join(SEPARATOR));
      return;
    }
    stream.write(ERASE_LINE + fitting(parts, stream.columns - 1));
    liveShown = true;
  }

  return {
    /** Ends the live line. */
    settle,
    progress(progress: Progress): void {
      latest = progress;
      ticking ??= setInterval(() => latest && show(latest), TICK).unref();
      show(progress);
    },
    /** Something that the user should know, shown even with `--quiet`. */
    notice(text: string): void {
      settle();
      line(text);
    },
    /** @param result what the line that sums up begins with */
    print(lines: readonly string[], result = lines.at(-1)): void {
      settle();
      if (quiet || result === undefined) return;
      for (const text of lines) line(text, text.startsWith(result) ? 'green' : undefined);
    },
    /** What was found, and the line that sums it up, shown even with `--quiet`. */
    fail(lines: readonly string[]): void {
      settle();
      for (const [at, text] of lines.entries()) line(text, at === lines.length - 1 ? 'red' : undefined);
    },
  };
}

/** What a build or a snapshot tells while it reads. */
export const watch = ({ progress, notice }: Reporter): Watchers => ({
  onProgress: progress,
  onNotice: (text) => notice(`warning: ${text}`),
  onFallback(message, cause) {
    notice(`WARNING: ${message}`);
    if (cause) notice(`  ${cause.message}`);
  },
});

const SEPARATOR = ' · ';

/** Words, and commands that a shell could not put together again: they stay whole, to be copied. */
const WORDS = /(?<=^next: )(?=.* # ).*$|(?<=by hand: ).*$|(?<=: )gamedata .*$|\S+/g;
const CONTINUED = /^next: (?!.* # ).* && /;

/** Breaks a line between words, into lines that fit where the words do. */
function wrapped(text: string, columns: number): string {
  const end = CONTINUED.test(text) ? ' \\' : '';
  const [indent = ''] = /^ */.exec(text) ?? [];
  const [first = '', ...words] = text.match(WORDS) ?? [];
  const rows: string[] = [];
  let row = indent + first;
  for (const word of words) {
    if (row.length + 1 + word.length + end.length <= columns) {
      row += ` ${word}`;
      continue;
    }
    rows.push(row + end);
    row = `${indent}  ${word}`;
  }
  return [...rows, row].join('\n');
}

/** As many of the parts as a line has room for: none is cut. */
function fitting(parts: readonly string[], columns: number): string {
  const line = parts.join(SEPARATOR);
  return line.length > columns ? fitting(parts.slice(0, -1), columns) : line;
}

/** `1,200 of 3,160 read`, `retrying 3 requests, next in 4 s`, `412 requests/s`, `3 retries`, `20 from cache`, `5 s left` */
export function progressParts({ done, total, requests, waiting }: Progress, seconds: number): string[] {
  const parts = [
    total > 0 ? `${groupDigits(done)} of ${groupDigits(total)} read` : 'waiting for the upstream',
  ];
  const { requests: retried, nextInMs } = waiting();
  if (retried > 0)
    parts.push(`retrying ${counted(retried, 'request')}, next in ${Math.ceil(nextInMs / 1000)} s`);
  if (seconds > 0) parts.push(`${counted(Math.round(requests.requests / seconds), 'request')}/s`);
  if (requests.retries > 0) parts.push(counted(requests.retries, 'retry'));
  if (requests.cacheHits > 0) parts.push(`${groupDigits(requests.cacheHits)} from cache`);
  if (done > 0 && done < total && seconds >= ESTIMATED_FROM)
    parts.push(`${groupDigits(Math.ceil((seconds / done) * (total - done)))} s left`);
  return parts;
}
