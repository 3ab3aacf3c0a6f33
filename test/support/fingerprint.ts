import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the inode, mtime and size of everything below a folder, by path. If two
 * results are equal, nothing was touched in between.
 */
export function fingerprint(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    names.map((name) => {
      const { ino, mtimeNs, size } = lstatSync(path.join(folder, name), {
        bigint: true,
      });
      return [name, `${ino} ${mtimeNs} ${size}`];
    }),
  );
}

/**
 * Returns the fingerprint of everything below a folder, but without the mtimes of
 * folders, which change if a build makes its work folder there and removes it again.
 */
export function fingerprintFiles(folder: string): Map<string, string> {
  const marks = fingerprint(folder);
  for (const name of marks.keys()) {
    const status = lstatSync(path.join(folder, name));
    if (status.isDirectory()) marks.set(name, `${status.ino} ${octal(status.mode)}`);
  }
  return marks;
}

export const octal = (mode: number): string => (mode & 0o7777).toString(8);
export const modeOf = (file: string): string => octal(lstatSync(file).mode);
