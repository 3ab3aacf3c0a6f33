import {
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import { attempt, listParentFolders, NO_FOLLOW, readStatus } from '../files.ts';

/** The modes and the group of published files and folders. */
export interface Permissions {
  readonly file: number;
  readonly folder: number;
  /** The group id. Undefined if the site's folder does not exist. */
  readonly gid: number | undefined;
}

/**
 * Derives file permissions from the site's folder: users who may read or enter the
 * folder may read its files, regardless of the umask.
 */
export function readPermissions(site: string): Permissions {
  const status = readStatus(site);
  if (!status?.isDirectory()) return { file: 0o644, folder: 0o755, gid: undefined };
  const { mode, gid } = status;
  // A web server opens files by name, so it needs permission to enter the folder but
  // not to list it. Therefore we let every user who may enter the folder (the x bit,
  // two bits below r) read its files.
  const mayRead = (mode | (mode << 2)) & 0o044;
  const groupMayWrite = mode & 0o020;
  // The set-group-ID bit makes new files inherit the folder's group.
  const othersAndSetGroup = mode & 0o2075;
  const file = 0o600 | mayRead | groupMayWrite;
  const folder = 0o700 | othersAndSetGroup;
  return { file, folder, gid };
}

/**
 * Sets the permissions on files, and on every folder between them and the site's
 * folder.
 *
 * @param files paths relative to the site's folder
 */
export function setPermissions(
  site: string,
  files: readonly string[],
  permissions: Permissions,
): void {
  setFolderPermissions(site, files, permissions);
  for (const name of files) setPermission(path.join(site, name), permissions);
}

/** Sets the permissions on every folder between files and the site's folder. */
export function setFolderPermissions(
  site: string,
  files: readonly string[],
  permissions: Permissions,
): void {
  const folders = listParentFolders(files);
  folders.delete('.');
  for (const name of [...folders].sort()) {
    setPermission(path.join(site, name), permissions);
  }
}

/**
 * Sets the permissions on a file or folder. Failures are ignored, because some file
 * systems do not support permissions.
 */
export function setPermission(file: string, permissions: Permissions): void {
  attempt(() => {
    const status = lstatSync(file);
    if (!status.isDirectory() && !status.isFile()) return;
    if (hasPermissions(status, permissions)) return;
    // Symlinks are not followed, because another process may have replaced the file
    // in the meantime.
    const descriptor = openSync(file, NO_FOLLOW);
    const { gid } = permissions;
    if (gid !== undefined && status.gid !== gid) {
      attempt(() => fchownSync(descriptor, -1, gid));
    }
    // The mode is set last because changing the group may clear some of its bits.
    attempt(() => fchmodSync(descriptor, getMode(status, permissions)));
    closeSync(descriptor);
  });
}

/** Returns whether a file or folder already has its mode and its group. */
export function hasPermissions(status: Stats, permissions: Permissions): boolean {
  const { gid } = permissions;
  const isSameGroup = gid === undefined || status.gid === gid;
  const mode = status.mode & 0o7777;
  return isSameGroup && mode === getMode(status, permissions);
}

/** Returns the mode that a file or folder should have. */
function getMode(status: Stats, permissions: Permissions): number {
  return status.isDirectory() ? permissions.folder : permissions.file;
}
