/**
 * Compiles src/ to dist/: every module by TypeScript, then bundles over them. The handler becomes one module that runs
 * anywhere, and so do the pages' scripts for browsers; the command line and the public API become a few files with zod and
 * commander inside, since finding and reading two hundred small modules takes longer than a build from the snapshot. Bundled
 * files lie flat in dist/, where paths relative to
 * them mean the same as in src/.
 */

import { execSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { build } from 'esbuild';

process.chdir(new URL('..', import.meta.url).pathname);
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
try {
  execSync('npx tsc -p tsconfig.build.json', { stdio: 'inherit' });
} catch {
  // The compiler has said why.
  process.exit(1);
}

/** Dependencies whose code is read at every start, and becomes a part of the bundle. */
const bundled = ['commander', 'zod'];

const common = { bundle: true, format: 'esm', logLevel: 'warning' };
await build({
  ...common,
  entryPoints: ['dist/handler/index.js'],
  target: 'es2022',
  outfile: 'dist/handler.bundle.js',
});
await build({
  ...common,
  entryPoints: ['dist/output/pack-worker.js'],
  platform: 'node',
  target: 'node20',
  outfile: 'dist/pack-worker.bundle.js',
});
await build({
  ...common,
  entryPoints: ['dist/cli.js', 'dist/index.js'],
  platform: 'node',
  target: 'node20',
  splitting: true,
  external: Object.keys(dependencies).filter((name) => !bundled.includes(name)),
  // commander is CommonJS and asks for Node's modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  outdir: 'dist',
  allowOverwrite: true,
});
// What every site has beside public/: the scripts of its pages, …
await build({
  ...common,
  entryPoints: ['src/pages/browse.ts', 'src/pages/front.ts'],
  target: ['chrome109', 'firefox115', 'safari16'],
  minify: true,
  // The notice of what is inside of one of them goes along with both.
  banner: { js: `/*!\n${readFileSync('node_modules/@leeoniya/ufuzzy/LICENSE', 'utf8').trim()}\n*/` },
  outdir: 'dist/assets',
});

// … and the viewer of the reference page, as it is published, with its licence.
const viewer = 'node_modules/swagger-ui-dist';
mkdirSync('dist/assets/reference', { recursive: true });
for (const [from, to = from] of [
  ['swagger-ui-bundle.js'],
  ['swagger-ui.css'],
  ['LICENSE', 'swagger-ui-license.txt'],
  ['NOTICE', 'swagger-ui-notice.txt'],
  ['swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui-bundle-licenses.txt'],
])
  copyFileSync(`${viewer}/${from}`, `dist/assets/reference/${to}`);

// The types that every site serves, for `import type { Move } from 'gamedata/types'`.
const { TYPES_FILE, typeDeclarations } = await import('../dist/contract/types.js');
writeFileSync(`dist/${TYPES_FILE}`, typeDeclarations());
