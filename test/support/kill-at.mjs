/**
 * Loaded before the command line: sends the process a signal right before the n-th
 * call of a file system function. The variable KILL_AT names the function, the call
 * and the signal, such as `renameSync:3:SIGTERM`.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

const { KILL_AT = '', KILL_PATHS = '' } = process.env;
const [name = '', nth = '1', signal = 'SIGKILL'] = KILL_AT.split(':');
/** Matches the paths of a call. Other calls are not counted. */
const pathsPattern = new RegExp(KILL_PATHS);
const originalFunction = fs[name];
const takesTwoPaths = name === 'renameSync';
let calls = 0;

fs[name] = (...args) => {
  const files = takesTwoPaths ? args.slice(0, 2) : args.slice(0, 1);
  const paths = files.map((file) =>
    typeof file === 'string' ? path.resolve(file) : '',
  );
  if (pathsPattern.test(paths.join(' '))) {
    calls += 1;
    // SIGKILL takes effect before the call returns, other signals when the process
    // handles them.
    if (calls === Number(nth)) process.kill(process.pid, signal);
  }
  return originalFunction(...args);
};
// The code of gamedata imports the function by name.
syncBuiltinESMExports();
