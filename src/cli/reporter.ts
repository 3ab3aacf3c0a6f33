/** The reporter: tells people on stderr what is going on, in one live line on a terminal, in plain lines elsewhere. */

import type { Progress } from '../sources/source.ts';
import { counted, groupDigits } from '../text/numbers.ts';
import { printable } from '../text/printable.ts';

export interface Reporter {
  progress(progress: Progress): void;
  /** Ends the live line. */
  settle(): void;
  /** Something that the user should know, shown even with `--quiet`. */
  notice(text: string): void;
  /** The result of a command. */
  print(lines: readonly string[]): void;
}

/** The minimum time between two updates of the live line, and between two plain lines, in milliseconds. */
const LIVE_INTERVAL = 100;
const PLAIN_INTERVAL = 5000;

/** To the first column, and erase the line (ECMA-48). `node:readline` has this too, but slows down every start. */
const ERASE_LINE = '\x1b[1G\x1b[2K';

export function createReporter(stream: NodeJS.WriteStream, { quiet }: { quiet: boolean }): Reporter {
  const live = stream.isTTY && process.env.TERM !== 'dumb';
  const started = performance.now();
  let shownAt = started;
  let liveShown = false;

  const line = (text: string): void => void stream.write(`${printable(text)}\n`);
  function settle(): void {
    if (liveShown) stream.write(ERASE_LINE);
    liveShown = false;
  }

  return {
    settle,
    progress(progress) {
      const now = performance.now();
      const isLast = progress.total > 0 && progress.done === progress.total;
      if (quiet || (now - shownAt < (live ? LIVE_INTERVAL : PLAIN_INTERVAL) && !isLast)) return;
      shownAt = now;
      const text = progressLine(progress, (now - started) / 1000);
      if (!live || isLast) {
        settle();
        line(text);
        return;
      }
      stream.write(ERASE_LINE + text.slice(0, stream.columns - 1));
      liveShown = true;
    },
    notice(text) {
      settle();
      line(text);
    },
    print(lines) {
      settle();
      if (!quiet) for (const text of lines) line(text);
    },
  };
}

/** `1,200 of 3,160 read · 412 requests/s · 3 retries · 20 from cache · 5 s left` */
export function progressLine({ done, total, requests }: Progress, seconds: number): string {
  const parts = [`${groupDigits(done)} of ${groupDigits(total)} read`];
  if (seconds > 0) parts.push(`${groupDigits(Math.round(requests.requests / seconds))} requests/s`);
  if (requests.retries > 0) parts.push(counted(requests.retries, 'retry', 'retries'));
  if (requests.cacheHits > 0) parts.push(`${groupDigits(requests.cacheHits)} from cache`);
  if (done > 0 && done < total)
    parts.push(`${groupDigits(Math.ceil((seconds / done) * (total - done)))} s left`);
  return parts.join(' · ');
}
