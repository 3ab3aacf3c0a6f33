/** What tells whether anybody touched a file: which inode it is, and when it was last written. */

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Path → inode, modification time and size, for every file and folder below a folder. */
export function fingerprint(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    names.map((name) => {
      const { ino, mtimeNs, size } = statSync(path.join(folder, name), { bigint: true });
      return [name, `${ino} ${mtimeNs} ${size}`];
    }),
  );
}
