import { expect, it } from 'vitest';
import { trySequences } from '../support/second-steps.ts';

it('whatever steps are taken with a folder, each keeps the law of test/support/site-law.ts', async () => {
  expect(await trySequences(20, 0)).toEqual([]);
});
