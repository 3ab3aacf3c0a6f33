/** The stage, beside the published site: the files of the new one that differ, and what may be in the way of them. */

import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type AnyFile, bodyOf, type Entries, isSitePath, type ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { firstOf } from '../contract/words.ts';
import { errorCode, OutputError } from '../errors.ts';
import { explained, foldersOf, statusOf } from '../files.ts';
import type { Change } from './commit.ts';
import { stillLocked } from './lock.ts';
import { entryOf, type Published } from './published.ts';
import type { WorkFolders } from './work-folders.ts';

/**
 * Stages the files that differ from the published ones; without a difference, nothing is touched.
 *
 * @returns the entries of all files, sorted by path, and the paths of those that were staged
 */
export async function stageFiles(
  files: Iterable<AnyFile>,
  work: WorkFolders,
  { published, signal }: { published: Published; signal: AbortSignal | undefined },
): Promise<{ entries: ManifestEntry[]; place: string[] }> {
  const checkPath = createPathCheck();
  const stays = ({ path, sha256 }: ManifestEntry): boolean =>
    published.own.get(path)?.sha256 === sha256 && !published.touched.has(path);
  const entries: ManifestEntry[] = [];
  const place: string[] = [];
  const stage = (file: AnyFile): ManifestEntry => {
    if ('sha256' in file && stays(file)) return { path: file.path, bytes: file.bytes, sha256: file.sha256 };
    const body = bodyOf(file);
    const entry = entryOf(file.path, body);
    if ('sha256' in file && file.sha256 !== entry.sha256)
      throw new OutputError(`got SHA-256 ${entry.sha256}, expected ${file.sha256}`, file.path);
    if (stays(entry)) return entry;
    stageFile(stillLocked(work), file.path, body);
    place.push(file.path);
    return entry;
  };
  for (const file of files) {
    checkPath(file.path);
    entries.push(stage(file));
    // Yields to signals and the progress line now and then.
    if (entries.length % 64 === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), place };
}

const stageFile = ({ fresh, out }: WorkFolders, name: string, body: Uint8Array): void =>
  explained('cannot be written', name, () => {
    const file = path.join(fresh, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, body, { flag: 'wx' });
    stampLater(file, path.join(out, name));
  });

/** The manifest must never be older than a file that it lists, or the next build treats that file as modified. */
export function stageManifest(work: WorkFolders, body: Uint8Array, staged: readonly string[]): void {
  stageFile(work, MANIFEST_FILE, body);
  const [manifest, ...files] = [MANIFEST_FILE, ...staged].map((name) => path.join(work.fresh, name));
  const newest = files.reduce((time, file) => Math.max(time, statSync(file).mtimeMs), 0);
  if (manifest && newest > statSync(manifest).mtimeMs) {
    const time = new Date(Math.ceil(newest));
    utimesSync(manifest, time, time);
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

/** Rejects unsafe paths, and those of which no file system, or not every one, can have both: `a` and `A`, `a` and `a/b`. */
function createPathCheck(): (name: string) => void {
  const files = new Set<string>([MANIFEST_FILE]);
  const folders = new Set<string>();
  return (name) => {
    if (!isSitePath(name)) throw new OutputError('is not a path inside the site', name);
    const key = name.toLowerCase();
    if (files.has(key)) throw new OutputError('occurs twice in the site, ignoring letter case', name);
    const above = foldersOf([key]);
    if (folders.has(key) || [...above].some((folder) => files.has(folder)))
      throw new OutputError('is a file where the site has a folder, or the other way round', name);
    files.add(key);
    for (const folder of above) folders.add(folder);
  };
}

/**
 * Foreign files stay where they are, and are never lost.
 *
 * @throws OutputError if a new file would take the place of a foreign one, or a folder cannot be changed
 */
export function refuseObstacles(
  work: WorkFolders,
  published: Entries,
  { place, remove }: Pick<Change, 'place' | 'remove'>,
): void {
  const folders = foldersOf(remove);
  // What is in the place of a new file, except files that are replaced, and folders that are empty when others are removed.
  const foreignAt = (name: string): string[] => {
    const at = path.join(work.out, name);
    const stat = statusOf(at);
    if (!stat?.isDirectory()) return !stat || published.has(name) || name === MANIFEST_FILE ? [] : [name];
    if (!folders.has(name)) return [`${name}/`];
    return readdirSync(at).flatMap((inside) => foreignAt(`${name}/${inside}`));
  };
  const foreign = place.flatMap(foreignAt);
  if (foreign.length > 0)
    throw new OutputError(`contains files that gamedata did not write: ${firstOf(foreign, 5)}`, work.name, {
      hint: 'Move them elsewhere, or into public/ to make them part of the site.',
    });
  const removed = new Set(remove);
  for (const folder of foldersOf([...place, ...remove])) if (!removed.has(folder)) checkFolder(work, folder);
}

/** Throws if files cannot be renamed into a folder. It may be missing, unless it is that of the site. */
function checkFolder({ name, out, trash }: WorkFolders, inside: string): void {
  const folder = path.join(out, inside);
  const shown = path.join(name, inside);
  const stat = statusOf(folder);
  if (!stat && inside !== '.') return;
  if (stat?.isDirectory() === false) throw new OutputError('is not a folder any more', shown);
  explained('cannot be written', shown, () => accessSync(folder, constants.W_OK | constants.X_OK));
  try {
    // There is no such file. What the system says first is whether the folder is on another file system.
    renameSync(trash + randomUUID(), path.join(folder, randomUUID()));
  } catch (cause) {
    if (errorCode(cause) === 'EXDEV')
      throw new OutputError(`cannot be replaced (EXDEV)`, shown, {
        cause,
        hint: 'Its parent folder must be writable, and the folder itself must not be a mount point.',
      });
  }
}
