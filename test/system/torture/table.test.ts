import { expect, it } from 'vitest';
import { faultTable } from '../../support/fault-table.ts';
import { faults } from '../../support/faults.ts';

it('FAULTS.md is generated from the table of faults: npm run readme:faults', async () => {
  await expect(faultTable()).toMatchFileSnapshot('../../../docs/FAULTS.md');
});

it('no fault is in the table twice', () => {
  const names = faults.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
