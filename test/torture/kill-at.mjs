/**
 * Loaded before the command line: sends the process a signal right before the n-th
 * call of a file system function.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Such as `renameSync:3:SIGTERM`. */
const [name = '', at = '1', signal = 'SIGKILL'] = (process.env.KILL_AT ?? '').split(
  ':',
);
/** Matches the paths of a call. Other calls are not counted. */
const paths = new RegExp(process.env.KILL_PATHS ?? '');
const call = fs[name];
let calls = 0;
fs[name] = (...args) => {
  const named = args
    .filter((arg) => typeof arg === 'string' && arg.startsWith('/'))
    .join(' ');
  // SIGKILL takes effect before the call returns, other signals when the process
  // handles them.
  if (paths.test(named) && ++calls === Number(at)) process.kill(process.pid, signal);
  return call(...args);
};
syncBuiltinESMExports();
