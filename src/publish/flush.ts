import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { attempt, listParentFolders } from '../files.ts';

/**
 * Flushes files and their folders to the disk. A single `sync -f` for the whole file
 * system is faster than thousands of fsync calls. We use it only on Linux, because
 * other systems may ignore `-f`.
 */
export function flushAll(folder: string, files: readonly string[]): void {
  if (process.platform === 'linux') {
    const { status } = spawnSync('sync', ['-f', folder], { stdio: 'ignore' });
    if (status === 0) return;
  }
  for (const file of files) flush(path.join(folder, file));
  for (const inside of listParentFolders(files)) flush(path.join(folder, inside));
}

/**
 * Error codes that are ignored when opening a file to flush it: some systems cannot
 * open folders, and a file may have been removed.
 */
const UNOPENABLE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'];
/**
 * Error codes that mean that data was lost. Any other error only means that the
 * system cannot flush this file or folder.
 */
const LOST_DATA = ['EIO', 'ENOSPC', 'EDQUOT'];

/** Flushes a file or folder to the disk if the system supports it. */
export function flush(file: string): void {
  const descriptor = attempt(() => fs.openSync(file, 'r'), ...UNOPENABLE);
  if (descriptor === undefined) return;
  try {
    fs.fsyncSync(descriptor);
  } catch (error) {
    if (LOST_DATA.includes(errorCode(error))) throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}
