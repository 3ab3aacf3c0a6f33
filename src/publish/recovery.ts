/** Recovery: what interrupted builds left beside a folder. */

import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { statusOf } from '../files.ts';
import { rollForward } from './commit.ts';
import type { WorkFolders } from './work-folders.ts';

/**
 * Ends what an interrupted build left: what was committed is finished, a site that an earlier version moved aside and did
 * not replace is restored, everything else is trash. Only for the holder of the lock.
 */
export function recover(folders: WorkFolders): void {
  const { name, out, fresh, retired, trash } = folders;
  refuseStrangers(folders);
  rollForward(folders);
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

/** In a parent that others may write to, anybody may leave what looks like the work of an interrupted build. */
function refuseStrangers({ out, fresh, retired, commit, received }: WorkFolders): void {
  const ownerOf = (file: string): number | undefined => statusOf(file)?.uid;
  const trusted = [undefined, process.geteuid?.() ?? ownerOf(out), ownerOf(out)];
  for (const file of [fresh, retired, commit, received]) {
    if (!process.geteuid || trusted.includes(ownerOf(file))) continue;
    throw new OutputError(`belongs to another user (${ownerOf(file)}), and is not used`, file, {
      hint: 'Remove it, and build again in a folder whose parent only you can write to.',
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
        rmSync(leftover, { recursive: true, force: true });
        return false;
      } catch {
        return true;
      }
    });
}
