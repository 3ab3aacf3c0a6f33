/** The faults of an upstream: mixes of them, and each as the command line meets it: a process, its exit code, its two streams. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import * as z from 'zod';
import { printable } from '../../src/contract/words.ts';
import type { Fault } from '../../test/support/fault-row.ts';
import {
  makeMix,
  type Part,
  placesOf,
  RETRIES,
  type Runner,
  shrinkOf,
  type Trial,
  tryFaults,
} from '../../test/support/fault-trial.ts';
import { faults } from '../../test/support/faults.ts';
import type { Random } from '../../test/support/random.ts';
import { type Ended, run } from './ground.ts';

/** Most of a trial is waiting. */
const AT_ONCE = 4;
/** The longest time for a response that the command line has. */
const PROCESS_SECONDS = 60;

const label = (parts: readonly Part[], { problems }: Trial): string[] => {
  const names = parts.map(({ fault, place, stay }) => `${fault.name} in ${place.name} (${stay})`);
  return problems.map((problem) => `${names.join(' + ')}: ${problem}`);
};

/** Mixes of a run of seeds: any of them can be made again alone. */
export async function tryMixes(count: number, firstSeed: number): Promise<Ended> {
  const ends = { built: 0, refused: 0 };
  const seeds = Array.from({ length: count }, (_, at) => firstSeed + at);
  const problems = await pLimit(AT_ONCE).map(seeds, async (seed) => {
    const { parts, concurrency } = makeMix(seed);
    const trial = await tryFaults(parts, { concurrency });
    ends[trial.ended]++;
    return label(parts, trial).map((problem) => `mix ${seed}, ${concurrency} at a time: ${problem}`);
  });
  return {
    tried: count,
    says: `from ${firstSeed} on: ${ends.built} built whole, ${ends.refused} refused as listed`,
    problems: problems.flat(),
  };
}

const printedSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().nullable() }),
});

/** Whatever a process may do wrong beside its message comes back as a code that no fault has. */
const runProcess: Runner = async ({ upstream, out, cache, concurrency = 1 }) => {
  const started = Date.now();
  const { code, stdout, stderr } = await run([
    ...['build', '--source', 'rest', '--upstream', upstream, '--out', out],
    ...['--json', '--quiet', '--base-url', 'https://example.test', '--retries', String(RETRIES)],
    ...['--max-shrink', String(shrinkOf({ out }))],
    ...['--concurrency', String(concurrency), ...(cache === false ? ['--no-cache'] : ['--cache', cache])],
  ]);
  if (code === 0) return stderr === '' ? undefined : { code: 'noise', message: stderr };
  if (code !== 1 && code !== 4) return { code: `exit ${code}`, message: stderr };
  const { error } = printedSchema.parse(JSON.parse(stdout));
  if ((code === 4) !== (error.code === 'guard')) return { code: `exit ${code}`, message: error.code };
  const hint = error.hint === null ? '' : `hint: ${printable(error.hint)}\n`;
  const wasThere = existsSync(path.join(out, 'manifest.json'));
  const kept = `${out}: ${wasThere ? 'unchanged' : 'nothing was published'}\n`;
  // A journal to which nothing was added is its first line.
  const isFilled = (file: string): boolean =>
    statSync(file).mtimeMs >= started && readFileSync(file, 'utf8').includes('\n');
  const journals =
    cache !== false && existsSync(cache) ? readdirSync(cache).map((name) => path.join(cache, name)) : [];
  const resumable =
    error.code === 'upstream' && journals.some(isFilled)
      ? `what was fetched remains in ${cache}: the same command continues from there\n`
      : '';
  const expected = `error: ${printable(error.message)}\n${hint}${kept}${resumable}`;
  if (stderr !== expected) return { code: 'noise', message: `${stderr}\nexpected ${expected}` };
  return { code: error.code, message: error.message };
};

/** Each fault once through the command line; what is slow takes its minutes beside the others. */
export async function tryProcesses(count: number, random: Random): Promise<Ended> {
  const wanted = Number.isFinite(count)
    ? Array.from({ length: count }, () => random.pick(faults.filter(({ slow }) => !slow)))
    : faults;
  const attempt = async (fault: Fault): Promise<string[]> => {
    const part: Part = { fault, place: random.pick(placesOf(fault)), stay: 'lasting' };
    return label([part], await tryFaults([part], { run: runProcess, seconds: PROCESS_SECONDS }));
  };
  const slow = wanted.filter((fault) => fault.slow).map(attempt);
  const quick = await pLimit(AT_ONCE).map(
    wanted.filter((fault) => !fault.slow),
    attempt,
  );
  const problems = [...quick, ...(await Promise.all(slow))].flat();
  return { tried: wanted.length, says: 'ended with the exit code and the error of the table', problems };
}
