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

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/**
 * The modules that most commands load, in a few files: finding and linking one takes as long as compiling some thousand lines
 * of it. Everything else is in files of its own, and loaded where it is used. The first that fits counts. `names` has the
 * compiler's helpers, too: otherwise two files would require each other for one of them.
 */
const groups = [
  {
    name: 'names',
    test: /@oxc-project|\/src\/(errors|version|text\/|contract\/(kinds|paths|icons)|commands\/defaults|hosts\/names|verify\/level|sources\/source\.)/,
  },
  { name: 'zod', test: /\/node_modules\/zod\// },
  {
    name: 'build',
    test: /\/src\/(contract|dataset|output|icons\/gather|sources\/(capture|load|snapshot|site-folder)|commands\/(build|check-|making|package-files|published-parts|report|source-options))/,
  },
  { name: 'site', test: /\/src\/(site|web|hosts|archive\/(compressor|site-archives))/ },
];

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
precompile();

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
  const code = {
    // Node loads CommonJS in two thirds of the time of ES modules. Names are kept for the stacks in reports of bugs.
    format: 'cjs',
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  };
  const { output } = await build({
    input: {
      main: 'src/cli/main.ts',
      index: 'src/index.ts',
    },
    platform: 'node',
    external: Object.keys(dependencies).filter((name) => !bundled.includes(name)),
    preserveEntrySignatures: 'allow-extension',
    output: {
      dir: 'dist',
      ...code,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      codeSplitting: { groups, includeDependenciesRecursively: false },
    },
  });
  // Each in one file with nothing that it does not need.
  const alone = {
    cli: 'cli/start',
    'compress-worker': 'archive/compress-worker',
    'look-worker': 'output/look-worker',
  };
  for (const [name, source] of Object.entries(alone))
    await build({
      input: `src/${source}.ts`,
      platform: 'node',
      external: Object.keys(dependencies),
      output: { file: `dist/${name}.cjs`, ...code },
    });
  const api = output.find(({ fileName }) => fileName === 'index.cjs');
  writeFileSync(path.join('dist', 'index.js'), `export { ${api.exports.join(', ')} } from './index.cjs';\n`);
  writeFileSync(path.join('dist', 'cli.js'), "import './cli.cjs';\n");
  // npx makes it executable only when it first links the checkout.
  chmodSync(path.join('dist', 'cli.cjs'), 0o755);
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

/** Builds a site out of sight of any configuration. If that fails, later processes take longer, and nothing else. */
function precompile() {
  const cwd = mkdtempSync(path.join(tmpdir(), 'gamedata-'));
  const args = [path.resolve('scripts', 'precompile.mjs'), 'build', '--source', 'snapshot'];
  spawnSync(process.execPath, args, { cwd, env: {}, stdio: 'ignore' });
  rmSync(cwd, { recursive: true });
}
