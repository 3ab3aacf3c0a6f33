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

/** A file of the new site, and whether it was staged. */
interface PreparedFile {
  readonly entry: ManifestEntry;
  readonly isStaged: boolean;
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
  context: StageContext,
): Promise<StagedFiles> {
  const assertValidPath = createPathCheck();
  const entries: ManifestEntry[] = [];
  const staged: string[] = [];
  for (const file of files) {
    assertValidPath(file.path);
    const { entry, isStaged } = stageFile(file, context);
    entries.push(entry);
    if (isStaged) staged.push(file.path);
    // Signals are handled only between such pauses.
    if (entries.length % FILES_AT_ONCE === 0) await setImmediate();
    context.signal?.throwIfAborted();
  }
  entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { entries, staged };
}

const FILES_AT_ONCE = 64;

/** Stages a file unless the published one is the same. */
function stageFile(file: AnyFile, { paths, published, staging }: StageContext): PreparedFile {
  if ('sha256' in file && isPublished(file, published)) {
    const { path: name, bytes, sha256 } = file;
    return { entry: { path: name, bytes, sha256 }, isStaged: false };
  }
  const body = encodeBody(file);
  const entry = createCheckedEntry(file, body);
  if (isPublished(entry, published)) return { entry, isStaged: false };
  explainFailure('cannot be written', file.path, () => {
    staging.write(`site/${file.path}`, body);
  });
  const stagedFile = path.join(paths.staged, file.path);
  const replacedFile = path.join(paths.out, file.path);
  if (published.entries.has(file.path)) setLaterTime(stagedFile, replacedFile);
  return { entry, isStaged: true };
}

/** Whether the published file has this content. */
function isPublished({ path: file, sha256 }: ManifestEntry, published: Published): boolean {
  if (published.modified.has(file)) return false;
  return published.entries.get(file)?.sha256 === sha256;
}

/** Creates an entry, and checks that a file whose hash was known before has this hash. */
function createCheckedEntry(file: AnyFile, body: Uint8Array): ManifestEntry {
  const entry = createEntry(file.path, body);
  if (!('sha256' in file) || file.sha256 === entry.sha256) return entry;
  throw new OutputError(`got SHA-256 ${entry.sha256}, expected ${file.sha256}`, file.path);
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
    if (files.has(key)) {
      throw new OutputError('occurs twice in the site, ignoring letter case', name);
    }
    const parentFolders = [...listParentFolders([key])];
    const isFolder = folders.has(key);
    const isInFile = parentFolders.some((folder) => files.has(folder));
    if (isFolder || isInFile) {
      throw new OutputError('is a file where the site has a folder, or the other way round', name);
    }
    files.add(key);
    for (const folder of parentFolders) folders.add(folder);
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
function setLaterTime(file: string, replacedFile: string): void {
  const replaced = readStatus(replacedFile);
  if (!replaced?.isFile()) return;
  const now = Date.now();
  // A time far in the future was a mistake, which new files must not continue.
  if (replaced.mtimeMs > now + DAY_MS) return;
  const replacedSecond = Math.floor(replaced.mtimeMs / 1000);
  const ownSecond = Math.floor((now - CLOCK_MS) / 1000);
  // The file was just written, so it has a later mtime already.
  if (ownSecond > replacedSecond) return;
  const nextSecondMs = (replacedSecond + 1) * 1000;
  setTime(file, Math.max(nextSecondMs, now));
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
  for (const file of files) {
    const { mtimeMs } = fs.statSync(path.join(staged, file));
    newest = Math.max(newest, mtimeMs);
  }
  setTime(draft, newest);
}

/**
 * Flushes files and their folders to the disk. One `sync -f` for the file system is faster than
 * thousands of fsync calls. Other systems than Linux may ignore `-f`.
 */
export function flushAll(folder: string, files: readonly string[]): void {
  if (process.platform === 'linux') {
    const { status } = spawnSync('sync', ['-f', folder], { stdio: 'ignore' });
    if (status === 0) return;
  }
  for (const file of files) flush(path.join(folder, file));
  for (const inside of listParentFolders(files)) flush(path.join(folder, inside));
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
