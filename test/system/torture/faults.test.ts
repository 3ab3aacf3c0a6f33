import { describe, expect, it } from 'vitest';
import { listPlaces, type Stay, tryFault } from '../../support/fault-trial.ts';
import { faults } from '../../support/faults.ts';

describe.each(faults)('an upstream with $name', (fault) => {
  const stays: Stay[] = fault.isRetried && !fault.isPermanent ? ['lasting', 'once'] : ['lasting'];
  it.each(stays)('causes the reaction listed in the table, at any request: %s', async (stay) => {
    const trials = listPlaces(fault).map(async (place) => {
      const problems = await tryFault(fault, place, stay);
      return problems.map((problem) => `${place.name}: ${problem}`);
    });
    expect((await Promise.all(trials)).flat()).toEqual([]);
  });
});
