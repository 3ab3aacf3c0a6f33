/** The working files of a build: beside the folder that it changes, so that renames stay within one file system. */

import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';

export type WorkFolders = Readonly<ReturnType<typeof foldersBeside>>;

/** For a symbolic link, the folder that it points to is the one that is changed. */
export const workFolders = (out: string): WorkFolders => foldersBeside(out, follow(out, path.resolve(out)));

/** @param out absolute */
export function foldersBeside(
  name: string,
  out: string,
  { join, dirname, basename }: Pick<typeof path, 'join' | 'dirname' | 'basename'> = path,
) {
  const beside = (role: string): string => join(dirname(out), `.${basename(out)}.gamedata-${role}`);
  return {
    /** The published folder as the user named it. */
    name,
    /** The published folder, absolute. */
    out,
    /** What differs in the new site, while it is staged. */
    fresh: beside('new'),
    /** The old site, where an interrupted build of an earlier version has moved it aside. */
    retired: beside('old'),
    /** The commit record: there while a site is changed file by file. */
    commit: beside('commit'),
    /** The beginning of the names of what nobody needs any more, until it is removed. */
    trash: beside('trash-'),
    lock: beside('lock'),
    /** What a mirror has downloaded and not published yet. */
    received: beside('received'),
    /** What changed, until the command of `--on-change` has been told. */
    unreported: beside('unreported'),
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
