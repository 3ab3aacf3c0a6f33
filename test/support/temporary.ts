/** Folders that live as long as the test that requested them, or all tests of a file. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const create = (): string => realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-test-')));
const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export function temporaryFolder(): string {
  const folder = create();
  onTestFinished(() => remove(folder));
  return folder;
}

/** For what is made once, in `beforeAll`. */
export function sharedFolder(): string {
  const folder = create();
  afterAll(() => remove(folder));
  return folder;
}
