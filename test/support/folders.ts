import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Resolves symlinks, because child processes print real paths. */
export const createFolder = (): string =>
  realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-test-')));

export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true });

export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = createFolder();
  try {
    return await use(folder);
  } finally {
    removeFolder(folder);
  }
}
