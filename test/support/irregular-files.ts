/** What may be in the place of a file. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './temporary.ts';

/** Each is told where what was there before is now. */
export const irregular: Record<string, (file: string, outside: string) => void> = {
  'a pipe': (file) => void execFileSync('mkfifo', [file]),
  'a link to the same content': (file, outside) => symlinkSync(outside, file),
  'a link to itself': (file) => symlinkSync(path.basename(file), file),
  'a folder': (file) => mkdirSync(file),
};

export function replaceBy(make: (file: string, outside: string) => void, file: string): void {
  const outside = path.join(temporaryFolder(), 'outside');
  renameSync(file, outside);
  make(file, outside);
}
