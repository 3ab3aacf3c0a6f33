/** The working files of a build: beside the folder that it replaces, so that renames stay within one file system. */

import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, renameSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { errorCode, OutputError } from '../errors.ts';

export interface WorkFolders {
  /** The published folder as the user named it. */
  readonly name: string;
  /** The published folder, absolute. */
  readonly out: string;
  /** The new site while it is staged. */
  readonly fresh: string;
  /** The old site between the two renames. */
  readonly retired: string;
  /** The beginning of the names of what nobody needs any more, until it is removed. */
  readonly trash: string;
  readonly lock: string;
  /** What a mirror has downloaded and not published yet. */
  readonly received: string;
}

/** For a symbolic link, the folder that it points to is the one that is replaced. */
export const workFolders = (out: string): WorkFolders => foldersBeside(out, follow(out, path.resolve(out)));

/** @param out absolute */
export function foldersBeside(
  name: string,
  out: string,
  { join, dirname, basename }: Pick<typeof path, 'join' | 'dirname' | 'basename'> = path,
): WorkFolders {
  const beside = (role: string): string => join(dirname(out), `.${basename(out)}.gamedata-${role}`);
  return {
    name,
    out,
    fresh: beside('new'),
    retired: beside('old'),
    trash: beside('trash-'),
    lock: beside('lock'),
    received: beside('received'),
  };
}

/** Resolves symbolic links, even if the target does not exist: an interrupted build may have moved it aside. */
function follow(name: string, file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ELOOP') throw new OutputError(`is a circular symbolic link (${code})`, name, { cause });
    if (code !== 'ENOENT' || !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    return follow(name, path.resolve(realpathSync(path.dirname(file)), readlinkSync(file)));
  }
}

/**
 * Undoes what an interrupted build left: a site that was moved aside and not replaced is restored, everything else is
 * trash. Only for the holder of the lock.
 */
export function recover({ name, out, fresh, retired, trash }: WorkFolders): void {
  try {
    if (!existsSync(out) && existsSync(retired)) renameSync(retired, out);
    for (const leftover of [fresh, retired])
      if (existsSync(leftover)) renameSync(leftover, trash + randomUUID());
  } catch (cause) {
    throw new OutputError(`cannot be recovered from an interrupted build (${errorCode(cause)})`, name, {
      cause,
    });
  }
}

/**
 * Removes trash as far as it can be removed, and never fails: what was published does not depend on it.
 *
 * @returns the folders that are left, which the next build tries to remove again
 */
export function removeTrash({ trash }: WorkFolders): string[] {
  const [parent, prefix] = [path.dirname(trash), path.basename(trash)];
  let names: string[] = [];
  try {
    names = readdirSync(parent).filter((name) => name.startsWith(prefix));
  } catch {
    // A folder may be entered and not be listed.
  }
  return names
    .map((name) => path.join(parent, name))
    .filter((leftover) => {
      try {
        fsExtra.removeSync(leftover);
        return false;
      } catch {
        return true;
      }
    });
}
