import { describe, expect, it } from 'vitest';
import { runProcess } from '../../support/fault-process.ts';
import { placesOf, tryFault } from '../../support/fault-trial.ts';
import { faults } from '../../support/faults.ts';

/** The first of each group and outcome that takes no minutes: `npm run torture` tries them all. */
const oneOfEach = faults.filter(
  (fault, at) =>
    !fault.slow && faults.findIndex((other) => classOf(other) === classOf(fault) && !other.slow) === at,
);

function classOf({ group, outcome }: (typeof faults)[number]): string {
  return `${group}: ${outcome.code}`;
}

describe.each(oneOfEach.map((fault) => ({ fault, ends: classOf(fault) })))(
  'a build as a process ($ends)',
  ({ fault }) => {
    it(`ends with the exit code that the table has for ${fault.name}, and prints just its error`, async () => {
      const place = placesOf(fault).at(-1);
      expect(place && (await tryFault(fault, place, { run: runProcess }))).toEqual([]);
    });
  },
);
