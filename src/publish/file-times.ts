import { utimesSync } from 'node:fs';
import { DAY_MS } from '../contract/words.ts';
import { attempt, readStatus } from '../files.ts';

/**
 * The time in milliseconds by which an mtime may lag behind `Date.now()`, because
 * file systems use a coarser clock.
 */
const CLOCK_MS = 20;

/**
 * Moves a new file's mtime into a later second than the replaced file's mtime,
 * because web servers derive ETags from mtimes in seconds. Does nothing if no file is
 * replaced.
 */
export function setLaterTime(file: string, replacedFile: string): void {
  const replaced = readStatus(replacedFile);
  if (!replaced?.isFile()) return;
  const now = Date.now();
  // An mtime far in the future is a mistake, so new files should not get an even
  // later one.
  if (replaced.mtimeMs > now + DAY_MS) return;
  const replacedSecond = Math.floor(replaced.mtimeMs / 1000);
  const nextSecondMs = (replacedSecond + 1) * 1000;
  // The new file was written a moment ago, and the file system's clock may lag behind.
  const earliestMtimeMs = now - CLOCK_MS;
  if (earliestMtimeMs >= nextSecondMs) return;
  const time = new Date(Math.max(nextSecondMs, now));
  // Shared folders and sandboxes may not allow setting times.
  attempt(() => utimesSync(file, time, time));
}
