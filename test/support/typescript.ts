import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Creates a user's project with this package installed. @param files the text of
 * each file, by path
 */
export function userProject(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(PROJECT, path.join(modules, 'gamedata'));
  for (const name of ['openapi-fetch', 'zod']) {
    symlinkSync(path.join(PROJECT, 'node_modules', name), path.join(modules, name));
  }
  writeFileSync(
    path.join(folder, 'package.json'),
    '{"type":"module","dependencies":{"zod":"^4.0.0"}}',
  );
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

export function compile(
  folder: string,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    ...more,
  };
  const configuration = JSON.stringify({
    compilerOptions,
    include: ['*.ts', '*.d.ts'],
  });
  writeFileSync(path.join(folder, 'tsconfig.json'), configuration);
  const compiler = path.join(PROJECT, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}
