/** The stage, beside the published site: the files of the new one that differ. */

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ManifestEntry } from '../contract/meta.ts';
import { type AnyFile, bodyOf } from '../contract/site-file.ts';
import { errorCode, OutputError } from '../errors.ts';
import { statusOf } from '../files.ts';
import { entryOf, type Published } from './published.ts';
import { createPathCheck } from './site-paths.ts';
import type { WorkFolders } from './work-folders.ts';

export interface StageOptions {
  readonly published: Published;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stages the files that differ from the published ones; without a difference, nothing is touched.
 *
 * @returns the entries of all files, sorted by path, and the paths of those that were staged
 */
export async function stageFiles(
  files: Iterable<AnyFile>,
  work: WorkFolders,
  { published, signal }: StageOptions,
): Promise<{ entries: ManifestEntry[]; place: string[] }> {
  const checkPath = createPathCheck();
  const stays = ({ path, sha256 }: ManifestEntry): boolean =>
    published.own.get(path)?.sha256 === sha256 && !published.touched.has(path);
  const entries: ManifestEntry[] = [];
  const place: string[] = [];
  for (const file of files) {
    checkPath(file.path);
    let entry: ManifestEntry;
    if ('sha256' in file && stays(file)) {
      entry = { path: file.path, bytes: file.bytes, sha256: file.sha256 };
    } else {
      const body = bodyOf(file);
      entry = entryOf(file.path, body);
      if ('sha256' in file && file.sha256 !== entry.sha256)
        throw new OutputError(`got SHA-256 ${entry.sha256}, expected ${file.sha256}`, file.path);
      if (!stays(entry)) {
        stageFile(work, file.path, body, published.own.has(file.path));
        place.push(file.path);
      }
    }
    entries.push(entry);
    // Yields to signals and the progress line now and then.
    if (entries.length % 64 === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), place };
}

/**
 * @param replaces whether a published file has its place
 * @throws OutputError if it cannot be written
 */
export function stageFile(
  { fresh, out }: WorkFolders,
  name: string,
  body: Uint8Array,
  replaces: boolean,
): void {
  const file = path.join(fresh, name);
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, body, { flag: 'wx' });
    if (replaces) stampLater(file, path.join(out, name));
  } catch (cause) {
    throw new OutputError(`cannot be written (${errorCode(cause)})`, name, { cause });
  }
}

/** How far the clock of files may be behind. */
const CLOCK_MS = 20;
const DAY_MS = 86_400_000;

/**
 * Many web servers derive a file's validators from its time in seconds: what takes its place is of a later second, even if
 * one build follows the other at once.
 */
function stampLater(file: string, replaced: string): void {
  const last = statusOf(replaced);
  if (!last?.isFile()) return;
  const second = Math.floor(last.mtimeMs / 1000);
  const now = Date.now();
  // Now is another second than one that is past, or far in the future: a later one would seem touched in every build.
  const isPast = second < Math.floor((now - CLOCK_MS) / 1000);
  if (isPast || last.mtimeMs > now + DAY_MS) return;
  // Never before now, which has been rounded down, as the manifest has to be the newest.
  const time = new Date(Math.max((second + 1) * 1000, now + 1));
  utimesSync(file, time, time);
}
