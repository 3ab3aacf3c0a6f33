/** Loaded before the command line: kills the process right before its n-th call of a function of the file system. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [name = '', at = '1'] = (process.env.DIE_AT ?? '').split(':');
const real = fs[name];
let calls = 0;
fs[name] = (...args) => {
  // SIGKILL comes before the call returns.
  if (++calls === Number(at)) process.kill(process.pid, 'SIGKILL');
  return real(...args);
};
syncBuiltinESMExports();
