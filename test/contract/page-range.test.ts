import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getNextRange, getPreviousRange, PAGE_SIZE, pageOffsets } from '../../src/contract/page-range.ts';

const count = fc.integer({ min: 0, max: 5000 });
const limit = fc.integer({ min: 1, max: 700 });
const huge = fc.bigInt({ min: 1n, max: 10n ** 30n });

const all = Array.from({ length: 5000 }, (_, at) => at);
const slice = (total: number, { limit, offset }: { limit: number; offset: number }): number[] =>
  all.slice(0, total).slice(offset, offset + limit);

describe('pageOffsets', () => {
  it('covers every record once and in order', () => {
    fc.assert(
      fc.property(count, (total) => {
        const seen = pageOffsets(total).flatMap((offset) => slice(total, { limit: PAGE_SIZE, offset }));
        expect(seen).toEqual(slice(total, { limit: total, offset: 0 }));
      }),
    );
  });

  it('has one page without records, and none after the last record', () => {
    expect([0, 1, 100, 101, 200, 201].map(pageOffsets)).toEqual([
      [0],
      [0],
      [0],
      [0, 100],
      [0, 100],
      [0, 100, 200],
    ]);
  });
});

describe('getNextRange and getPreviousRange', () => {
  it('add and subtract the limit, and are never empty', () => {
    fc.assert(
      fc.property(count, limit, fc.nat({ max: 6000 }), (total, size, offset) => {
        const next = getNextRange({ limit: size, offset }, total);
        const previous = getPreviousRange({ limit: size, offset });
        expect(next).toEqual(offset + size < total ? { limit: size, offset: offset + size } : null);
        expect(previous).toEqual(offset > 0 ? { limit: size, offset: Math.max(0, offset - size) } : null);
        if (next) expect(slice(total, { limit: size, offset: Number(next.offset) })).not.toEqual([]);
      }),
    );
  });

  it('are exact beyond the range of numbers', () => {
    fc.assert(
      fc.property(huge, huge, (size, offset) => {
        const past = getPreviousRange({ limit: size, offset });
        expect(BigInt(past?.offset ?? -1)).toBe(offset > size ? offset - size : 0n);
        expect(getNextRange({ limit: size, offset }, 0)).toBeNull();
      }),
    );
  });
});
