import { expect, it } from 'vitest';
import { trySequences } from '../support/second-steps.ts';

it('every step of random sequences keeps the law of test/support/site-law.ts', async () => {
  expect(await trySequences(20, 0)).toEqual([]);
});
