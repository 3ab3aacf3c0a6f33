import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from '../../src/files.ts';

/**
 * Rewrites the manifest of a modified site so that it lists every file with its
 * current hash.
 */
export function listAsTheyAre(folder: string): void {
  const names = listFiles(folder).filter((name) => name !== 'manifest.json');
  const files = names.sort().map((name) => {
    const body = readFileSync(path.join(folder, name));
    return { path: name, bytes: body.length, sha256: hash('sha256', body) };
  });
  const manifest = { format: 1, generator: 'gamedata/0.0.0', files };
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
}
