/** Runs a command with the compiled command line, and puts what V8 has made of the code by its end beside each file. */

import { readdirSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const DIST = new URL('../dist/', import.meta.url);
const CLI = new URL('cli.cjs', DIST);
/** What is loaded when it is needed has a hash in its name. */
const CHUNK = /-[\w-]{8}\.cjs$/;

process.argv[1] = fileURLToPath(CLI);
const { scripts, load, cacheOf } = await import(CLI.href);
process.once('exit', () => {
  // Of what other commands use as well.
  for (const name of readdirSync(DIST)) if (CHUNK.test(name)) load(name);
  for (const [name, script] of scripts)
    writeFileSync(new URL(cacheOf(name), DIST), script.createCachedData());
});
