import { describe, expect, it } from 'vitest';
import { placesOf, type Stay, tryFaults } from '../../support/fault-trial.ts';
import { faults, faultTable } from '../../support/faults.ts';

describe.each(faults.map((fault) => ({ fault, name: fault.name })))('an upstream with $name', ({ fault }) => {
  const stays: Stay[] = fault.retried && !fault.lasting ? ['lasting', 'once'] : ['lasting'];
  it.each(stays)(
    'ends as the table says, wherever it is, and the old site stays intact: %s',
    async (stay) => {
      const trials = placesOf(fault).map(async (place) => {
        const { problems } = await tryFaults([{ fault, place, stay }]);
        return problems.map((problem) => `${place.name}: ${problem}`);
      });
      expect((await Promise.all(trials)).flat()).toEqual([]);
    },
  );
});

it('FAULTS.md is generated from the table of faults: npm run readme:faults', async () => {
  await expect(faultTable()).toMatchFileSnapshot('../../../docs/FAULTS.md');
});

it('no fault is in the table twice', () => {
  const names = faults.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
