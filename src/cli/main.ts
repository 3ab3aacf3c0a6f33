#!/usr/bin/env node
/** The process: what it caches, which streams and warnings it ignores, and the command that it runs. */

import module from 'node:module';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { PACKAGE_ROOT } from '../package.ts';
import { exitCodes } from './exit-codes.ts';
import { run } from './program.ts';

// Node 22 and later: beside the code, as whoever may write there may change the code as well. A shared temporary folder is not safe.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(path.join(PACKAGE_ROOT, 'dist', '.cache'));

// A log on a full disk, or a reader that is gone, has no say in what a command does and how it ends. A result that is lost has.
process.stderr.on('error', () => {});
process.stdout.on('error', (error) => {
  if (errorCode(error) === 'EPIPE') return;
  process.stderr.write(`error: the output cannot be written (${errorCode(error)})\n`);
  process.once('exit', () => {
    process.exitCode ||= exitCodes.failed;
  });
});
// Warnings of Node are for whoever writes programs; the tests see them.
process.removeAllListeners('warning');

await run(process.argv.slice(2));
