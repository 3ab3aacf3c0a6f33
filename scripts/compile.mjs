/**
 * Compiles src/ to dist/ if dist/ is not up to date: `npm run compile`. This is plain
 * JavaScript, because Node 20 cannot run TypeScript.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { STAGED } from '../rolldown.config.mjs';

/** The file with the digest of the sources from which dist/ was compiled. */
const SOURCES_FILE = 'dist/sources.sha256';

/** The sources outside src/. */
const configuration = [
  'package-lock.json',
  'package.json',
  'rolldown.config.mjs',
  'scripts/compile.mjs',
  'tsconfig.build.json',
  'tsconfig.json',
];

/** Maps each folder in dist/ to the files in src/ that are copied into it. */
const copies = {
  templates: [
    'hosts/templates/Caddyfile',
    'hosts/templates/apache.conf',
    'hosts/templates/htaccess',
    'hosts/templates/nginx.conf',
    'web/browse/browse.html',
    'web/docs/docs.html',
    'web/front/index.html',
    'web/search/search.html',
    'web/shared/404.html',
    'web/shared/page.html',
  ],
  assets: ['web/docs/reference.html', 'web/shared/style.css'],
};

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const sources = digestSources();
if (!isCompiled()) compile();
// Also without a compilation, because the start script compares this file's time with
// the times of the sources.
writeFileSync(SOURCES_FILE, sources);

function digestSources() {
  const sourceFiles = listFiles('src').map((file) => `src/${file}`);
  return digestFiles('.', [...configuration, ...sourceFiles]);
}

function isCompiled() {
  if (!existsSync(SOURCES_FILE)) return false;
  return readFileSync(SOURCES_FILE, 'utf8') === sources;
}

/**
 * Prepares dist/ in another folder, and then replaces it. A running command fails if
 * it has to load another part of the old dist/ afterwards.
 *
 * The bundler and the TypeScript compiler are separate processes that run one after
 * the other, because both together need more than 512 MB of memory.
 */
function compile() {
  rmSync(STAGED, { recursive: true, force: true });
  runProgram('rolldown', 'bin/cli.mjs', ['--config', 'rolldown.config.mjs']);
  copyFiles();
  const generator = path.join(STAGED, 'generate.js');
  runNode(generator, []);
  rmSync(generator);
  writeFileSync(path.join(STAGED, 'code.sha256'), digestCode());
  const typesFolder = path.join(STAGED, 'types');
  const options = ['--project', 'tsconfig.build.json', '--outDir', typesFolder];
  runProgram('typescript', 'bin/tsc', options);
  rmSync('dist', { recursive: true, force: true });
  renameSync(STAGED, 'dist');
}

function copyFiles() {
  for (const [folder, files] of Object.entries(copies)) {
    for (const file of files) {
      const target = path.join(STAGED, folder, path.basename(file));
      cpSync(path.join('src', file), target);
    }
  }
}

/**
 * Computes the digest of the code that builds sites: of the compiled files, and of the
 * versions of the packages that they import. Manifests contain this digest, so it must
 * be the same on every machine.
 */
function digestCode() {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const digest = createHash('sha256');
  digest.update(digestFiles(STAGED, listFiles(STAGED)));
  digest.update(JSON.stringify(dependencies));
  return digest.digest('hex');
}

/** Computes one digest of the names and the contents of files. */
function digestFiles(root, files) {
  const digest = createHash('sha256');
  for (const file of files) {
    digest.update(`${file}\n`);
    digest.update(readFileSync(path.join(root, file)));
  }
  return digest.digest('hex');
}

/**
 * Lists the files in a folder and its subfolders in a fixed order, with forward slashes.
 * Skips hidden files, which editors and file managers leave behind.
 */
function listFiles(folder) {
  const files = [];
  const options = { recursive: true, withFileTypes: true };
  for (const entry of readdirSync(folder, options)) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const file = path.relative(folder, path.join(entry.parentPath, entry.name));
    files.push(file.replaceAll(path.sep, '/'));
  }
  return files.sort();
}

/** Runs a program of an installed package. */
function runProgram(packageName, program, args) {
  const manifest = import.meta.resolve(`${packageName}/package.json`);
  runNode(fileURLToPath(new URL(program, manifest)), args);
}

/** Runs a script in a process of its own. If the script fails, exits with its status. */
function runNode(script, args) {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}
