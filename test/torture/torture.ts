/**
 * Makes builds fail, and prints the results: `npm run torture -- [--short] [--seed n]`.
 */

import { parseArgs } from 'node:util';
import { trySequences } from '../support/steps.ts';
import { tryFailures } from './machine.ts';

const { values } = parseArgs({
  options: { short: { type: 'boolean' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const SEQUENCES = values.short ? 12 : 500;

process.env.NO_PROXY = '127.0.0.1';
console.log(`seed ${seed}`);
const parts = {
  'failures of the machine': tryFailures,
  [`${SEQUENCES} sequences of builds`]: () => trySequences(SEQUENCES, seed),
};
for (const [name, attempt] of Object.entries(parts)) {
  const problems = await attempt();
  for (const problem of problems) console.error(`  ${problem}`);
  console.log(`${name}: ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
