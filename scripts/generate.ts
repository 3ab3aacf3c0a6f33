/** What `npm run compile` puts into dist/ besides declarations: bundles, templates and styles, types, the configuration's schema, a digest. */

import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import bundles from '../rolldown.config.ts';
import { configJsonSchema } from '../src/cli/config.ts';
import { createProgram } from '../src/cli/program.ts';
import { typeDeclarations } from '../src/site/json-schemas.ts';
import { installed, noticesText } from './licences.ts';

// The first one empties the folder. rolldown's command line would list every file.
for (const bundle of bundles) await build(bundle);

const copies = {
  templates: ['front/index.html', 'browse/browse.html', 'docs/docs.html', 'shared/404.html'],
  assets: ['shared/style.css', 'docs/docs.css', 'docs/reference.html'],
};
for (const [folder, files] of Object.entries(copies)) {
  mkdirSync(`dist/${folder}`, { recursive: true });
  for (const file of files) copyFileSync(`src/web/${file}`, `dist/${folder}/${path.basename(file)}`);
}
writeFileSync('dist/types.d.ts', typeDeclarations());
writeFileSync(
  'dist/config.schema.json',
  `${JSON.stringify(configJsonSchema(await createProgram()), null, 2)}\n`,
);
writeFileSync('dist/third-party.txt', noticesText(installed()));
writeFileSync('dist/code.sha256', digestCode());
// npx makes it executable only when it first links the checkout.
chmodSync('dist/cli.js', 0o755);

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
