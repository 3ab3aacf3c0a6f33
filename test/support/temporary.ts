/** Folders that live as long as the test that requested them, or all tests of a file. */

import { afterAll, onTestFinished } from 'vitest';
import { createFolder, removeFolder } from './folders.ts';

export function temporaryFolder(): string {
  const folder = createFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** For what is made once, in `beforeAll`. */
export function sharedFolder(): string {
  const folder = createFolder();
  afterAll(() => removeFolder(folder));
  return folder;
}
