import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  encodeBody,
  isSitePath,
  type ManifestEntry,
  type SiteFile,
} from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { DAY_MS } from '../contract/words.ts';
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
  /** All files in the new site, sorted by path. */
  readonly entries: readonly ManifestEntry[];
  /** The paths of the files that differ from the published files. */
  readonly staged: readonly string[];
  /**
   * The latest mtime that a staged file was given, in milliseconds. 0 if all files
   * have the time at which they were written.
   */
  readonly latestSetMs: number;
}

/** A file of the new site, and whether it had to be staged. */
interface PreparedFile {
  readonly entry: ManifestEntry;
  readonly isStaged: boolean;
  /** The mtime that the file was given, or 0. */
  readonly setMs: number;
}

/**
 * Stages the new site's files that differ from the published files.
 *
 * @throws OutputError if a path is unsafe, or if a file cannot be written
 */
export async function stageFiles(
  files: Iterable<SiteFile>,
  context: StageContext,
): Promise<StagedFiles> {
  const assertValidPath = createPathCheck();
  const entries: ManifestEntry[] = [];
  const staged: string[] = [];
  let latestSetMs = 0;
  for (const file of files) {
    assertValidPath(file.path);
    const { entry, isStaged, setMs } = stageFile(file, context);
    entries.push(entry);
    if (isStaged) staged.push(file.path);
    latestSetMs = Math.max(latestSetMs, setMs);
    // Signals such as SIGINT are handled only during these pauses.
    if (entries.length % FILES_AT_ONCE === 0) await setImmediate();
    context.signal?.throwIfAborted();
  }
  entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { entries, staged, latestSetMs };
}

const FILES_AT_ONCE = 64;

/** Stages a file unless the published file is the same. */
function stageFile(
  file: SiteFile,
  { paths, published, staging }: StageContext,
): PreparedFile {
  const body = encodeBody(file);
  const entry = createEntry(file.path, body);
  if (isPublished(entry, published)) return { entry, isStaged: false, setMs: 0 };
  explainFailure('cannot be written', file.path, () => {
    staging.write(`site/${file.path}`, body);
  });
  const stagedFile = path.join(paths.staged, file.path);
  const replacedFile = path.join(paths.out, file.path);
  const isReplacement = published.entries.has(file.path);
  const setMs = isReplacement ? setLaterTime(stagedFile, replacedFile) : 0;
  return { entry, isStaged: true, setMs };
}

/** Returns whether the published file has this hash. */
function isPublished(
  { path: file, sha256 }: ManifestEntry,
  published: Published,
): boolean {
  if (published.modified.has(file)) return false;
  return published.entries.get(file)?.sha256 === sha256;
}

/**
 * Returns a function that rejects unsafe paths and pairs of paths that some file
 * systems cannot store together, such as `a` and `A`, or `a` and `a/b`.
 */
function createPathCheck(): (name: string) => void {
  const files = new Set<string>([MANIFEST_FILE]);
  const folders = new Set<string>();
  return (name) => {
    if (!isSitePath(name)) {
      throw new OutputError('is not a path inside the site', name);
    }
    const key = name.toLowerCase();
    if (files.has(key)) {
      throw new OutputError('occurs twice in the site, ignoring letter case', name);
    }
    const parentFolders = [...listParentFolders([key])];
    const isFolder = folders.has(key);
    const isInFile = parentFolders.some((folder) => files.has(folder));
    if (isFolder || isInFile) {
      throw new OutputError(
        'is a file where the site has a folder, or the other way round',
        name,
      );
    }
    files.add(key);
    for (const folder of parentFolders) folders.add(folder);
  };
}

/**
 * Sets a file's mtime. Failures are ignored, because shared folders and sandboxes
 * may not allow setting times.
 */
function setTime(file: string, mtimeMs: number): void {
  const time = new Date(Math.ceil(mtimeMs));
  attempt(() => fs.utimesSync(file, time, time));
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
function setLaterTime(file: string, replacedFile: string): number {
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

interface Commit extends Pick<StagedFiles, 'staged' | 'latestSetMs'> {
  readonly manifest: Uint8Array;
  /** The SHA-256 of the published manifest. Empty for a first site. */
  readonly replacedHash: string;
}

/**
 * Commits the staged files by renaming their manifest to its final name. From then
 * on, the next build completes the change if this build cannot. Therefore everything
 * that the change needs is written and flushed before the rename: the hash of the
 * manifest that it replaces, the files with their final modes and times, and the
 * manifest under a temporary name.
 */
export function commit(paths: LockedPaths, staging: Staging, change: Commit): void {
  explainFailure('cannot be committed', paths.name, () => {
    staging.write('replaced', change.replacedHash);
    staging.write(MANIFEST_FILE, change.manifest);
    const isFirstSite = !fs.existsSync(paths.out);
    if (!isFirstSite) assertRenamesReplace(paths, staging);
    setPermissions(paths.staged, change.staged, paths.permissions);
    setPermissions(paths.staging, [MANIFEST_FILE], paths.permissions);
    setManifestTime(paths, change.latestSetMs);
    flushAll(paths.staged, change.staged);
    const draft = path.join(paths.staging, MANIFEST_FILE);
    flush(paths.replacedFile);
    flush(draft);
    flush(paths.staging);
    staging.assertSame();
    paths.lock.assertHeld();
    fs.renameSync(draft, path.join(paths.staged, MANIFEST_FILE));
    flush(paths.staged);
  });
}

/**
 * Tests whether the file system can replace a file by renaming another one over it.
 * Otherwise, the site would stay partly new forever. The test file is removed along
 * with the staging folder.
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
  const rename = (): void =>
    fs.renameSync(path.join(folder, from), path.join(folder, to));
  const hint =
    'Its file system must allow replacing a file by renaming another. Choose another folder.';
  explainFailure('cannot be changed', name, rename, hint);
}

/**
 * Makes the new manifest newer than the manifest it replaces, and no older than any
 * staged file, because the next build hashes files that are newer than the manifest.
 * The manifest was written last, so only files with a time in the future are newer.
 */
function setManifestTime({ out, staging }: LockedPaths, latestSetMs: number): void {
  const draft = path.join(staging, MANIFEST_FILE);
  setLaterTime(draft, path.join(out, MANIFEST_FILE));
  const { mtimeMs } = fs.statSync(draft);
  setTime(draft, Math.max(mtimeMs, latestSetMs));
}

/**
 * Flushes files and their folders to the disk. A single `sync -f` for the whole file
 * system is faster than thousands of fsync calls. We use it only on Linux, because
 * other systems may ignore `-f`.
 */
export function flushAll(folder: string, files: readonly string[]): void {
  if (process.platform === 'linux') {
    const { status } = spawnSync('sync', ['-f', folder], { stdio: 'ignore' });
    if (status === 0) return;
  }
  for (const file of files) flush(path.join(folder, file));
  for (const inside of listParentFolders(files)) flush(path.join(folder, inside));
}

/**
 * Error codes that are ignored when opening a file to flush it: some systems cannot
 * open folders, and a file may have been removed.
 */
const UNOPENABLE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'];
/**
 * Error codes that mean that data was lost. Any other error only means that the
 * system cannot flush this file or folder.
 */
const LOST_DATA = ['EIO', 'ENOSPC', 'EDQUOT'];

/** Flushes a file or folder to the disk if the system supports it. */
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
