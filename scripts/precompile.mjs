/** Runs a command with the compiled command line, and puts what V8 has made of the code by its end beside each file. */

import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../dist/cli.cjs', import.meta.url));

process.argv[1] = CLI;
const { scripts } = await import(CLI);
process.once('exit', () => {
  for (const [file, script] of scripts) writeFileSync(`${file}.cache`, script.createCachedData());
});
