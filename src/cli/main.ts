#!/usr/bin/env node
import { errorCode } from '../errors.ts';
import { describeCrash } from './print-error.ts';
import { run } from './program.ts';

// Failing to write logs must not change the exit code. Failing to write the result
// exits with code 1, except if the reader of a pipe has exited.
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
// Importing undici also starts the copy of undici inside Node. No command can catch
// errors from that copy, so we handle them here.
process.on('uncaughtException', (error) => {
  process.stderr.write(describeCrash(error));
  process.exit(1);
});

await run(process.argv.slice(2));
