/** Loaded before the command line: sends the process a signal right before its n-th call of a function of the file system. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [name = '', at = '1', signal = 'SIGKILL'] = (process.env.DIE_AT ?? '').split(':');
const real = fs[name];
let calls = 0;
fs[name] = (...args) => {
  // SIGKILL comes before the call returns, any other once the process looks for signals.
  if (++calls === Number(at)) process.kill(process.pid, signal);
  return real(...args);
};
syncBuiltinESMExports();
