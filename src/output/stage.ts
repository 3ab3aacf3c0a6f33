/** The stage: a new tree beside the published one, in which what has not changed is the very same file. */

import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';

export interface Stage {
  /** Puts the published file into the new tree under the same inode, so that it keeps its mtime and its ETag. */
  keep(name: string): void;
  write(name: string, body: string | Uint8Array): void;
  /** Throws where a file is not there with the size it has to have. */
  inspect(name: string, bytes: number): void;
}

export function createStage(fresh: string, published: string): Stage {
  const parents = new Set<string>();
  let last = '';

  /** Makes each folder once: asking the system for thousands that exist already takes longer than writing the files. */
  function ensureFolder(folder: string): void {
    if (folder === last || parents.has(folder)) return;
    if (folder !== fresh) {
      const parent = path.dirname(folder);
      ensureFolder(parent);
      parents.add(parent);
    }
    mkdirSync(folder, { recursive: true });
    last = folder;
  }

  function place(name: string, put: (target: string) => void): void {
    const target = path.join(fresh, name);
    if (!target.startsWith(fresh + path.sep))
      throw new OutputError('lies outside the output folder, and is not written', name);
    try {
      ensureFolder(path.dirname(target));
      put(target);
    } catch (cause) {
      throw new OutputError(`cannot be written (${errorCode(cause)})`, name, { cause });
    }
  }

  return {
    write: (name, body) => place(name, (target) => writeFileSync(target, body, { flag: 'wx' })),
    keep(name) {
      const source = path.join(published, name);
      place(name, (target) => {
        try {
          linkSync(source, target);
        } catch {
          // Not every file system has hard links.
          copyFileSync(source, target, constants.COPYFILE_EXCL);
        }
      });
    },
    inspect(name, bytes) {
      const stat = lstatSync(path.join(fresh, name), { throwIfNoEntry: false });
      if (stat?.size !== bytes)
        throw new OutputError(`is staged with ${stat?.size ?? 'no'} bytes, expected ${bytes}`, name);
    },
  };
}
