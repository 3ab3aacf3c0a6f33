/**
 * Folders that anybody may have filled. Only regular files inside them are read: a pipe would be waited for, a device
 * never end, and a link lead to files of somebody else.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import { describeExcess, getMaxBytes } from './contract/limits.ts';
import { DataError, errorCode, GamedataError, OutputError } from './errors.ts';

/** The result of a call; undefined if it fails with one of these codes, or at all where none is given. */
export function attempt<T>(call: () => T, ...codes: string[]): T | undefined {
  try {
    return call();
  } catch (error) {
    if (codes.length === 0 || codes.includes(errorCode(error))) return undefined;
    throw error;
  }
}

/** The result of a call. Throws `OutputError` if it fails: `site: cannot be written (ENOSPC)`. */
export function explainFailure<T>(problem: string, name: string, call: () => T, hint?: string): T {
  try {
    return call();
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const why = errorCode(cause) || (cause as Error).message;
    throw new OutputError(`${problem} (${why})`, name, { cause, hint });
  }
}

/** Whether a path is below a folder; both absolute and normalized. */
export const isInside = (folder: string, file: string): boolean => file.startsWith(folder + path.sep);

/** What is at a path, also if it is a link; undefined if nothing is, or a file is in the place of a folder above it. */
export const readStatus = (file: string): Stats | undefined =>
  attempt(() => lstatSync(file, { throwIfNoEntry: false }), 'ENOTDIR');

/** Yields every file below a folder, and everything else that is no folder, by paths in the folder with forward slashes. */
export function* walk(folder: string, inside = ''): Generator<{ path: string; isFile: boolean }> {
  for (const entry of readdirSync(path.join(folder, inside), { withFileTypes: true })) {
    const name = inside + entry.name;
    if (entry.isDirectory()) yield* walk(folder, `${name}/`);
    else yield { path: name, isFile: entry.isFile() };
  }
}

/** Every folder above some files; that of the site is `.`. */
export function listParentFolders(files: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let folder = path.posix.dirname(file); !folders.has(folder); folder = path.posix.dirname(folder))
      folders.add(folder);
  return folders;
}

export const listFiles = (folder: string): string[] => Array.from(walk(folder), ({ path }) => path);

/** For what is not opened: an error that messages show as they do those of the system. */
const refusal = (path: string, code: string) =>
  Object.assign(new Error(code), { code, syscall: 'open', path });

/** Trusted are whoever runs this, and the owner of the folder that a file is beside or in. Windows knows no owners. */
export const isTrusted = (folder: string, { uid }: Stats): boolean =>
  !process.geteuid || [process.geteuid(), readStatus(folder)?.uid].includes(uid);

/**
 * Opens a file that others might have left: only a regular one of a trusted user, never what a link leads to. Throws
 * an error with a code.
 */
export function openTrusted(folder: string, file: string, flags: number): number {
  const descriptor = openSync(file, flags | REGULAR, 0o666);
  const status = fstatSync(descriptor);
  if (status.isFile() && isTrusted(folder, status)) return descriptor;
  closeSync(descriptor);
  throw refusal(file, status.isFile() ? 'a file of another user' : 'not a regular file');
}

/** Reads a file of a folder, by its path in the folder, up to the limit of its role. Throws an error with a code. */
export const readFile = (folder: string, file: string, maxBytes = getMaxBytes(file)): Buffer =>
  readOpened(openFile(folder, file, maxBytes));

function readOpened(descriptor: number) {
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export const readText = (folder: string, file: string): string => readFile(folder, file).toString();

/** For opening a file: a link is not followed, and a pipe not waited for. Windows knows neither flag. */
const REGULAR = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function openFile(folder: string, file: string, maxBytes: number): number {
  const target = path.join(folder, file);
  const parts = file.split('/');
  for (let depth = 1; depth < parts.length; depth++)
    if (!lstatSync(path.join(folder, ...parts.slice(0, depth))).isDirectory())
      throw refusal(target, 'not a regular file');
  if (!lstatSync(target).isFile()) throw refusal(target, 'not a regular file');
  // It may have been replaced since.
  return openRegular(target, maxBytes, REGULAR);
}

/**
 * Opens a file that the user named, if need be through a link: only a regular one of a limited size. Throws an error with a
 * code.
 */
export function openRegular(file: string, maxBytes: number, flags = constants.O_NONBLOCK ?? 0): number {
  const descriptor = openSync(file, constants.O_RDONLY | flags);
  const status = fstatSync(descriptor);
  const problem = status.isFile() ? describeExcess(status.size, maxBytes) : 'not a regular file';
  if (problem === undefined) return descriptor;
  closeSync(descriptor);
  throw refusal(file, problem);
}

/** Reads a regular file of a limited size, if need be through a link. Throws an error with a code. */
export const readRegular = (file: string, maxBytes: number): Buffer<ArrayBuffer> =>
  readOpened(openRegular(file, maxBytes));

/** Reads a file that the user named. Throws an error with a code. */
export const readNamedFile = (file: string, maxBytes: number): string =>
  readRegular(file, maxBytes).toString();

/** Throws `DataError` if a text is not JSON. `record` names it. */
export function parseText(text: string, record: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DataError(`invalid JSON: ${(cause as SyntaxError).message}`, { record }, { cause });
  }
}
