/** Folders that live as long as the test that requested them. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
