/** The paths of a site's files: which are safe, which folders they need, and the order in which they are put into place. */

import path from 'node:path';
import { kindNames } from '../contract/kinds.ts';
import { isSitePath } from '../contract/meta.ts';
import { listPath, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';

/** Rejects unsafe paths, and those of which no file system, or not every one, can have both: `a` and `A`, `a` and `a/b`. */
export function createPathCheck(): (name: string) => void {
  const files = new Set<string>([MANIFEST_FILE]);
  const folders = new Set<string>();
  return (name) => {
    if (!isSitePath(name)) throw new OutputError('is not a path inside the site', name);
    const key = name.toLowerCase();
    if (files.has(key)) throw new OutputError('occurs twice in the site, ignoring letter case', name);
    const above = foldersOf([key]);
    if (folders.has(key) || [...above].some((folder) => files.has(folder)))
      throw new OutputError('is a file where the site has a folder, or the other way round', name);
    files.add(key);
    for (const folder of above) folders.add(folder);
  };
}

/** Every folder above some files; that of the site is `.`. */
export function foldersOf(files: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let folder = path.posix.dirname(file); !folders.has(folder); folder = path.posix.dirname(folder))
      folders.add(folder);
  return folders;
}

/**
 * Links stay true at every moment: records come before the pages that list them, later pages before those that lead to
 * them, then what is made of them, and what describes the site at last.
 */
export function inOrder(files: readonly string[]): string[] {
  const groups: string[][] = [[], [], [], [], []];
  for (const file of files) groups[rank(file)]?.push(file);
  groups[1]?.reverse();
  return groups.flat();
}

function rank(file: string): number {
  if (file === MANIFEST_FILE) return 4;
  if (file === META_FILE) return 3;
  const list = kindNames.map((kind) => listPath(kind).slice(1)).find((folder) => file.startsWith(folder));
  if (!list) return 2;
  const below = file.slice(list.length);
  return below.startsWith('offset/') || !below.includes('/') ? 1 : 0;
}
