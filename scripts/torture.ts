/** Tortures the builder and the server, and prints the numbers: `npm run torture -- [--short] [--seed n]`. */

import { parseArgs } from 'node:util';
import { fuzz } from '../test/support/fuzz.ts';
import { tryHostile } from '../test/support/hostile-deployment.ts';
import { makeMistakes, mistakes } from '../test/support/mistakes.ts';
import { seeded } from '../test/support/random.ts';
import { tryPairs, trySequences } from '../test/support/second-steps.ts';
import { stepNames } from '../test/support/steps.ts';
import { killExactly } from './torture/exact-kills.ts';
import { tryEach, tryMixes, tryProcesses } from './torture/faults.ts';
import { inTemporary, run } from './torture/ground.ts';
import { hardships } from './torture/hardships.ts';
import { createParts } from './torture/parts.ts';
import { buildAtOnce, readMeanwhile } from './torture/rebuilds.ts';
import { failCalls } from './torture/system-calls.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const random = seeded(seed);
/** The short form omits what `npm test` tries too, and takes a part of the rest: another one with each seed. */
const amounts = values.short
  ? {
      mixes: 20,
      processes: 12,
      exact: 4,
      calls: 12,
      rebuilds: 6,
      hostile: 20,
      sequences: 0,
      hardships: 5,
      handled: 20_000,
      served: 200,
    }
  : {
      mixes: 500,
      processes: Infinity,
      exact: Infinity,
      calls: 150,
      rebuilds: 200,
      hostile: 300,
      sequences: 500,
      hardships: Infinity,
      handled: 500_000,
      served: 5000,
    };

process.env.NO_PROXY = '127.0.0.1';
console.log(`seed ${seed}`);
const { part, end } = createParts();

if (!values.short) await part('faults', tryEach);
await part('mixed faults', () => tryMixes(amounts.mixes, random.below(1_000_000)));
await part('faults of a process', () => tryProcesses(amounts.processes, random));
await part('kills', async () => ({
  tried: await killExactly(amounts.exact, random),
  says: 'survived',
}));
await part('failing system calls', () => failCalls(amounts.calls, random));
await part('builds at once', buildAtOnce);
await part('rebuilds under readers', () => readMeanwhile(amounts.rebuilds));
await part('hostile deployments', async () => {
  const problem = await tryHostile(amounts.hostile, random.below(2 ** 31));
  const problems = problem === undefined ? [] : [problem];
  return {
    tried: amounts.hostile,
    says: 'were copied, verified, compared and rebased, or refused',
    problems,
  };
});
if (!values.short)
  await part('mistakes of an operator', async () => {
    const problems = await inTemporary((folder) => makeMistakes(folder, run));
    return { tried: mistakes.length, says: 'were refused', problems };
  });
if (!values.short) {
  await part('pairs of steps', async () => {
    const problems = await tryPairs();
    return { tried: stepNames.length ** 2, says: 'kept the law', problems };
  });
  await part('sequences of steps', async () => {
    // The same ones every time, unless a seed is given.
    const first = values.seed ? seed : 0;
    const problems = await trySequences(amounts.sequences, first);
    return { tried: amounts.sequences, says: `from ${first} on: each step kept the law`, problems };
  });
}
await part('hardships', () => hardships(amounts.hardships, random));
await part('fuzz', async () => {
  const { handled, served } = amounts;
  const problems = await fuzz({ handled, served, seed });
  return { tried: handled + served, says: `requests, ${served} of them over sockets`, problems };
});
process.exitCode = end();
