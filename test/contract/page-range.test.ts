import { expect, it } from 'vitest';
import {
  getNextRange,
  getPreviousRange,
  type Integer,
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

const HUGE = 2n ** 70n;
it.each<
  [limit: Integer, offset: Integer, next: Integer | null, previous: Integer | null]
>([
  [100, 0, 100, null],
  [100, 100, 200, 0],
  [100, 149, 249, 49],
  [100, 150, null, 50],
  [7, 3, 10, 0],
  [1, HUGE, null, HUGE - 1n],
  [HUGE, HUGE + 5n, null, 5],
  [HUGE, 1, null, 0],
])(
  'finds the next and previous page of limit %s and offset %s in 250 records',
  (limit, offset, next, previous) => {
    const found = [
      getNextRange({ limit, offset }, 250),
      getPreviousRange({ limit, offset }),
    ];
    expect(found).toEqual(
      [next, previous].map((to) => (to === null ? null : { limit, offset: to })),
    );
  },
);
