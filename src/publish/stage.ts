/** Staging: the files of the new site that differ are written next to the published site. */

import { mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type AnyFile, encodeBody, isSitePath, type ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { explainFailure, listParentFolders, readStatus } from '../files.ts';
import { flush, flushAll } from './flush.ts';
import type { Lock } from './lock.ts';
import { type Permissions, setPermissions } from './permissions.ts';
import { createEntry, type Published } from './read-published.ts';
import type { WorkPaths } from './work-paths.ts';

/**
 * Stages the files that differ from the published ones.
 *
 * @returns the entries of all files, sorted by path, and the paths of the staged ones
 */
export async function stageFiles(
  files: Iterable<AnyFile>,
  paths: WorkPaths,
  { published, lock, signal }: { published: Published; lock: Lock; signal: AbortSignal | undefined },
): Promise<{ entries: ManifestEntry[]; staged: string[] }> {
  const checkPath = createPathCheck();
  const isUnchanged = ({ path, sha256 }: ManifestEntry): boolean =>
    published.entries.get(path)?.sha256 === sha256 && !published.modified.has(path);
  const entries: ManifestEntry[] = [];
  const staged: string[] = [];
  const stage = (file: AnyFile): ManifestEntry => {
    if ('sha256' in file && isUnchanged(file))
      return { path: file.path, bytes: file.bytes, sha256: file.sha256 };
    const body = encodeBody(file);
    const entry = createEntry(file.path, body);
    if ('sha256' in file && file.sha256 !== entry.sha256)
      throw new OutputError(`got SHA-256 ${entry.sha256}, expected ${file.sha256}`, file.path);
    if (isUnchanged(entry)) return entry;
    lock.assertHeld();
    stageFile(paths, file.path, body, published.entries.has(file.path));
    staged.push(file.path);
    return entry;
  };
  for (const file of files) {
    checkPath(file.path);
    entries.push(stage(file));
    // Lets signals and the progress line in.
    if (entries.length % 64 === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), staged };
}

/** Rejects unsafe paths and pairs that not every file system can hold: `a` and `A`, `a` and `a/b`. */
function createPathCheck(): (name: string) => void {
  const files = new Set<string>([MANIFEST_FILE]);
  const folders = new Set<string>();
  return (name) => {
    if (!isSitePath(name)) throw new OutputError('is not a path inside the site', name);
    const key = name.toLowerCase();
    if (files.has(key)) throw new OutputError('occurs twice in the site, ignoring letter case', name);
    const above = listParentFolders([key]);
    if (folders.has(key) || [...above].some((folder) => files.has(folder)))
      throw new OutputError('is a file where the site has a folder, or the other way round', name);
    files.add(key);
    for (const folder of above) folders.add(folder);
  };
}

function stageFile({ staged, out }: WorkPaths, name: string, body: Uint8Array, isReplaced: boolean): void {
  explainFailure('cannot be written', name, () => {
    const file = path.join(staged, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, body, { flag: 'wx' });
    const time = isReplaced ? laterTime(path.join(out, name)) : undefined;
    if (time !== undefined) setTime(file, time);
  });
}

function setTime(file: string, mtimeMs: number): void {
  const time = new Date(Math.ceil(mtimeMs));
  utimesSync(file, time, time);
}

/** How far the clock of the file system may be behind. */
const CLOCK_MS = 20;
const DAY_MS = 86_400_000;

/**
 * The mtime for a new version of a file, in a later second, because web servers derive ETags from the mtime in seconds; undefined
 * if the current time is right.
 */
function laterTime(replaced: string): number | undefined {
  const status = readStatus(replaced);
  const now = Date.now();
  // A time far in the future would make the file look modified in every build.
  if (!status?.isFile() || status.mtimeMs > now + DAY_MS) return undefined;
  const second = Math.floor(status.mtimeMs / 1000);
  if (second < Math.floor((now - CLOCK_MS) / 1000)) return undefined;
  return Math.max((second + 1) * 1000, now);
}

/**
 * Commits the staged files: as soon as their manifest is on disk, the next build completes the change.
 *
 * @param replaced the SHA-256 of the published manifest; empty for a first site
 */
export function commit(
  paths: WorkPaths,
  { files, manifest, replaced }: { files: readonly string[]; manifest: Uint8Array; replaced: string },
  lock: Lock,
  permissions: Permissions,
): void {
  const { name, out, staging, staged } = paths;
  const draft = path.join(staging, MANIFEST_FILE);
  explainFailure('cannot be committed', name, () => {
    lock.assertHeld();
    mkdirSync(staged, { recursive: true });
    lock.assertHeld();
    writeFileSync(paths.replaced, replaced);
    lock.assertHeld();
    writeFileSync(draft, manifest);
    setPermissions(staged, files, permissions);
    setPermissions(staging, [MANIFEST_FILE], permissions);
    // The manifest must never be older than its files, or the next build treats them as modified.
    const times = files.map((file) => statSync(path.join(staged, file)).mtimeMs);
    const later = laterTime(path.join(out, MANIFEST_FILE)) ?? 0;
    const newest = times.reduce((latest, time) => Math.max(latest, time), later);
    if (newest > statSync(draft).mtimeMs) setTime(draft, newest);
    flushAll(staged, files);
    for (const file of [paths.replaced, draft, staging]) flush(file);
    lock.assertHeld();
    renameSync(draft, path.join(staged, MANIFEST_FILE));
    flush(staged);
  });
}
