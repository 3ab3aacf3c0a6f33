/** The stage: the new site beside the published one. Unchanged files are hard links to the published ones. */

import { constants, copyFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { isInside } from '../files/folder.ts';

export interface Stage {
  /** Links the published file, which keeps its inode, mtime and ETag. */
  keep(name: string): void;
  write(name: string, body: string | Uint8Array): void;
}

export function createStage(fresh: string, published: string): Stage {
  let last = '';

  /** fs-extra's `outputFile` checks the folder of every single file, which takes longer than writing thousands of them. */
  function ensureFolder(folder: string): void {
    if (folder !== last) mkdirSync(folder, { recursive: true });
    last = folder;
  }

  function place(name: string, put: (target: string) => void): void {
    const target = path.join(fresh, name);
    if (!isInside(fresh, target))
      throw new OutputError('is outside the output folder, and was not written', name);
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
  };
}
