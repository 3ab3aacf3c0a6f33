import { expect, it } from 'vitest';
import {
  getNextRange,
  getPreviousRange,
  type PageRange,
  pageOffsets,
} from '../../src/contract/page-range.ts';

it.each([
  [0, [0]],
  [100, [0]],
  [101, [0, 100]],
  [201, [0, 100, 200]],
])('pageOffsets(%i) returns %j', (count, offsets) => {
  expect(pageOffsets(count)).toEqual(offsets);
});

interface Neighbors extends PageRange {
  /** The offset of the next page, or null if there is none. */
  readonly next: number | null;
  readonly previous: number | null;
}

it.each<Neighbors>([
  { limit: 100, offset: 0, next: 100, previous: null },
  { limit: 100, offset: 100, next: 200, previous: 0 },
  { limit: 100, offset: 149, next: 249, previous: 49 },
  { limit: 100, offset: 150, next: null, previous: 50 },
  { limit: 7, offset: 3, next: 10, previous: 0 },
  { limit: Number.MAX_SAFE_INTEGER, offset: 1, next: null, previous: 0 },
])(
  'finds the next and the previous page for limit $limit and offset $offset in a list of 250 records',
  ({ limit, offset, next, previous }) => {
    const nextRange = getNextRange({ limit, offset }, 250);
    expect(nextRange?.offset ?? null).toEqual(next);
    if (nextRange) expect(nextRange.limit).toBe(limit);
    const previousRange = getPreviousRange({ limit, offset });
    expect(previousRange?.offset ?? null).toEqual(previous);
    if (previousRange) expect(previousRange.limit).toBe(limit);
  },
);
