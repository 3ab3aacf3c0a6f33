import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import path from 'node:path';
import { attempt, listParentFolders } from '../files.ts';

/** One `sync -f` is faster than thousands of fsync calls. Other systems may ignore `-f`. */
export function flushAll(folder: string, files: readonly string[]): void {
  const isLinux = process.platform === 'linux';
  if (isLinux && spawnSync('sync', ['-f', folder], { stdio: 'ignore' }).status === 0) return;
  for (const file of [...files, ...listParentFolders(files)]) flush(path.join(folder, file));
}

export function flush(file: string): void {
  const descriptor = attempt(() => openSync(file, 'r'), 'ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES');
  if (descriptor === undefined) return;
  try {
    attempt(() => fsyncSync(descriptor), 'EINVAL', 'EPERM', 'ENOTSUP', 'EROFS');
  } finally {
    closeSync(descriptor);
  }
}
