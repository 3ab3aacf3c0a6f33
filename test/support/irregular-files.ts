import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/**
 * Each function creates something other than a regular file. `outside` is a regular
 * file in another folder.
 */
export const irregular: Record<string, (file: string, outside: string) => void> = {
  'a FIFO': (file) => void execFileSync('mkfifo', [file]),
  'a symlink to a file': (file, outside) => symlinkSync(outside, file),
  'a symlink to itself': (file) => symlinkSync(path.basename(file), file),
  'a folder': (file) => mkdirSync(file),
};
