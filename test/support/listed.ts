/** Sites that somebody changed on purpose, and whose manifest does not give that away. */

import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from '../../src/files.ts';

/** Lists every file as it is now. */
export function listAsTheyAre(folder: string): void {
  const manifest = path.join(folder, 'manifest.json');
  const names = listFiles(folder).filter((name) => name !== 'manifest.json');
  const files = names.sort().map((name) => {
    const body = readFileSync(path.join(folder, name));
    return { path: name, bytes: body.length, sha256: hash('sha256', body) };
  });
  writeFileSync(manifest, JSON.stringify({ format: 1, generator: 'gamedata/0.0.0', files }));
}
