/**
 * Runs with `npm run compile`. It updates dist/ file by file, so that running
 * commands keep working.
 */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../files.ts';
import { createDigester, sha256 } from '../sha256.ts';
import { isUpToDate, removeObsolete, updateFolder } from './update-folder.ts';

/** The inputs of dist/ that are outside src/. */
const otherInputs = [
  'rolldown.config.ts',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/**
 * Computes the digest of all inputs of dist/. Manifests contain this digest, so it
 * must be the same on every system.
 */
function digestCode(): string {
  const files = [...otherInputs];
  for (const entry of readdirSync('src', { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.push(file.split(path.sep).join('/'));
  }
  const digester = createDigester();
  for (const file of files.sort()) {
    digester.update(`${file}\n`);
    digester.update(readFileSync(file));
  }
  return digester.finish();
}

/** The last file that a compilation writes. If it exists, dist/ is complete. */
const MARKER = 'code.sha256';
const digest = digestCode();
// npm lists the installed packages in this file. In a workspace, it is in the
// parent's folder. Our own lock file may be newer than the installed packages.
const lock = new URL(
  '../.package-lock.json',
  import.meta.resolve('typescript/package.json'),
);
const installed = attempt(() => readFileSync(lock, 'utf8'), 'ENOENT') ?? '';
const inputs = sha256(digest + installed);
if (isUpToDate('dist', inputs)) {
  removeObsolete('dist');
} else {
  const { compile } = await import('./compile.ts');
  const files = await compile();
  files.set(MARKER, digest);
  updateFolder('dist', inputs, files, MARKER);
  // Node caches compiled modules in this folder and never removes obsolete ones.
  rmSync('dist/.cache', { recursive: true, force: true });
}
