/** The files of a folder that is verified: those that the manifest lists, and others. */

import type { Entries } from '../contract/entries.ts';

export interface FolderFiles {
  readonly size: number;
  has(file: string): boolean;
  /** Whether a file is there, and was not taken before. */
  take(file: string): boolean;
  /** Those below a path that were not taken. */
  left(below: string): Iterable<string>;
  /** Those that the manifest does not list. */
  unlisted(): Iterable<string>;
}

const ABSENT = 0;
const HERE = 1;
const TAKEN = 2;

/** What is listed has a number in the manifest's order: sets of all paths would take more memory than the manifest. */
export function createFolderFiles(found: Iterable<string>, entries: Entries): FolderFiles {
  const listed = new Uint8Array(entries.size);
  const others = new Map<string, number>();
  const stateOf = (file: string): number => listed[entries.place(file) ?? -1] ?? others.get(file) ?? ABSENT;

  function set(file: string, state: number): void {
    const place = entries.place(file);
    if (place === undefined) others.set(file, state);
    else listed[place] = state;
  }

  let size = 0;
  for (const file of found) {
    set(file, HERE);
    size++;
  }
  return {
    size,
    has: (file) => stateOf(file) !== ABSENT,
    take(file) {
      if (stateOf(file) !== HERE) return false;
      set(file, TAKEN);
      return true;
    },
    *left(below) {
      for (const files of [entries.keys(), others.keys()])
        for (const file of files) if (file.startsWith(below) && stateOf(file) === HERE) yield file;
    },
    unlisted: () => others.keys(),
  };
}
