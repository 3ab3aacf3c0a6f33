/** Flushing to disk, as far as the system can. */

import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { foldersOf } from './site-paths.ts';

/**
 * Waits until some files of a folder are on disk, and the folders above them. One command, where there is one, takes less
 * than a call for each of thousands of files.
 */
export function flushAll(folder: string, files: readonly string[]): void {
  if (spawnSync('sync', ['-f', folder], { stdio: 'ignore' }).status === 0) return;
  for (const file of [...files, ...foldersOf(files)]) flush(path.join(folder, file));
}

/** Waits until a file or a folder is on disk, where the system knows how to. */
export function flush(file: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    // For example, what has just been removed, and folders on Windows.
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'].includes(errorCode(error))) return;
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
