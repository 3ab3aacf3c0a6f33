import { describe, expect, it } from 'vitest';
import { listPlaces, type Stay, tryFault } from '../../support/fault-trial.ts';
import { faults } from '../../support/faults.ts';

describe.each(faults.map((fault) => ({ fault, name: fault.name })))('an upstream with $name', ({ fault }) => {
  const stays: Stay[] = fault.retried && !fault.lasting ? ['lasting', 'once'] : ['lasting'];
  it.each(stays)('ends as the table says at any place: %s', async (stay) => {
    const trials = listPlaces(fault).map(async (place) => {
      const problems = await tryFault(fault, place, stay);
      return problems.map((problem) => `${place.name}: ${problem}`);
    });
    expect((await Promise.all(trials)).flat()).toEqual([]);
  });
});

it('the table has no fault twice', () => {
  const names = faults.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
