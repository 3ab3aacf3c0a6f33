/** The working files of a build: beside the folder that it changes, so that renames stay within one file system. */

import { closeSync, constants, openSync, readFileSync, readlinkSync, realpathSync, writeSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { isTrusted, openTrusted, statusOf } from '../files.ts';

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
    /** The commit record: there while a site is changed file by file. */
    commit: beside('commit'),
    /** The beginning of the names of what nobody needs any more, until it is removed. */
    trash: beside('trash-'),
    lock: beside('lock'),
    /** What a mirror has downloaded and not published yet. */
    received: beside('received'),
  };
}

/** Resolves symbolic links, even if the target does not exist: it may not have been built yet. */
function follow(name: string, file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ELOOP') throw new OutputError(`is a circular symbolic link (${code})`, name, { cause });
    if (code !== 'ENOENT') return file;
    const parent = follow(name, path.dirname(file));
    return statusOf(file)?.isSymbolicLink()
      ? follow(name, path.resolve(parent, readlinkSync(file)))
      : path.join(parent, path.basename(file));
  }
}

/** In a parent that others may write to, anybody may leave what looks like the work of a build: it has to be of a trusted user. */
export function refuseStrangers(out: string, files: readonly string[]): void {
  for (const file of files) {
    const status = statusOf(file);
    if (status && !isTrusted(out, status))
      throw new OutputError(`belongs to another user (${status.uid}), and is not used`, file, {
        hint: 'Remove it, and build again in a folder whose parent only you can write to.',
      });
  }
}

export function readWorkingFile({ out }: WorkFolders, file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openTrusted(out, file, constants.O_RDONLY);
    return readFileSync(descriptor, 'utf8');
  } catch (cause) {
    refuseStrangers(out, [file]);
    // Of a link, and of a socket.
    const isOther = ['not a regular file', 'ELOOP', 'ENXIO'].includes(errorCode(cause));
    throw isOther ? new OutputError('is not a regular file, and is not used', file, { cause }) : cause;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Writes the first byte of a file again. That makes it new by the clock of its file system: a time that is set is this machine's. */
export function touch(file: string, first: string): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    writeSync(descriptor, first);
  } finally {
    closeSync(descriptor);
  }
}
