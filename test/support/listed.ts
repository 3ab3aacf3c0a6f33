/** Sites that somebody changed on purpose, and whose manifest does not give that away. */

import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../../src/contract/meta.ts';

/** Lists every file as it is now, and some more. */
export function listAsTheyAre(folder: string, ...more: string[]): void {
  const file = path.join(folder, 'manifest.json');
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  const names = [...manifest.files.map((entry) => entry.path), ...more].sort();
  const files = names.map((name) => {
    const body = readFileSync(path.join(folder, name));
    return { path: name, bytes: body.length, sha256: hash('sha256', body) };
  });
  writeFileSync(file, JSON.stringify({ ...manifest, files }));
}
