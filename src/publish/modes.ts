/** Who may read what is published: whoever may read the site's folder, whatever the umask of the build. */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
} from 'node:fs';
import path from 'node:path';
import { attempt, foldersOf, statusOf } from '../files.ts';

export interface Modes {
  readonly file: number;
  readonly folder: number;
  /** Undefined for that of the process. */
  readonly gid: number | undefined;
}

/**
 * The modes of what is in a folder; public if it does not exist. Nobody but owner and group ever writes.
 *
 * @param probe a file of this process on the same file system, such as its lock
 * @returns undefined where there are no modes
 */
export function modesOf(folder: string, probe: string): Modes | undefined {
  if (!attempt(() => keepsModes(probe))) return undefined;
  const status = statusOf(folder);
  if (!status?.isDirectory()) return { file: 0o644, folder: 0o755, gid: undefined };
  const { mode, gid } = status;
  // A web server reads by name in a folder that it may enter, and not list.
  const read = (mode | (mode << 2)) & 0o044;
  return { file: 0o600 | read | (mode & 0o020), folder: 0o700 | (mode & 0o2075), gid };
}

/** Windows knows no modes; FAT and others ignore or refuse what they cannot keep. Others may read a lock meanwhile. */
const keepsModes = (probe: string): boolean =>
  process.platform !== 'win32' &&
  [0o744, 0o644, lstatSync(probe).mode & 0o7777].every((mode) => {
    chmodSync(probe, mode);
    return (lstatSync(probe).mode & 0o7777) === mode;
  });

/** Gives a file or a folder its mode and group. False if that is not possible, and somebody misses it. */
export const give = (file: string, modes: Modes, isFolder: boolean): boolean =>
  attempt(() => {
    const mode = isFolder ? modes.folder : modes.file;
    const before = lstatSync(file);
    if (isFolder ? !before.isDirectory() : !before.isFile()) return false;
    const { gid = before.gid } = modes;
    if (before.gid === gid && (before.mode & 0o7777) === mode) return true;
    // It may be a link by now.
    const descriptor = openSync(file, constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (before.gid !== gid) attempt(() => fchownSync(descriptor, -1, gid));
    // Last, as a change of the group may clear bits.
    attempt(() => fchmodSync(descriptor, mode));
    const now = fstatSync(descriptor);
    closeSync(descriptor);
    // Nobody misses a group that may do no more than others. The system may drop setgid without an error.
    return (now.gid === gid || (mode & 0o070 & ~(mode << 3)) === 0) && (now.mode & 0o7777) === mode;
  }) ?? false;

/**
 * Gives all files of a folder, and the folders above them in it, their modes and groups; to the folder itself, nothing.
 *
 * @param files paths in the folder
 * @returns how many paths could not be given them
 */
export function mend(folder: string, files: readonly string[], modes: Modes): number {
  const refused = (names: readonly string[], isFolder: boolean): number =>
    names.filter((name) => !give(path.join(folder, name), modes, isFolder)).length;
  const folders = [...foldersOf(files)].filter((name) => name !== '.').sort();
  return refused(folders, true) + refused(files, false);
}
