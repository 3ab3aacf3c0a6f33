import { expect, it } from 'vitest';
import { trySequences } from '../support/steps.ts';

it('every command has the predicted result in random sequences of commands, kills and restored copies', async () => {
  expect(await trySequences(12, 0)).toEqual([]);
});
