/** The faults of an upstream: each alone at each place, mixes of them, and each as the command line meets it. */

import pLimit from 'p-limit';
import { runProcess } from '../../test/support/fault-process.ts';
import type { Fault } from '../../test/support/fault-row.ts';
import { makeMix, type Part, placesOf, type Trial, tryFaults } from '../../test/support/fault-trial.ts';
import { faults } from '../../test/support/faults.ts';
import type { Random } from '../../test/support/random.ts';
import type { Ended } from './ground.ts';

/** Most of a trial is waiting. */
const AT_ONCE = 4;
/** The longest time for a response that the command line has. */
const PROCESS_SECONDS = 60;

const label = (parts: readonly Part[], { problems }: Trial): string[] => {
  const names = parts.map(({ fault, place, stay }) => `${fault.name} in ${place.name} (${stay})`);
  return problems.map((problem) => `${names.join(' + ')}: ${problem}`);
};

/** Every fault, everywhere it can be, for good and for one request. */
export async function tryEach(): Promise<Ended> {
  const trials = faults.flatMap((fault) =>
    placesOf(fault).flatMap((place): Part[] => [
      { fault, place, stay: 'lasting' },
      ...(fault.retried && !fault.lasting ? [{ fault, place, stay: 'once' } as const] : []),
    ]),
  );
  const attempt = async (part: Part) => label([part], await tryFaults([part]));
  // What is slow has short times, in which nothing else may stand in its way.
  const problems = [
    ...(await pLimit(AT_ONCE).map(
      trials.filter(({ fault }) => !fault.slow),
      attempt,
    )),
    ...(await pLimit(1).map(
      trials.filter(({ fault }) => fault.slow),
      attempt,
    )),
  ];
  return { tried: trials.length, says: `trials of ${faults.length} faults`, problems: problems.flat() };
}

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
