/**
 * `npm run compile`: makes dist/ of bundles, templates and styles, types, the configuration's schema, and a digest, which comes last
 * and without which dist/ does not count.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import bundles from '../rolldown.config.ts';
import { configJsonSchema } from '../src/cli/config.ts';
import { loadCommands } from '../src/cli/program.ts';
import { typeDeclarations } from '../src/site/json-schemas.ts';
import { bundledPackages, noticesText } from './licences.ts';

const copies = {
  templates: [
    'front/index.html',
    'browse/browse.html',
    'docs/docs.html',
    'shared/404.html',
    'search/search.html',
  ],
  assets: ['shared/style.css', 'docs/docs.css', 'docs/reference.html'],
};

try {
  await compile();
} catch (error) {
  rmSync('dist', { recursive: true, force: true });
  throw error;
}

async function compile(): Promise<void> {
  // The first one empties the folder. rolldown's command line would list every file.
  const outputs = [];
  for (const bundle of bundles) outputs.push(await build(bundle));
  for (const [folder, files] of Object.entries(copies)) {
    mkdirSync(`dist/${folder}`, { recursive: true });
    for (const file of files) copyFileSync(`src/web/${file}`, `dist/${folder}/${path.basename(file)}`);
  }
  writeFileSync('dist/types.d.ts', typeDeclarations());
  writeFileSync(
    'dist/config.schema.json',
    `${JSON.stringify(configJsonSchema(await loadCommands()), null, 2)}\n`,
  );
  writeFileSync('dist/third-party.txt', noticesText(bundledPackages(outputs)));
  const tsc = path.join(fileURLToPath(import.meta.resolve('typescript/package.json')), '../bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
  writeFileSync('dist/code.sha256', digestCode());
}

/** Of what dist/ is compiled from. Manifests contain it, so it is the same on every system. */
function digestCode(): string {
  const files = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name).split(path.sep).join('/'));
  const others = ['rolldown.config.ts', 'scripts/generate.ts', 'package-lock.json', 'tsconfig.json'];
  const hash = createHash('sha256');
  for (const file of [...files, ...others].sort()) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}
