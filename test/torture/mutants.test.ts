import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutants } from '../../scripts/mutants/table.ts';

it.each(mutants.map((mutant) => [mutant.guard, mutant] as const))(
  'the guard stands in the code just once, and can be taken out: %s',
  (_, { file, code, without, tests }) => {
    expect(readFileSync(file, 'utf8').split(code)).toHaveLength(2);
    expect(without).not.toBe(code);
    expect(tests.filter((test) => !existsSync(test))).toEqual([]);
  },
);
