/** Tortures the builder and the server, and prints the numbers: `npm run torture -- [--short] [--seed n]`. */

import { parseArgs } from 'node:util';
import { fuzz } from '../test/support/fuzz.ts';
import { tryHostile } from '../test/support/hostile-deployment.ts';
import { createRandom } from '../test/support/random.ts';
import { trySequences } from '../test/support/step-sequences.ts';
import { killExactly } from './torture/exact-kills.ts';
import type { Ended } from './torture/ground.ts';
import { hardships } from './torture/hardships.ts';
import { buildAtOnce, readMeanwhile } from './torture/rebuilds.ts';
import { failCalls } from './torture/system-calls.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
/** The same ones every time, unless a seed is given. */
const firstSequence = values.seed ? seed : 0;
const ALL = Infinity;

/** The number of attempts in the short form and in the whole. The short form omits what the tests try, too. */
const parts: Record<string, [short: number, whole: number, attempt: (count: number) => Promise<Ended>]> = {
  kills: [4, ALL, async (count) => ({ tried: await killExactly(count, random), says: 'survived' })],
  'failing system calls': [12, 150, (count) => failCalls(count, random)],
  'builds at once': [1, 1, buildAtOnce],
  'rebuilds under readers': [6, 200, readMeanwhile],
  'hostile deployments': [
    20,
    300,
    async (count) => ({
      ...{ tried: count, says: 'were copied, verified and compared, or refused' },
      problems: await tryHostile(count, random.below(2 ** 31)),
    }),
  ],
  'sequences of steps': [
    0,
    500,
    async (count) => ({
      ...{ tried: count, says: `from ${firstSequence} on: each step kept the law` },
      problems: await trySequences(count, firstSequence),
    }),
  ],
  hardships: [5, ALL, (count) => hardships(count, random)],
  fuzz: [
    2000,
    50_000,
    async (count) => ({
      ...{ tried: count, says: 'requests were responded to as the handler does' },
      problems: await fuzz(count, seed),
    }),
  ],
};

const secondsSince = (start: number): string => `${Math.round((performance.now() - start) / 1000)} s`;
/** A part that throws has failed, and the others are tried all the same. */
const endOf = (attempt: Promise<Ended>): Promise<Ended> =>
  attempt.catch((error) => ({ tried: 0, says: 'ended early', problems: [`${error?.message ?? error}`] }));

process.env.NO_PROXY = '127.0.0.1';
console.log(`seed ${seed}`);
const started = performance.now();
const failed: string[] = [];
const sums: string[] = [];
for (const [name, [short, whole, attempt]] of Object.entries(parts)) {
  const wanted = values.short ? short : whole;
  if (wanted === 0) continue;
  const begun = performance.now();
  const { tried, says, problems = [] } = await endOf(attempt(wanted));
  for (const problem of problems) console.error(`  ${problem}`);
  if (problems.length > 0) failed.push(name);
  const sum = tried.toLocaleString('en');
  sums.push(`${sum} ${name}`);
  const trouble = problems.length > 0 ? `, ${problems.length} PROBLEMS` : '';
  console.log(`${name}: ${sum} ${says}${trouble} (${secondsSince(begun)})`);
}
const verdict = failed.length === 0 ? 'all survived' : `FAILED: ${failed.join(', ')}`;
console.log(`torture: ${sums.join(' · ')}: ${verdict} (${secondsSince(started)})`);
process.exitCode = failed.length === 0 ? 0 : 1;
