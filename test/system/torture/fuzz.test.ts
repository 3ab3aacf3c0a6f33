import { expect, it } from 'vitest';
import { fuzz } from '../../support/fuzz-run.ts';

it.each([1, 2])(
  'no made-up request finds a 5xx, a hang, a way out or a wrong window (seed %i)',
  async (seed) => {
    expect(await fuzz({ handled: 10_000, served: 250, seed })).toEqual([]);
  },
);
