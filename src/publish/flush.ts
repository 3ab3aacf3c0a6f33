/** Flushing to disk, as far as the system can. */

import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { errorCode } from '../errors.ts';

/** Waits until everything in a folder is on disk: one command for all files, where there is one, takes less than a call for each. */
export const flushAll = (folder: string): void => void spawnSync('sync', ['-f', folder], { stdio: 'ignore' });

/** Waits until a file or a folder is on disk, where the system knows how to. */
export function flush(file: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    // For example, a folder that has just been removed, and folders on Windows.
    if (['ENOENT', 'EISDIR', 'EPERM', 'EACCES'].includes(errorCode(error))) return;
    throw error;
  }
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EROFS'].includes(errorCode(error))) throw error;
  } finally {
    closeSync(descriptor);
  }
}
