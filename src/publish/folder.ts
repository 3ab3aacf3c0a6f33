import * as fs from 'node:fs';
import path from 'node:path';
import { errorCode, GamedataError } from '../errors.ts';
import { attempt, isInside, readStatus } from '../files.ts';

/**
 * Makes a folder to publish into and its missing parent folders, or accepts an existing
 * folder. If the path is a symlink, does the same for the symlink's target.
 *
 * In a parent folder where every user may create files, such as `/tmp`, another user
 * may have made the folder or the symlink first. Therefore the folder is made with a
 * plain `mkdir`, which fails if the name is taken. In that case, the owner is checked.
 *
 * @param created gets the path of each new folder, inner folders first, even if this
 * function then throws
 * @throws GamedataError if another user has made the folder or the symlink
 */
export function createFolder(folder: string, created: string[] = []): void {
  const absolute = path.resolve(folder);
  created.unshift(...makeParents(absolute));
  const isNew = makeUnlessExists(absolute);
  if (isNew) {
    created.unshift(absolute);
    openToReaders(absolute);
    return;
  }
  assertTrustedOwner(absolute, folder);
  const target = readLink(absolute);
  if (target !== undefined) createFolder(target, created);
}

/** Makes a folder. Returns false if the name is taken, for example by a symlink. */
function makeUnlessExists(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Makes the missing parent folders of a folder, and lets every user read them.
 *
 * @returns the paths of the new folders, inner folders first
 */
function makeParents(folder: string): string[] {
  const parent = path.dirname(folder);
  // Node returns only the outermost folder that it has made. Undefined means that the
  // parent folder exists already.
  const outermost = fs.mkdirSync(parent, { recursive: true });
  if (outermost === undefined) return [];
  const newFolders = [parent];
  let innermost = parent;
  // All folders inside the outermost new one are new as well.
  while (isInside(outermost, innermost)) {
    innermost = path.dirname(innermost);
    newFolders.push(innermost);
  }
  for (const newFolder of newFolders) openToReaders(newFolder);
  return newFolders;
}

/** The permission for everyone but the owner to list and enter a folder. */
const READER_BITS = 0o055;

/** All bits that `chmod` sets. The other bits of a mode contain the file type. */
const CHMOD_BITS = 0o7777;

/**
 * Lets every user read a new folder, because sites are public. Otherwise, a strict umask
 * would hide the site from the web server.
 */
function openToReaders(folder: string): void {
  const { mode } = fs.statSync(folder);
  if ((mode & READER_BITS) === READER_BITS) return;
  attempt(() => fs.chmodSync(folder, (mode & CHMOD_BITS) | READER_BITS));
}

/** The id of the root user, who can change every file anyway. */
const ROOT_USER = 0;

/** The sticky bit, and the write permission for all other users. */
const SHARED_BITS = 0o1002;

/**
 * Returns whether every user may create files in a folder, but only their owner may
 * replace them, as in `/tmp`.
 */
function isShared(folder: string): boolean {
  const { mode } = fs.statSync(folder);
  return (mode & SHARED_BITS) === SHARED_BITS;
}

/**
 * Rejects a folder or symlink that another user has made in a shared folder such as
 * `/tmp`. There, any user could create the site's folder before we do, and could then
 * change the site. Folders of our own user and of root are trusted.
 *
 * If the parent folder is not shared, the owner does not matter: only users who may
 * write to the parent folder can have made the folder, and they could replace it at any
 * time anyway.
 *
 * @param name the folder as the user named it
 * @throws GamedataError if another user owns the folder or symlink
 */
function assertTrustedOwner(folder: string, name: string): void {
  const ownUser = process.geteuid?.();
  // Windows has no user ids.
  if (ownUser === undefined) return;
  const parent = path.dirname(folder);
  if (!isShared(parent)) return;
  const { uid: owner } = fs.lstatSync(folder);
  const isTrusted = owner === ownUser || owner === ROOT_USER;
  if (isTrusted) return;
  throw new GamedataError(
    'output',
    `${name}: was made by another user (${owner}) in a folder that every user can write to`,
    { hint: 'Choose a folder whose parent only you can write to.' },
  );
}

/** Returns the path that a symlink leads to, or undefined if it is not a symlink. */
function readLink(folder: string): string | undefined {
  if (!readStatus(folder)?.isSymbolicLink()) return undefined;
  // This throws if the symlink is circular (ELOOP).
  fs.statSync(folder, { throwIfNoEntry: false });
  const parent = fs.realpathSync(path.dirname(folder));
  return path.resolve(parent, fs.readlinkSync(folder));
}

/** Removes folders if they are empty. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders) attempt(() => fs.rmdirSync(folder));
}
