import { expect, it } from 'vitest';
import { trySequences } from '../support/step-sequences.ts';

it('keeps the invariants of test/support/site-invariants.ts in random sequences of steps', async () => {
  expect(await trySequences(20, 0)).toEqual([]);
});
