#!/usr/bin/env node
import { errorCode } from '../errors.ts';
import { describeCrash } from './print-error.ts';
import { run } from './program.ts';

// If logs cannot be written, the exit code stays the same. If the result cannot be
// written, we exit with code 1, unless the reader of the pipe has exited.
process.stderr.on('error', () => {});
process.stdout.on('error', (error) => {
  if (errorCode(error) === 'EPIPE') return;
  process.stderr.write(
    `error: the output cannot be written (${errorCode(error)})\n`,
  );
  process.once('exit', () => {
    process.exitCode ||= 1;
  });
});
// Importing undici also starts Node's built-in copy of undici. Commands cannot catch
// errors from that copy, so we handle them here.
process.on('uncaughtException', (error) => {
  process.stderr.write(describeCrash(error));
  process.exit(1);
});

await run(process.argv.slice(2));
