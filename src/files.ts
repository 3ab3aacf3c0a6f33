import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeExcess, getMaxBytes } from './contract/limits.ts';
import { errorCode, GamedataError } from './errors.ts';

/**
 * Calls a function, and returns undefined if it fails with one of the codes. If no
 * codes are given, ignores any failure.
 */
export function attempt<T>(call: () => T, ...codes: string[]): T | undefined {
  try {
    return call();
  } catch (error) {
    if (codes.length === 0 || codes.includes(errorCode(error))) return undefined;
    throw error;
  }
}

/**
 * Calls a function, and converts its failure to a `GamedataError`, such as `site:
 * cannot be written (ENOSPC)`. Rethrows a `GamedataError` unchanged, because it already
 * explains the failure.
 *
 * @param problem what cannot be done, such as `cannot be written`
 * @param name the file or folder, for the message
 * @param hint what the user can do; for some failures, a more specific hint precedes it
 */
export function explainFailure<T>(
  problem: string,
  name: string,
  call: () => T,
  hint?: string,
): T {
  try {
    return call();
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const why = errorCode(cause) || (cause as Error).message;
    const allHints = [findHint(cause), hint];
    const hints = allHints.filter((part) => part !== undefined);
    throw new GamedataError('output', `${name}: ${problem} (${why})`, {
      cause,
      hint: hints.length > 0 ? hints.join(' ') : undefined,
    });
  }
}

/** An error from a system call, with the properties that Node adds. */
interface SystemCallError extends Error {
  readonly syscall?: string;
  readonly path?: string;
}

/**
 * Converts a system call's error to a `GamedataError` that names the call. Returns
 * any other error unchanged.
 */
export function toOutputError(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof GamedataError) return error;
  const { syscall, path = name }: SystemCallError = error;
  // Only errors from system calls have this property.
  if (syscall === undefined) return error;
  const problem = `cannot be used (${errorCode(error)})`;
  return new GamedataError('output', `${path}: ${problem}`, {
    cause: error,
    hint: findHint(error),
  });
}

/**
 * Finds a hint for failures that the operator can resolve: a full disk or quota, and
 * missing permission. The site may be partly new if the failure occurred after the
 * commit, so the hint does not say whether the site has changed.
 */
function findHint(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return 'Free some space or inodes (`df -i`): a build needs room for a second copy of the changed files.';
  }
  const isDenied = code === 'EACCES' || code === 'EPERM';
  const userId = process.geteuid?.();
  // Windows has no user ids, and also reports these codes for files in use.
  if (!isDenied || userId === undefined) return undefined;
  // A container may run as a user id that has no name.
  const user = attempt(() => os.userInfo().username) ?? userId;
  return `This process runs as the user ${user}. If the folder belongs to another user, change that with chown -R ${user} <folder>.`;
}

export const isInside = (folder: string, file: string): boolean =>
  file.startsWith(path.join(folder, path.sep));

export const readStatus = (file: string): Stats | undefined =>
  attempt(() => lstatSync(file, { throwIfNoEntry: false }), 'ENOTDIR');

/** An entry in a folder that is not itself a folder. */
export interface FolderEntry {
  /** The path relative to the folder, with forward slashes. */
  readonly path: string;
  /**
   * Whether this is a regular file. False for symlinks, FIFOs, sockets and devices.
   */
  readonly isFile: boolean;
}

/**
 * Yields every entry in a folder and its subfolders, without following symlinks. A
 * subfolder that a build removes in the meantime counts as empty.
 *
 * @param skipped the paths of entries to skip, together with their contents
 * @param subfolder the path of the subfolder to list, with a trailing slash
 */
export function* walk(
  folder: string,
  skipped: readonly string[] = [],
  subfolder = '',
): Generator<FolderEntry> {
  const list = (): Dirent[] =>
    readdirSync(path.join(folder, subfolder), { withFileTypes: true });
  const isOuter = subfolder === '';
  // A build may have removed a subfolder, but the outer folder must exist.
  const entries = isOuter ? list() : (attempt(list, 'ENOENT') ?? []);
  for (const entry of entries) {
    const entryPath = subfolder + entry.name;
    if (skipped.includes(entryPath)) continue;
    if (entry.isDirectory()) yield* walk(folder, skipped, `${entryPath}/`);
    else yield { path: entryPath, isFile: entry.isFile() };
  }
}

export function listFiles(folder: string): string[] {
  return Array.from(walk(folder), (entry) => entry.path);
}

/** Lists all parent folders of the given relative paths, including `.`. */
export function listParentFolders(files: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files) {
    let folder = path.posix.dirname(file);
    // If a folder is already listed, so are its parents. The loop always ends at `.`,
    // because `.` is its own parent.
    while (!folders.has(folder)) {
      folders.add(folder);
      folder = path.posix.dirname(folder);
    }
  }
  return folders;
}

/**
 * Returns whether all existing parent folders of a file are still real folders. If
 * one of them has been replaced by a symlink or another file, the result is false.
 * The outer folder itself may be a symlink.
 */
export function isInFolders(folder: string, file: string): boolean {
  for (const parent of listParentFolders([file])) {
    if (parent === '.') continue;
    const status = readStatus(path.join(folder, parent));
    if (status && !status.isDirectory()) return false;
  }
  return true;
}

/**
 * Returns whether a file belongs to this user, or to the owner of the given folder.
 */
function isTrusted(folder: string, fileStatus: Stats): boolean {
  // On Windows, files have no owner that we could check.
  if (!process.geteuid) return true;
  const isOwn = fileStatus.uid === process.geteuid();
  return isOwn || fileStatus.uid === readStatus(folder)?.uid;
}

/**
 * Flags for opening a file safely: a symlink could lead outside the folder, and
 * opening a FIFO could block forever. Windows supports neither flag.
 */
const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file that belongs to a trusted user.
 *
 * @throws an error with a `code`, such as ENOENT
 */
export function openTrusted(folder: string, file: string, flags: number): number {
  // The mode applies only if the flags create the file.
  const mode = 0o666;
  const descriptor = openSync(file, flags | NO_FOLLOW, mode);
  const status = fstatSync(descriptor);
  if (status.isFile() && isTrusted(folder, status)) return descriptor;
  closeSync(descriptor);
  const problem = status.isFile() ? 'a file of another user' : 'not a regular file';
  throw createOpenError(file, problem);
}

/**
 * Reads a file inside a folder. The file must not exceed the size limit for its
 * path.
 *
 * @throws an error with a `code`, such as ENOENT
 */
export function readFile(
  folder: string,
  file: string,
  maxBytes = getMaxBytes(file),
): Buffer {
  const target = path.join(folder, file);
  const isRegular = isInFolders(folder, file) && lstatSync(target).isFile();
  if (!isRegular) throw createOpenError(target, 'not a regular file');
  // Another process may have replaced the file since that check, so we check it
  // again after opening it.
  return readOpened(openRegular(target, maxBytes, NO_FOLLOW));
}

/**
 * Reads a regular file, and follows symlinks.
 *
 * @throws an error with a `code`, such as ENOENT
 */
export const readRegular = (file: string, maxBytes: number): Buffer<ArrayBuffer> =>
  readOpened(openRegular(file, maxBytes));

/**
 * Opens a regular file for reading if it is not too large.
 *
 * @param flags by default, the flags only keep a FIFO from blocking forever
 * @throws an error with a `code`, such as ENOENT
 */
function openRegular(
  file: string,
  maxBytes: number,
  flags = constants.O_NONBLOCK ?? 0,
): number {
  const descriptor = openSync(file, constants.O_RDONLY | flags);
  const status = fstatSync(descriptor);
  const problem = status.isFile()
    ? describeExcess(status.size, maxBytes)
    : 'not a regular file';
  if (problem === undefined) return descriptor;
  closeSync(descriptor);
  throw createOpenError(file, problem);
}

function readOpened(descriptor: number): Buffer<ArrayBuffer> {
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates an error in Node's style, whose `code` describes the problem with the
 * file.
 */
function createOpenError(path: string, code: string): Error {
  const error = new Error(code);
  return Object.assign(error, { code, syscall: 'open', path });
}
