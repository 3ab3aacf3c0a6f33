import { expect, it } from 'vitest';
import { tryPairs } from '../support/second-steps.ts';

it('every step after every step keeps the law of test/support/site-law.ts', async () => {
  expect(await tryPairs()).toEqual([]);
});
