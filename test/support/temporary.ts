import { afterAll, onTestFinished } from 'vitest';
import { createFolder, removeFolder } from './folders.ts';

export function temporaryFolder(parent?: string): string {
  const folder = createFolder(parent);
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Creates a folder for all tests in a file. */
export function sharedFolder(): string {
  const folder = createFolder();
  afterAll(() => removeFolder(folder));
  return folder;
}
