import { expect, it } from 'vitest';
import { faultTable, readFaults, writeFaults } from '../support/fault-table.ts';
import { faults } from '../support/faults.ts';

it('FAULTS.md is what the table of faults says', () => {
  if (process.env.UPDATE_FAULTS) writeFaults();
  expect(readFaults(), 'run npm run readme:faults').toBe(faultTable());
});

it('no fault is in the table twice', () => {
  const names = faults.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
