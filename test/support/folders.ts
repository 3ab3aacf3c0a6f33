/** Temporary folders, for what is no test. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Its path has no links, as messages of child processes name it. */
export const createFolder = (): string => realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-test-')));

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** A folder for as long as it is used. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = createFolder();
  try {
    return await use(folder);
  } finally {
    removeFolder(folder);
  }
}
