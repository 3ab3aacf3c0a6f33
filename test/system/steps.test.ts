import { expect, it } from 'vitest';
import { trySequences } from '../support/steps.ts';

it('every build has the predicted result in random sequences of builds, some of which are killed', async () => {
  expect(await trySequences(12, 0)).toEqual([]);
});
