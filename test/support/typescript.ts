/** TypeScript as a user runs it: a folder of files, and what the compiler says of them. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** A user's project in which this one is installed. @param files path → text */
export function userProject(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(PROJECT, path.join(folder, 'node_modules/gamedata'));
  for (const name of ['openapi-fetch', 'zod'])
    symlinkSync(path.join(PROJECT, 'node_modules', name), path.join(folder, 'node_modules', name));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module","dependencies":{"zod":"^4.0.0"}}');
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

/** Lets a folder's files use the types of Node. Without `lib.dom`, these are all that they know of `fetch`. */
export function linkNodeTypes(folder: string): void {
  mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(path.join(PROJECT, 'node_modules/@types/node'), path.join(folder, 'node_modules/@types/node'));
}

/** What a project for Node has that was set up in the strictest way. */
export const NODE_ONLY = { lib: ['es2023'], types: ['node'] };

/** Compiles every file of a project. Returns what the compiler says: nothing if all is well. */
export function compile(folder: string, more: Readonly<Record<string, unknown>> = {}): string {
  const options = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    types: [],
    ...more,
  };
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['*.ts', '*.d.ts'] }),
  );
  const compiler = path.join(PROJECT, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  return stdout + stderr;
}
