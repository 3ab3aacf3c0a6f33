#!/usr/bin/env node
import module from 'node:module';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { PACKAGE_ROOT } from '../package.ts';
import { describeCrash } from './crash.ts';
import { run } from './program.ts';

// Only Node 22 and later have this. The cache is next to the code, because a shared temporary
// folder is not safe.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(path.join(PACKAGE_ROOT, 'dist', '.cache'));

// Failing to write logs must not change the outcome. Failing to write the result exits with 1,
// unless its reader has exited.
process.stderr.on('error', () => {});
process.stdout.on('error', (error) => {
  if (errorCode(error) === 'EPIPE') return;
  process.stderr.write(`error: the output cannot be written (${errorCode(error)})\n`);
  process.once('exit', () => {
    process.exitCode ||= 1;
  });
});
// Node's warnings are for developers, and the tests show them.
process.removeAllListeners('warning');

// Loading undici also starts the copy of undici inside Node, whose errors reach no command.
process.on('uncaughtException', (error) => {
  process.stderr.write(describeCrash(error));
  process.exit(1);
});

await run(process.argv.slice(2));
