import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Resolves symlinks, because child processes print real paths. */
export function createFolder(parent: string = tmpdir()): string {
  const folder = mkdtempSync(path.join(parent, 'gamedata-test-'));
  return realpathSync(folder);
}

export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true });

/**
 * Creates a folder for a function, and removes the folder when the function has
 * ended.
 */
export async function inFolder<T>(
  use: (folder: string) => Promise<T>,
  parent?: string,
): Promise<T> {
  const folder = createFolder(parent);
  try {
    return await use(folder);
  } finally {
    removeFolder(folder);
  }
}
