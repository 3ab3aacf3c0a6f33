import * as fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { attempt, readStatus } from '../files.ts';

/**
 * Makes a folder that a build publishes into, together with missing parent folders, or
 * accepts an existing one. Then follows the operator's own symlink in its place, and
 * does the same with the folder that it leads to.
 *
 * @param created gets the path of each new folder, inner folders first, even if this
 * function then throws
 */
export function createFolder(folder: string, created: string[] = []): void {
  const absolute = path.resolve(folder);
  createParents(absolute, created);
  try {
    fs.mkdirSync(absolute);
    created.unshift(absolute);
    openToReaders(absolute);
    return;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const target = readLink(absolute);
  if (target !== undefined) createFolder(target, created);
}

function createParents(folder: string, created: string[]): void {
  let parent = path.dirname(folder);
  const outermost = fs.mkdirSync(parent, { recursive: true });
  if (outermost === undefined) return;
  const newParents: string[] = [];
  while (parent.length >= outermost.length) {
    newParents.push(parent);
    parent = path.dirname(parent);
  }
  created.unshift(...newParents);
}

/**
 * Lets every user read a new folder, because sites are public. Otherwise, a strict umask
 * would hide the site from the web server.
 */
function openToReaders(folder: string): void {
  const { mode } = fs.statSync(folder);
  if ((mode & 0o055) === 0o055) return;
  attempt(() => fs.chmodSync(folder, (mode & 0o7777) | 0o055));
}

/** Returns the path that a symlink leads to, or undefined if it is not a symlink. */
function readLink(folder: string): string | undefined {
  if (!readStatus(folder)?.isSymbolicLink()) return undefined;
  // The system rejects a circular symlink here (ELOOP).
  fs.statSync(folder, { throwIfNoEntry: false });
  const parent = fs.realpathSync(path.dirname(folder));
  return path.resolve(parent, fs.readlinkSync(folder));
}

/** Removes folders if they are empty. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders) attempt(() => fs.rmdirSync(folder));
}
