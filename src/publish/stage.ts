import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type AnyFile, encodeBody, isSitePath, type ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { attempt, explainFailure, listParentFolders, readStatus } from '../files.ts';
import { createEntry } from '../site/manifest.ts';
import type { LockedPaths } from './lock.ts';
import { setPermissions } from './permissions.ts';
import type { Published } from './read-published.ts';
import type { Staging } from './staging.ts';

interface StageContext {
  readonly paths: LockedPaths;
  readonly published: Published;
  readonly staging: Staging;
  readonly signal: AbortSignal | undefined;
}

export interface StagedFiles {
  /** All files of the new site, sorted by path. */
  readonly entries: readonly ManifestEntry[];
  /** The paths of the files that differ from the published ones. */
  readonly staged: readonly string[];
}

/**
 * Stages the files of a new site that differ from the published ones. Bodies are generated one at a
 * time and only if the published file has another hash, so that a large site needs little memory
 * and a small change little time.
 *
 * @throws OutputError if a path is unsafe, a body does not have its known hash, or a file cannot be
 * written
 */
export async function stageFiles(
  files: Iterable<AnyFile>,
  { paths, published, staging, signal }: StageContext,
): Promise<StagedFiles> {
  const assertValidPath = createPathCheck();
  const entries: ManifestEntry[] = [];
  const staged: string[] = [];
  const stage = (file: AnyFile): ManifestEntry => {
    if ('sha256' in file && isPublished(file, published))
      return { path: file.path, bytes: file.bytes, sha256: file.sha256 };
    const body = encodeBody(file);
    const entry = createCheckedEntry(file, body);
    if (isPublished(entry, published)) return entry;
    explainFailure('cannot be written', file.path, () => {
      staging.write(`site/${file.path}`, body);
    });
    if (published.entries.has(file.path))
      setLaterTime(path.join(paths.staged, file.path), path.join(paths.out, file.path));
    staged.push(file.path);
    return entry;
  };
  for (const file of files) {
    assertValidPath(file.path);
    entries.push(stage(file));
    // Lets signals be handled.
    if (entries.length % 64 === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { entries, staged };
}

const isPublished = ({ path: file, sha256 }: ManifestEntry, published: Published): boolean =>
  published.entries.get(file)?.sha256 === sha256 && !published.modified.has(file);

function createCheckedEntry(file: AnyFile, body: Uint8Array): ManifestEntry {
  const entry = createEntry(file.path, body);
  if ('sha256' in file && file.sha256 !== entry.sha256)
    throw new OutputError(`got SHA-256 ${entry.sha256}, expected ${file.sha256}`, file.path);
  return entry;
}

/**
 * Rejects unsafe paths and pairs that not every file system can hold: `a` and `A`, `a` and `a/b`.
 */
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

/** Ignores failures, because shared folders and sandboxes may refuse to set times. */
function setTime(file: string, mtimeMs: number): void {
  const time = new Date(Math.ceil(mtimeMs));
  attempt(() => fs.utimesSync(file, time, time));
}

/** An mtime may lag behind `Date.now()` by this much, because file systems use a coarser clock. */
const CLOCK_MS = 20;
const DAY_MS = 86_400_000;

/**
 * Sets an mtime in a later second than the replaced file's, because web servers derive ETags from
 * mtimes in seconds.
 */
function setLaterTime(file: string, replaced: string): void {
  const status = readStatus(replaced);
  const now = Date.now();
  // A time far in the future was a mistake, which new files must not continue.
  if (!status?.isFile() || status.mtimeMs > now + DAY_MS) return;
  const second = Math.floor(status.mtimeMs / 1000);
  if (second < Math.floor((now - CLOCK_MS) / 1000)) return;
  setTime(file, Math.max((second + 1) * 1000, now));
}

interface Commit {
  /** The paths of the staged files. */
  readonly files: readonly string[];
  readonly manifest: Uint8Array;
  /** The SHA-256 of the published manifest; empty for a first site. */
  readonly replacedHash: string;
}

/**
 * Commits the staged files: as soon as their manifest has its final name, the next build completes
 * the change if this one cannot. Therefore everything that the change needs comes first and is
 * flushed: the hash of the manifest that is replaced, the files with their final modes and times,
 * and the manifest under another name. The last step is the rename.
 */
export function commit(paths: LockedPaths, staging: Staging, change: Commit): void {
  explainFailure('cannot be committed', paths.name, () => {
    staging.write('replaced', change.replacedHash);
    staging.write(MANIFEST_FILE, change.manifest);
    const isFirstSite = !fs.existsSync(paths.out);
    if (!isFirstSite) assertRenamesReplace(paths, staging);
    setPermissions(paths.staged, change.files, paths.permissions);
    setPermissions(paths.staging, [MANIFEST_FILE], paths.permissions);
    setManifestTime(paths, change.files);
    flushAll(paths.staged, change.files);
    const draft = path.join(paths.staging, MANIFEST_FILE);
    for (const file of [paths.replacedFile, draft, paths.staging]) flush(file);
    staging.assertSame();
    paths.lock.assertHeld();
    fs.renameSync(draft, path.join(paths.staged, MANIFEST_FILE));
    flush(paths.staged);
  });
}

/**
 * Renames one of our own files over another, because a file system that refuses this would leave
 * the site partly new forever. The remaining file is removed with the staging folder.
 */
function assertRenamesReplace(
  { name, staging: folder, lock }: LockedPaths,
  staging: Staging,
): void {
  const from = 'probe-1';
  const to = 'probe-2';
  staging.write(from, '');
  staging.write(to, '');
  lock.assertHeld();
  const rename = (): void => fs.renameSync(path.join(folder, from), path.join(folder, to));
  const hint =
    'Its file system must allow replacing a file by renaming another. Choose another folder with --out.';
  explainFailure('cannot be changed', name, rename, hint);
}

/**
 * Makes the manifest newer than the replaced one, and never older than a staged file, because the
 * next build compares such files.
 */
function setManifestTime({ out, staging, staged }: LockedPaths, files: readonly string[]): void {
  const draft = path.join(staging, MANIFEST_FILE);
  setLaterTime(draft, path.join(out, MANIFEST_FILE));
  let newest = fs.statSync(draft).mtimeMs;
  for (const file of files) newest = Math.max(newest, fs.statSync(path.join(staged, file)).mtimeMs);
  setTime(draft, newest);
}

/** One `sync -f` is faster than thousands of fsync calls. Other systems may ignore `-f`. */
export function flushAll(folder: string, files: readonly string[]): void {
  const isLinux = process.platform === 'linux';
  if (isLinux && spawnSync('sync', ['-f', folder], { stdio: 'ignore' }).status === 0) return;
  for (const file of [...files, ...listParentFolders(files)]) flush(path.join(folder, file));
}

/** Some systems cannot open a folder. Files may have been removed. */
const UNOPENABLE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'];
/** With any other error, the system cannot flush this file or folder, but it has lost nothing. */
const LOST_DATA = ['EIO', 'ENOSPC', 'EDQUOT'];

/** Flushes a file or folder to the disk, as far as the system supports it. */
export function flush(file: string): void {
  const descriptor = attempt(() => fs.openSync(file, 'r'), ...UNOPENABLE);
  if (descriptor === undefined) return;
  try {
    fs.fsyncSync(descriptor);
  } catch (error) {
    if (LOST_DATA.includes(errorCode(error))) throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}
