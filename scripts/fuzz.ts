/** Sends made-up requests until told enough: `npm run fuzz -- [requests] [seed]`. One in forty goes over a socket. */

import { fuzz } from '../test/support/fuzz-run.ts';

const [handled = 200_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
const served = Math.ceil(handled / 40);
const problems = await fuzz({ handled, served, seed });
for (const problem of problems) console.error(problem);
console.log(
  `fuzz: ${handled} requests in process, ${served} over sockets, seed ${seed}: ${problems.length} problems`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
