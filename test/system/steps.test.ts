import { expect, it } from 'vitest';
import { trySequences } from '../support/steps.ts';

it('keeps the invariants in test/support/site-invariants.ts for random sequences of steps', async () => {
  expect(await trySequences(12, 0)).toEqual([]);
});
