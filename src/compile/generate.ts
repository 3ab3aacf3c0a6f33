/** `npm run compile`: updates dist/ file by file, so that running commands keep working. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../files.ts';
import { hash, isUpToDate, removeObsolete, updateFolder } from './update-folder.ts';

/** Digests the inputs of dist/. Manifests contain the digest, so it is the same on every system. */
function digestCode(): string {
  const files = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name).split(path.sep).join('/'));
  const others = [
    'rolldown.config.ts',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  const digest = createHash('sha256');
  for (const file of [...files, ...others].sort())
    digest.update(`${file}\n`).update(readFileSync(file));
  return digest.digest('hex');
}

const MARKER = 'code.sha256';
const digest = digestCode();
// npm lists the installed packages here, in a workspace in the parent's folder. Our own lock file may be newer.
const lock = new URL('../.package-lock.json', import.meta.resolve('typescript/package.json'));
const installed = attempt(() => readFileSync(lock, 'utf8'), 'ENOENT') ?? '';
const inputs = hash(digest + installed);
if (isUpToDate('dist', inputs)) removeObsolete('dist');
else {
  const { compile } = await import('./compile.ts');
  updateFolder('dist', inputs, (await compile()).set(MARKER, digest), MARKER);
  // Node caches compiled modules here and never removes obsolete ones.
  rmSync('dist/.cache', { recursive: true, force: true });
}
