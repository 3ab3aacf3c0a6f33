import { expect, it } from 'vitest';
import { shareColumns } from '../../../src/web/front/share-columns.ts';

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

it('gives stripes columns in proportion to their sizes, with gaps between them', () => {
  const columns = shareColumns([165, 86, 430, 366, 208, 130, 315], 53);
  expect(columns).toEqual([5, 3, 11, 10, 6, 4, 8]);
  expect(sum(columns) + 6).toBeLessThanOrEqual(53);
});

it('gives a small stripe enough columns for its label', () => {
  expect(shareColumns([1000, 1], 40)[1]).toBe(3);
});

it('uses as few rows as possible', () => {
  const columns = shareColumns([100, 100], 21);
  expect(columns).toEqual([10, 10]);
});
