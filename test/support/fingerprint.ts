import { lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the inode, mtime and size of everything below a folder, by path. If two
 * results are equal, nothing was touched in between.
 */
export function fingerprint(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    names.map((name) => {
      const { ino, mtimeNs, size } = statSync(path.join(folder, name), {
        bigint: true,
      });
      return [name, `${ino} ${mtimeNs} ${size}`];
    }),
  );
}

export const octal = (mode: number): string => (mode & 0o7777).toString(8);
export const modeOf = (file: string): string => octal(lstatSync(file).mode);
