/** The stage: the new site beside the published one. Unchanged files are hard links to the published ones. */

import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { isInside } from '../files.ts';

export interface Stage {
  /** Links the published file, which keeps its inode, mtime and ETag. */
  keep(name: string): void;
  write(name: string, body: Uint8Array, options: { readonly replaces: boolean }): void;
}

/** How far the clock of files may be behind. */
const CLOCK_MS = 20;

/** In milliseconds; 0 if it is not there any more. */
function timeOf(file: string): number {
  try {
    return lstatSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/**
 * Many web servers derive a file's validators from its time in seconds: what takes its place is of a later second, even if
 * one build follows the other at once.
 */
function stampLater(file: string, replaced: string): void {
  const second = Math.floor(timeOf(replaced) / 1000);
  const now = Date.now();
  if (second < Math.floor((now - CLOCK_MS) / 1000)) return;
  // Never before now, which has been rounded down, as the manifest has to be the newest.
  const time = new Date(Math.max((second + 1) * 1000, now + 1));
  utimesSync(file, time, time);
}

export function createStage(fresh: string, published: string): Stage {
  let last = '';

  /** fs-extra's `outputFile` checks the folder of every single file, which takes longer than writing thousands of them. */
  function ensureFolder(folder: string): void {
    if (folder !== last) mkdirSync(folder, { recursive: true });
    last = folder;
  }

  function place<T>(name: string, put: (target: string) => T): T {
    const target = path.join(fresh, name);
    if (!isInside(fresh, target))
      throw new OutputError('is outside the output folder, and was not written', name);
    try {
      ensureFolder(path.dirname(target));
      return put(target);
    } catch (cause) {
      // What is wrong with the text, not with the file.
      if (!errorCode(cause)) throw cause;
      throw new OutputError(`cannot be written (${errorCode(cause)})`, name, { cause });
    }
  }

  return {
    write: (name, body, { replaces }) =>
      place(name, (target) => {
        writeFileSync(target, body, { flag: 'wx' });
        if (replaces) stampLater(target, path.join(published, name));
      }),
    keep(name) {
      const source = path.join(published, name);
      place(name, (target) => {
        try {
          linkSync(source, target);
        } catch {
          // Not every file system has hard links. The time is part of validators.
          copyFileSync(source, target, constants.COPYFILE_EXCL);
          const { atime, mtime } = lstatSync(source);
          utimesSync(target, atime, mtime);
        }
      });
    },
  };
}
