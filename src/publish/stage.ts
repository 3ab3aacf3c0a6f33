import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type AnyFile, encodeBody, isSitePath, type ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, listParentFolders, readStatus } from '../files.ts';
import type { LockedPaths } from './lock.ts';
import { setPermissions } from './permissions.ts';
import { createEntry, type Published } from './read-published.ts';

/** Stages the files that differ from the published ones. Returns the sorted entries of all files, and the staged paths. */
export async function stageFiles(
  files: Iterable<AnyFile>,
  paths: LockedPaths,
  { published, signal }: { published: Published; signal: AbortSignal | undefined },
): Promise<{ entries: ManifestEntry[]; staged: string[] }> {
  const assertValidPath = createPathCheck();
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
    paths.lock.assertHeld();
    explainFailure('cannot be written', file.path, () => {
      const target = path.join(paths.staged, file.path);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, body, { flag: 'wx' });
      if (published.entries.has(file.path)) setLaterTime(target, path.join(paths.out, file.path));
    });
    staged.push(file.path);
    return entry;
  };
  for (const file of files) {
    assertValidPath(file.path);
    entries.push(stage(file));
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
    if (files.has(key))
      throw new OutputError('occurs twice in the site, ignoring letter case', name);
    const above = listParentFolders([key]);
    if (folders.has(key) || [...above].some((folder) => files.has(folder)))
      throw new OutputError('is a file where the site has a folder, or the other way round', name);
    files.add(key);
    for (const folder of above) folders.add(folder);
  };
}

function setTime(file: string, mtimeMs: number): void {
  const time = new Date(Math.ceil(mtimeMs));
  fs.utimesSync(file, time, time);
}

/** An mtime may lag behind `Date.now()` by this much, because file systems use a coarser clock. */
const CLOCK_MS = 20;
const DAY_MS = 86_400_000;

/** Sets an mtime in a later second than the replaced file's, because web servers derive ETags from mtimes in seconds. */
function setLaterTime(file: string, replaced: string): void {
  const status = readStatus(replaced);
  const now = Date.now();
  // A time far in the future would make the file look modified in every build.
  if (!status?.isFile() || status.mtimeMs > now + DAY_MS) return;
  const second = Math.floor(status.mtimeMs / 1000);
  if (second < Math.floor((now - CLOCK_MS) / 1000)) return;
  setTime(file, Math.max((second + 1) * 1000, now));
}

/**
 * Commits the staged files. As soon as their manifest is on disk, the next build completes the change.
 *
 * @param replacedHash the SHA-256 of the published manifest; empty for a first site
 */
export function commit(
  paths: LockedPaths,
  {
    files,
    manifest,
    replacedHash,
  }: { files: readonly string[]; manifest: Uint8Array; replacedHash: string },
): void {
  const { name, out, staging, staged, lock, permissions } = paths;
  const draft = path.join(staging, MANIFEST_FILE);
  explainFailure('cannot be committed', name, () => {
    lock.assertHeld();
    fs.mkdirSync(staged, { recursive: true });
    lock.assertHeld();
    fs.writeFileSync(paths.replacedFile, replacedHash);
    lock.assertHeld();
    fs.writeFileSync(draft, manifest);
    setPermissions(staged, files, permissions);
    setPermissions(staging, [MANIFEST_FILE], permissions);
    setLaterTime(draft, path.join(out, MANIFEST_FILE));
    // The next build treats files that are newer than the manifest as modified.
    const all = [draft, ...files.map((file) => path.join(staged, file))];
    const newest = all.reduce((latest, file) => Math.max(latest, fs.statSync(file).mtimeMs), 0);
    setTime(draft, newest);
    flushAll(staged, files);
    for (const file of [paths.replacedFile, draft, staging]) flush(file);
    lock.assertHeld();
    fs.renameSync(draft, path.join(staged, MANIFEST_FILE));
    flush(staged);
  });
}

/** One `sync -f` is faster than thousands of fsync calls. Other systems may ignore `-f`. */
export function flushAll(folder: string, files: readonly string[]): void {
  const isLinux = process.platform === 'linux';
  if (isLinux && spawnSync('sync', ['-f', folder], { stdio: 'ignore' }).status === 0) return;
  for (const file of [...files, ...listParentFolders(files)]) flush(path.join(folder, file));
}

export function flush(file: string): void {
  const descriptor = attempt(
    () => fs.openSync(file, 'r'),
    'ENOENT',
    'ENOTDIR',
    'EISDIR',
    'EPERM',
    'EACCES',
  );
  if (descriptor === undefined) return;
  try {
    attempt(() => fs.fsyncSync(descriptor), 'EINVAL', 'EPERM', 'ENOTSUP', 'EROFS');
  } finally {
    fs.closeSync(descriptor);
  }
}
