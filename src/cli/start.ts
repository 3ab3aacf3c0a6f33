#!/usr/bin/env node
/**
 * Loads the command line with what V8 made of its code before, which `npm run compile` has put beside each file: a build of a
 * few thousand records spends a tenth of its time on compiling it again. Another version of Node does just that.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

const require = createRequire(import.meta.url);
const folder = path.dirname(fileURLToPath(import.meta.url));

/** The files loaded so far, by name, and their code. */
export const scripts = new Map<string, Script>();

type Exports = Record<string, unknown>;
const loaded = new Map<string, { readonly exports: Exports }>();

/** As Node's `require` does it for files of one folder. */
export function load(name: string): Exports {
  const present = loaded.get(name);
  if (present) return present.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const file = path.join(folder, name);
  const code = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`;
  const script = new Script(code, {
    filename: file,
    cachedData: read(cacheOf(name)),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  scripts.set(name, script);
  const own = (other: string): unknown => (other.startsWith('./') ? load(other.slice(2)) : require(other));
  script.runInThisContext()(module.exports, own, module, file, folder);
  return module.exports;
}

/** V8 only compares the length of the code: by the digest of all of it, no other version's is taken. */
const suffix = `-${read('code.sha256')?.toString('utf8', 0, 8)}.cache`;
export const cacheOf = (name: string): string => name + suffix;

function read(name: string): Buffer | undefined {
  try {
    return readFileSync(path.join(folder, name));
  } catch {
    return undefined;
  }
}

load('main.cjs');
