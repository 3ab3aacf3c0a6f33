import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { sharedFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INPUTS = [
  'package.json',
  'package-lock.json',
  'rolldown.config.mjs',
  'scripts',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
];

/** A clone in a workspace, whose packages are in a parent folder. */
const workspace = sharedFolder();
const clone = path.join(workspace, 'packages/gamedata');
const compile = (): void => {
  execFileSync(process.execPath, [path.join(clone, 'scripts/compile.mjs')]);
};
const read = (root: string, file: string): string =>
  readFileSync(path.join(root, file), 'utf8');

beforeAll(() => {
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(workspace, 'node_modules'));
  for (const name of INPUTS) {
    cpSync(path.join(ROOT, name), path.join(clone, name), { recursive: true });
  }
});

it('compiles the same code in a workspace as in the project itself', () => {
  compile();
  for (const file of ['dist/assets/search.js', 'dist/code.sha256']) {
    expect(read(clone, file)).toBe(read(ROOT, file));
  }
});

it('compiles nothing if the sources have not changed', () => {
  const { mtimeMs } = statSync(path.join(clone, 'dist/cli.js'));
  compile();
  expect(statSync(path.join(clone, 'dist/cli.js')).mtimeMs).toBe(mtimeMs);
});

it('changes the digest of the code if the code changes', () => {
  const file = path.join(clone, 'src/serve/handler/edge.ts');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nconsole.log();\n`);
  compile();
  expect(read(clone, 'dist/code.sha256')).not.toBe(read(ROOT, 'dist/code.sha256'));
});
