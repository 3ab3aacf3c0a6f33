import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('compiles in a workspace with its packages in a parent folder', () => {
  const workspace = temporaryFolder();
  const clone = path.join(workspace, 'packages/gamedata');
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(workspace, 'node_modules'));
  const configuration = [
    'package.json',
    'package-lock.json',
    'rolldown.config.ts',
    'tsconfig.json',
  ];
  for (const name of ['src', 'tsconfig.build.json', ...configuration]) {
    cpSync(path.join(ROOT, name), path.join(clone, name), { recursive: true });
  }
  execFileSync(process.execPath, ['--import', 'tsx', 'src/compile/generate.ts'], {
    cwd: clone,
  });
  const read = (root: string, file: string) =>
    readFileSync(path.join(root, 'dist', file), 'utf8');
  for (const file of ['assets/search.js', 'third-party.txt', 'code.sha256']) {
    expect(read(clone, file)).toBe(read(ROOT, file));
  }
});
