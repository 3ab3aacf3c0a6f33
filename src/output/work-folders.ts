/** Where a build works: beside the folder it replaces, so that renaming stays inside one file system. */

import { existsSync, lstatSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';

export interface WorkFolders {
  /** The published folder as its user calls it. */
  readonly name: string;
  /** The published folder, absolute. */
  readonly out: string;
  /** The new tree while it is built. */
  readonly fresh: string;
  /** The old tree between the two renames and until it is removed. */
  readonly retired: string;
  readonly lock: string;
  /** What a mirror has received until it is published. */
  readonly received: string;
}

/** A published folder that is a symbolic link is replaced where the link leads. */
export function workFolders(out: string): WorkFolders {
  const target = follow(out, path.resolve(out));
  const beside = (role: string): string =>
    path.join(path.dirname(target), `.${path.basename(target)}.gamedata-${role}`);
  return {
    name: out,
    out: target,
    fresh: beside('new'),
    retired: beside('old'),
    lock: beside('lock'),
    received: beside('received'),
  };
}

/** Where a path leads, also where nothing is there: a killed build may have moved aside what a link points to. */
function follow(name: string, file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ELOOP')
      throw new OutputError(`is a link that leads in a circle (${code})`, name, { cause });
    if (code !== 'ENOENT' || !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    return follow(name, path.resolve(realpathSync(path.dirname(file)), readlinkSync(file)));
  }
}

/**
 * Undoes what a killed build left: a site that was moved aside and not yet replaced is put back, the rest is removed.
 * Only for whoever holds the lock.
 */
export function heal({ out, fresh, retired }: WorkFolders): void {
  if (!existsSync(out) && existsSync(retired)) renameSync(retired, out);
  for (const leftover of [fresh, retired]) rmSync(leftover, { recursive: true, force: true });
}
