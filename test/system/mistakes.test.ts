import { expect, it } from 'vitest';
import { makeMistakes } from '../support/mistakes.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';

it('every mistake of an operator is refused, and touches nothing', async () => {
  expect(await makeMistakes(temporaryFolder(), callCli)).toEqual([]);
});
