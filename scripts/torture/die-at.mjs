/** Loaded before the command line: sends the process a signal right before its n-th call of a function of the file system. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [name = '', at = '1', signal = 'SIGKILL'] = (process.env.DIE_AT ?? '').split(':');
/** If it is set, only renames of files that are there into this folder count. */
const inside = process.env.DIE_INSIDE;
const real = fs[name];
const counts = ([from, to]) =>
  inside === undefined || (String(to).startsWith(`${inside}/`) && fs.existsSync(from));
let calls = 0;
fs[name] = (...args) => {
  // SIGKILL comes before the call returns, any other once the process looks for signals.
  if (counts(args) && ++calls === Number(at)) process.kill(process.pid, signal);
  return real(...args);
};
syncBuiltinESMExports();
