/** Tries failures of builds and servers, and prints the results: `npm run torture -- [--short] [--seed n]`. */

import { parseArgs } from 'node:util';
import { fuzz } from '../support/fuzz.ts';
import { tryHostile } from '../support/hostile-deployment.ts';
import { createRandom } from '../support/random.ts';
import { trySequences } from '../support/steps.ts';
import type { Ended } from './environment.ts';
import { killExactly } from './exact-kills.ts';
import { tryFailures } from './failures.ts';
import { buildAtOnce, readDuringBuilds } from './rebuilds.ts';
import { failCalls } from './system-calls.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
/** The same sequences every time, unless a seed is given. */
const firstSequence = values.seed ? seed : 0;
const ALL = Infinity;

type Attempt = (count: number) => Promise<Ended>;

const listProblems =
  (summary: string, attempt: (count: number) => Promise<string[]>): Attempt =>
  async (count) => ({ tried: count, summary, problems: await attempt(count) });

const hostile = (count: number): Promise<string[]> => tryHostile(count, random.below(2 ** 31));
const sequences = (count: number): Promise<string[]> => trySequences(count, firstSequence);

/** The number of attempts in the short and the full run. The short run omits attempts of the tests. */
const parts: Record<string, [short: number, full: number, attempt: Attempt]> = {
  kills: [
    3,
    ALL,
    async (count) => ({ tried: await killExactly(count, random), summary: 'recovered' }),
  ],
  'failing system calls': [6, 150, (count) => failCalls(count, random)],
  'builds at once': [1, 1, buildAtOnce],
  'rebuilds under readers': [4, 200, readDuringBuilds],
  'hostile deployments': [20, 300, listProblems('were copied and compared, or refused', hostile)],
  'sequences of steps': [0, 500, listProblems('kept the invariants', sequences)],
  'failures of the machine': [4, ALL, (count) => tryFailures(count, random)],
  fuzz: [
    2000,
    50_000,
    listProblems('were handled as by the handler', (count) => fuzz(count, seed)),
  ],
};

const secondsSince = (start: number): string =>
  `${Math.round((performance.now() - start) / 1000)} s`;

process.env.NO_PROXY = '127.0.0.1';
console.log(`seed ${seed}`);
const started = performance.now();
const failed: string[] = [];
const sums: string[] = [];
for (const [name, [short, full, attempt]] of Object.entries(parts)) {
  const count = values.short ? short : full;
  if (count === 0) continue;
  const begun = performance.now();
  const {
    tried,
    summary,
    problems = [],
  } = await attempt(count).catch((error): Ended => {
    return { tried: 0, summary: 'ended early', problems: [`${error?.message ?? error}`] };
  });
  for (const problem of problems) console.error(`  ${problem}`);
  if (problems.length > 0) failed.push(name);
  const sum = tried.toLocaleString('en');
  sums.push(`${sum} ${name}`);
  const trouble = problems.length > 0 ? `, ${problems.length} PROBLEMS` : '';
  console.log(`${name}: ${sum} ${summary}${trouble} (${secondsSince(begun)})`);
}
const result = failed.length === 0 ? 'no problems' : `FAILED: ${failed.join(', ')}`;
console.log(`torture: ${sums.join(' · ')}: ${result} (${secondsSince(started)})`);
process.exitCode = failed.length === 0 ? 0 : 1;
