/**
 * Makes builds and servers fail, and prints the results: `npm run torture --
 * [--short] [--seed n]`.
 */

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

const { values } = parseArgs({
  options: { short: { type: 'boolean' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
/** The same sequences every time, unless a seed is given. */
const firstSequence = values.seed ? seed : 0;
const ALL = Infinity;

/**
 * A part of the run with its number of attempts. The short run omits attempts that
 * the tests already make.
 */
interface Part {
  readonly short: number;
  readonly full: number;
  attempt(count: number): Promise<Ended>;
}

const parts: Readonly<Record<string, Part>> = {
  kills: {
    short: 3,
    full: ALL,
    async attempt(count) {
      const tried = await killExactly(count, random);
      return { tried, summary: 'recovered' };
    },
  },
  'failing system calls': {
    short: 6,
    full: 150,
    attempt: (count) => failCalls(count, random),
  },
  'builds at once': { short: 1, full: 1, attempt: buildAtOnce },
  'rebuilds under readers': { short: 4, full: 200, attempt: readDuringBuilds },
  'hostile deployments': {
    short: 20,
    full: 300,
    async attempt(count) {
      const summary = 'were copied and compared, or refused';
      const problems = await tryHostile(count, random.below(2 ** 31));
      return { tried: count, summary, problems };
    },
  },
  'sequences of steps': {
    short: 0,
    full: 500,
    async attempt(count) {
      const problems = await trySequences(count, firstSequence);
      return { tried: count, summary: 'kept the invariants', problems };
    },
  },
  'failures of the machine': {
    short: 4,
    full: ALL,
    attempt: (count) => tryFailures(count, random),
  },
  fuzz: {
    short: 2000,
    full: 50_000,
    async attempt(count) {
      const summary = 'were handled as by the handler';
      const problems = await fuzz(count, seed);
      return { tried: count, summary, problems };
    },
  },
};

/**
 * Runs a part. If the part throws an error, that error is reported as its only
 * problem.
 */
async function tryPart({ attempt }: Part, count: number): Promise<Ended> {
  try {
    return await attempt(count);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { tried: 0, summary: 'ended early', problems: [message] };
  }
}

function secondsSince(start: number): string {
  return `${Math.round((performance.now() - start) / 1000)} s`;
}

process.env.NO_PROXY = '127.0.0.1';
console.log(`seed ${seed}`);
const started = performance.now();
const failed: string[] = [];
const sums: string[] = [];
for (const [name, part] of Object.entries(parts)) {
  const count = values.short ? part.short : part.full;
  if (count === 0) continue;
  const partStarted = performance.now();
  const { tried, summary, problems = [] } = await tryPart(part, count);
  for (const problem of problems) console.error(`  ${problem}`);
  const sum = tried.toLocaleString('en');
  sums.push(`${sum} ${name}`);
  let trouble = '';
  if (problems.length > 0) {
    failed.push(name);
    trouble = `, ${problems.length} PROBLEMS`;
  }
  console.log(`${name}: ${sum} ${summary}${trouble} (${secondsSince(partStarted)})`);
}
const result = failed.length === 0 ? 'no problems' : `FAILED: ${failed.join(', ')}`;
console.log(`torture: ${sums.join(' · ')}: ${result} (${secondsSince(started)})`);
process.exitCode = failed.length === 0 ? 0 : 1;
