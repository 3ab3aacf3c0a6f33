import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { digestLines } from '../../src/data/data-set.ts';
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

/** Rewrites the description of a modified data set so that it matches every file. */
export function describeAsItIs(folder: string): void {
  const file = path.join(folder, 'dataset.json');
  const description = JSON.parse(readFileSync(file, 'utf8'));
  for (const entry of description.files) {
    const body = readFileSync(path.join(folder, entry.path));
    Object.assign(entry, { bytes: body.length, sha256: hash('sha256', body) });
  }
  description.digest = digestLines((kind) =>
    readFileSync(path.join(folder, `${kind}.ndjson`)),
  );
  writeFileSync(file, JSON.stringify(description));
}
