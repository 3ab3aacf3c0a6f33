/** Who may read what is published: whoever may read the site's folder, whatever the umask of the build. */

import { chmodSync, closeSync, constants, fchmodSync, fchownSync, lstatSync, openSync } from 'node:fs';
import path from 'node:path';
import { foldersOf, statusOf } from '../files.ts';

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
  if (!keepsModes(probe)) return undefined;
  const status = statusOf(folder);
  if (!status?.isDirectory()) return { file: 0o644, folder: 0o755, gid: undefined };
  const { mode, gid } = status;
  // A web server reads by name in a folder that it may enter, and not list.
  const read = (mode | (mode << 2)) & 0o044;
  return { file: 0o600 | read | (mode & 0o020), folder: 0o700 | (mode & 0o2075), gid };
}

/** Windows knows no modes; FAT and others ignore or refuse what they cannot keep. */
const keepsModes = (probe: string): boolean =>
  attempt(() => {
    if (process.platform === 'win32') return false;
    // Others may read a lock meanwhile.
    return [0o744, 0o644, modeAt(probe)].every((mode) => {
      chmodSync(probe, mode);
      return modeAt(probe) === mode;
    });
  });

const modeAt = (file: string): number => lstatSync(file).mode & 0o7777;

/** False also if there is an error. */
function attempt(change: () => unknown): boolean {
  try {
    return change() !== false;
  } catch {
    return false;
  }
}

/** Gives a file or a folder its mode and group. False if that is not possible, and somebody misses it. */
export const give = (file: string, { gid, ...modes }: Modes, isFolder: boolean): boolean =>
  attempt(() => {
    const mode = isFolder ? modes.folder : modes.file;
    const before = lstatSync(file);
    if (isFolder ? !before.isDirectory() : !before.isFile()) return false;
    const group = gid ?? before.gid;
    if (before.gid === group && (before.mode & 0o7777) === mode) return true;
    // It may be a link by now.
    const descriptor = openSync(file, constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const hasGroup = before.gid === group || attempt(() => fchownSync(descriptor, -1, group));
    // Last, as a change of the group may clear bits.
    attempt(() => modeAt(file) === mode || fchmodSync(descriptor, mode));
    closeSync(descriptor);
    // Nobody misses a group that may do no more than others. The system may drop setgid without an error.
    return (hasGroup || (mode & 0o070 & ~(mode << 3)) === 0) && modeAt(file) === mode;
  });

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
