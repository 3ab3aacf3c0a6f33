/** Replaces the published folder as a whole by the staged one. */

import { chmodSync, chownSync, existsSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { flush, flushAll } from './flush.ts';
import type { WorkFolders } from './work-folders.ts';

/** Whoever may read the published folder may read the one that takes its place. */
function inheritAccess(out: string, fresh: string): void {
  const stat = statSync(out, { throwIfNoEntry: false });
  if (!stat) return;
  try {
    // First, as it takes the set-group-ID bit away.
    chownSync(fresh, stat.uid, stat.gid);
  } catch {
    // Only root may give folders away, and only to groups of its own may anybody else.
  }
  chmodSync(fresh, stat.mode & 0o7777);
}

/** There is no site only between the two renames, and `recover` restores the old one after a crash there. */
export function swap({ name, out, fresh, retired }: WorkFolders): void {
  flushAll(fresh);
  inheritAccess(out, fresh);
  try {
    if (existsSync(out)) renameSync(out, retired);
    renameSync(fresh, out);
    flush(path.dirname(out));
  } catch (cause) {
    throw new OutputError(`cannot be replaced (${errorCode(cause)})`, name, {
      cause,
      hint: 'Its parent folder must be writable, and the folder itself must not be a mount point.',
    });
  }
}
