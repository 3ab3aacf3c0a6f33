/** The faults of an upstream: each alone at each place, mixes of them, and each as the command line meets it. */

import pLimit from 'p-limit';
import { describeMix, makeMix, tryMix } from '../../test/support/fault-mix.ts';
import { PROCESS_SECONDS, runProcess } from '../../test/support/fault-process.ts';
import { placesOf, type Stay, tryFault } from '../../test/support/fault-trial.ts';
import { type Fault, faults } from '../../test/support/faults.ts';
import type { Random } from '../../test/support/random.ts';
import type { Ended } from './parts.ts';

/** Most of a trial is waiting. */
const AT_ONCE = 4;

/** Every fault, everywhere it can be, for good and for one request. */
export async function tryFaults(): Promise<Ended> {
  const trials = faults.flatMap((fault) =>
    staysOf(fault).flatMap((stay) => placesOf(fault).map((place) => ({ fault, stay, place }))),
  );
  // What is slow has short times, in which nothing else may stand in its way.
  const [quick, slow] = [trials.filter(({ fault }) => !fault.slow), trials.filter(({ fault }) => fault.slow)];
  const attempt = async ({ fault, stay, place }: (typeof trials)[number]): Promise<string[]> =>
    label(`${fault.name} in ${place.name}, ${stay}`, await tryFault(fault, place, { stay }));
  const problems = [
    ...(await pLimit(AT_ONCE).map(quick, attempt)),
    ...(await pLimit(1).map(slow, attempt)),
  ].flat();
  return { tried: trials.length, says: `trials of ${faults.length} faults`, problems };
}

const staysOf = ({ retried, lasting }: Fault): readonly Stay[] =>
  retried && !lasting ? ['lasting', 'once'] : ['lasting'];

const label = (name: string, problems: readonly string[]): string[] =>
  problems.map((problem) => `${name}: ${problem}`);

/** Mixes of a run of seeds: any of them can be made again alone. */
export async function tryMixes(count: number, firstSeed: number): Promise<Ended> {
  const ends = { built: 0, refused: 0 };
  const seeds = Array.from({ length: count }, (_, at) => firstSeed + at);
  const problems = await pLimit(AT_ONCE).map(seeds, async (seed) => {
    const mix = makeMix(seed);
    const { ended, problems } = await tryMix(mix);
    ends[ended]++;
    return label(`mix ${seed}: ${describeMix(mix)}`, problems);
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
    const place = random.pick(placesOf(fault));
    const problems = await tryFault(fault, place, { run: runProcess, seconds: PROCESS_SECONDS });
    return label(`${fault.name} in ${place.name}, as a process`, problems);
  };
  const slow = wanted.filter((fault) => fault.slow).map(attempt);
  const quick = await pLimit(AT_ONCE).map(
    wanted.filter((fault) => !fault.slow),
    attempt,
  );
  const problems = [...quick, ...(await Promise.all(slow))].flat();
  return { tried: wanted.length, says: 'ended with the exit code and the error of the table', problems };
}
