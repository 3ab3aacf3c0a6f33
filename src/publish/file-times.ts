import { statSync, utimesSync } from 'node:fs';
import { DAY_MS } from '../contract/words.ts';
import { attempt, readStatus } from '../files.ts';

/**
 * Makes the new manifest newer than the manifest it replaces, and no older than any
 * staged file, because the next build hashes files that are newer than the manifest.
 * The manifest was written last, so only files with a time in the future are newer.
 */
export function setManifestTime(
  draft: string,
  publishedManifest: string,
  latestSetMs: number,
): void {
  setLaterTime(draft, publishedManifest);
  const { mtimeMs } = statSync(draft);
  if (mtimeMs < latestSetMs) setTime(draft, latestSetMs);
}

/**
 * The time in milliseconds by which an mtime may lag behind `Date.now()`, because
 * file systems use a coarser clock.
 */
const CLOCK_MS = 20;

/**
 * Moves a new file's mtime into a later second than the replaced file's mtime,
 * because web servers derive ETags from mtimes in seconds.
 *
 * @returns the new mtime in milliseconds, or 0 if the mtime was not changed
 */
export function setLaterTime(file: string, replacedFile: string): number {
  const replaced = readStatus(replacedFile);
  if (!replaced?.isFile()) return 0;
  const now = Date.now();
  // An mtime far in the future is a mistake, so new files should not get an even
  // later one.
  if (replaced.mtimeMs > now + DAY_MS) return 0;
  const replacedSecond = Math.floor(replaced.mtimeMs / 1000);
  const ownSecond = Math.floor((now - CLOCK_MS) / 1000);
  // The new file was just written, so its mtime is already in a later second.
  if (ownSecond > replacedSecond) return 0;
  const nextSecondMs = (replacedSecond + 1) * 1000;
  const laterMs = Math.max(nextSecondMs, now);
  setTime(file, laterMs);
  return laterMs;
}

/**
 * Sets a file's mtime. Failures are ignored, because shared folders and sandboxes
 * may not allow setting times.
 */
function setTime(file: string, mtimeMs: number): void {
  const time = new Date(Math.ceil(mtimeMs));
  attempt(() => utimesSync(file, time, time));
}
