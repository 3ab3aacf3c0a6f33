import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { getNextRange, getPreviousRange, pageOffsets } from '../../src/contract/page-range.ts';

const huge = fc.bigInt({ min: 1n, max: 10n ** 30n });

it.each([
  [0, [0]],
  [100, [0]],
  [101, [0, 100]],
  [201, [0, 100, 200]],
])('pageOffsets(%i) returns %j', (count, offsets) => {
  expect(pageOffsets(count)).toEqual(offsets);
});

it('getNextRange and getPreviousRange add and subtract the limit', () => {
  const limits = fc.integer({ min: 1, max: 700 });
  fc.assert(
    fc.property(fc.nat({ max: 5000 }), limits, fc.nat({ max: 6000 }), (count, limit, offset) => {
      const next = offset + limit < count ? { limit, offset: offset + limit } : null;
      const previous = offset > 0 ? { limit, offset: Math.max(0, offset - limit) } : null;
      expect(getNextRange({ limit, offset }, count)).toEqual(next);
      expect(getPreviousRange({ limit, offset })).toEqual(previous);
    }),
  );
});

it('getNextRange and getPreviousRange stay exact beyond the safe integers', () => {
  fc.assert(
    fc.property(huge, huge, (limit, offset) => {
      const previous = getPreviousRange({ limit, offset });
      expect(BigInt(previous?.offset ?? -1)).toBe(offset > limit ? offset - limit : 0n);
      expect(getNextRange({ limit, offset }, 0)).toBeNull();
    }),
  );
});
