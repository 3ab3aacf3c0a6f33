import { closeSync, fchmodSync, fchownSync, lstatSync, openSync } from 'node:fs';
import path from 'node:path';
import { attempt, listParentFolders, NO_FOLLOW, readStatus } from '../files.ts';

/** The modes and the group of published files and folders. */
export interface Permissions {
  readonly file: number;
  readonly folder: number;
  /** Undefined if the site's folder does not exist. */
  readonly gid: number | undefined;
}

/**
 * Derives permissions from a site's folder: users who may read the folder may read its files,
 * regardless of the umask.
 */
export function readPermissions(folder: string): Permissions {
  const status = readStatus(folder);
  if (!status?.isDirectory()) return { file: 0o644, folder: 0o755, gid: undefined };
  const { mode, gid } = status;
  // A web server reads files by name, so it must be able to enter the folder but not to list it.
  const read = (mode | (mode << 2)) & 0o044;
  return { file: 0o600 | read | (mode & 0o020), folder: 0o700 | (mode & 0o2075), gid };
}

export function setPermissions(
  site: string,
  files: readonly string[],
  permissions: Permissions,
): void {
  const folders = [...listParentFolders(files)].filter((name) => name !== '.').sort();
  for (const name of [...folders, ...files]) setPermission(path.join(site, name), permissions);
}

/** Ignores failures, because some file systems have no permissions. */
export const setPermission = (file: string, { gid, ...modes }: Permissions): void =>
  attempt(() => {
    const before = lstatSync(file);
    if (!before.isDirectory() && !before.isFile()) return;
    const mode = before.isDirectory() ? modes.folder : modes.file;
    const isOtherGroup = gid !== undefined && before.gid !== gid;
    if (!isOtherGroup && (before.mode & 0o7777) === mode) return;
    // Another process may have replaced the file by a symlink or a FIFO since.
    const descriptor = openSync(file, NO_FOLLOW);
    if (isOtherGroup) attempt(() => fchownSync(descriptor, -1, gid));
    // The mode comes last because a change of the group may clear bits.
    attempt(() => fchmodSync(descriptor, mode));
    closeSync(descriptor);
  });
