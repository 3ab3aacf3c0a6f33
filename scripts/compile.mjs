/**
 * Compiles src/ to dist/: `npm run compile`, or with `--if-stale` only if an input has changed.
 *
 *   main.cjs, index.cjs, chunks the command line and the API, with commander, zod, fs-extra and undici inside: reading two
 *                               hundred modules would take a third of a build from the snapshot
 *   cli.cjs, *.cache            starts the command line with what V8 has made of its code before
 *   index.js                    the API for `import`
 *   cli.js                      where the command line was in version 0.1.0, which crontabs and units may name
 *   compress-worker.cjs, look-worker.cjs
 *                               the code of threads: the compressor's, and that which looks at published files
 *   handler.js                  the handler as one module, for hosts that run code
 *   assets/, templates/         the pages: scripts, styles and HTML
 *   types/, types.d.ts          declarations of the API, and the types that every site serves
 *   config.schema.json          the JSON Schema of gamedata.config.json, for editors
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** The digest of what the present dist/ was compiled from. Manifests contain it, so it is the same on every system. */
const STAMP = path.join('dist', 'code.sha256');
const inputs = digestInputs();
if (process.argv.includes('--if-stale') && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs)
  process.exit();

rmSync('dist', { recursive: true, force: true });
compileDeclarations();
await compileNode();
await compileHandler();
await compilePages();
await writeTypes();
writeConfigSchema();
writeFileSync(STAMP, inputs);

function digestInputs() {
  const hash = createHash('sha256');
  const files = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const others = ['scripts/compile.mjs', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const file of [...files, ...others].sort())
    hash.update(`${file.split(path.sep).join('/')}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Checks types, too. */
function compileDeclarations() {
  const tsc = path.join('node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
  } catch {
    // The compiler has printed the reason.
    process.exit(1);
  }
}

async function compileNode() {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  /** Dependencies that most commands need become part of the bundle, and those that are ES modules only. */
  const bundled = ['commander', 'zod', 'fs-extra', 'undici', 'modern-tar', 'p-limit'];
  await build({
    input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    platform: 'node',
    external: Object.keys(dependencies).filter((name) => !bundled.includes(name)),
    preserveEntrySignatures: 'allow-extension',
    output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  // npx makes it executable only when it first links the checkout.
  chmodSync(path.join('dist', 'cli.js'), 0o755);
}

async function compileHandler() {
  await build({
    input: 'src/handler/index.ts',
    transform: { target: 'es2022' },
    output: { file: 'dist/handler.js' },
  });
}

async function compilePages() {
  const pages = {
    front: 'front/front.ts',
    browse: 'browse/browse.ts',
    docs: 'docs/docs.ts',
    search: 'search/engine.ts',
  };
  for (const [page, input] of Object.entries(pages))
    await build({
      input: `src/web/${input}`,
      transform: { target: ['chrome109', 'firefox115', 'safari16'] },
      output: {
        file: `dist/assets/${page}.js`,
        minify: true,
        postBanner: page === 'search' ? licenses() : '',
      },
    });
  copyAll('src/web', 'dist/templates', {
    'front/index.html': '',
    'browse/browse.html': '',
    'docs/docs.html': '',
    'shared/404.html': '',
  });
  copyAll('src/web', 'dist/assets', {
    'shared/style.css': '',
    'docs/docs.css': '',
    'docs/reference.html': '',
  });
}

/** Of what is bundled in the search. */
function licenses() {
  const texts = [
    ['@leeoniya/ufuzzy', 'LICENSE'],
    ['fastest-levenshtein', 'LICENSE.md'],
  ].map((file) => readFileSync(path.join('node_modules', ...file), 'utf8').trim());
  return `/*!\n${texts.join('\n\n')}\n*/`;
}

/** @param files source → name in the target folder, or empty for the same name */
function copyAll(from, to, files) {
  mkdirSync(to, { recursive: true });
  for (const [file, name] of Object.entries(files))
    copyFileSync(path.join(from, file), path.join(to, name || path.basename(file)));
}

/** The types that every site serves, for `import type { Move } from 'gamedata/types'`. */
async function writeTypes() {
  const { output } = await build({
    input: 'src/site/specification/types.ts',
    platform: 'node',
    write: false,
  });
  const code = Buffer.from(output[0].code).toString('base64');
  const { typeDeclarations } = await import(`data:text/javascript;base64,${code}`);
  writeFileSync(path.join('dist', 'types.d.ts'), typeDeclarations());
}

/** In a process of its own, as it is made from the options of the command line, whose code is TypeScript. */
function writeConfigSchema() {
  const script = path.join('scripts', 'config-schema.ts');
  const schema = execFileSync(process.execPath, ['--import', 'tsx', script]);
  writeFileSync(path.join('dist', 'config.schema.json'), schema);
}
