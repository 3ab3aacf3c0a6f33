import { describe, expect, it } from 'vitest';
import { placesOf, tryFault } from '../../support/fault-trial.ts';
import { faults } from '../../support/faults.ts';

describe.each(faults.map((fault) => ({ fault, name: fault.name })))('an upstream with $name', ({ fault }) => {
  it('ends as the table says, wherever it is, and the old site stays intact', async () => {
    const places = placesOf(fault);
    const trials = await Promise.all(places.map((place) => tryFault(fault, place)));
    expect(places.map(({ name }, at) => [name, trials[at]])).toEqual(places.map(({ name }) => [name, []]));
  });

  if (fault.retried && !fault.lasting) {
    it('is built if asking again helps', async () => {
      const places = placesOf(fault);
      const trials = await Promise.all(places.map((place) => tryFault(fault, place, { stay: 'once' })));
      expect(places.map(({ name }, at) => [name, trials[at]])).toEqual(places.map(({ name }) => [name, []]));
    });
  }
});
