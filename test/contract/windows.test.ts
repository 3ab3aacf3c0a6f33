import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextWindow, PAGE_SIZE, pageOffsets, previousWindow } from '../../src/contract/windows.ts';

const count = fc.integer({ min: 0, max: 5000 });
const limit = fc.integer({ min: 1, max: 700 });

/** The records that a window shows, as a plain slice gives them. */
const slice = (total: number, { limit, offset }: { limit: number; offset: number }): number[] =>
  all.slice(0, total).slice(offset, offset + limit);
const all = Array.from({ length: 5000 }, (_, at) => at);

describe('the built pages', () => {
  it('hold every record once and in order, whatever the count', () => {
    fc.assert(
      fc.property(count, (total) => {
        const seen = pageOffsets(total).flatMap((offset) => slice(total, { limit: PAGE_SIZE, offset }));
        expect(seen).toEqual(slice(total, { limit: total, offset: 0 }));
      }),
    );
  });

  it.each([
    [0, [0]],
    [1, [0]],
    [100, [0]],
    [101, [0, 100]],
    [200, [0, 100]],
    [937, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900]],
  ])('of %i records start at %j', (total, offsets) => {
    expect(pageOffsets(total)).toEqual(offsets);
  });
});

describe('the windows around a window', () => {
  it('are where plain sums put them, and none of them is empty', () => {
    fc.assert(
      fc.property(count, limit, fc.nat({ max: 6000 }), (total, size, offset) => {
        const next = nextWindow({ limit: size, offset }, total);
        const previous = previousWindow({ limit: size, offset });
        expect(next).toEqual(offset + size < total ? { limit: size, offset: offset + size } : null);
        expect(previous).toEqual(offset > 0 ? { limit: size, offset: Math.max(0, offset - size) } : null);
        if (next) expect(slice(total, { limit: size, offset: Number(next.offset) })).not.toEqual([]);
      }),
    );
  });

  it('end where the list ends', () => {
    const window = { limit: 100, offset: 100 };
    expect(nextWindow(window, 200)).toBeNull();
    expect(nextWindow(window, 201)).toEqual({ limit: 100, offset: 200 });
    expect(previousWindow(window)).toEqual({ limit: 100, offset: 0 });
  });

  it('are exact if no number holds them', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        (size, offset) => {
          const past = previousWindow({ limit: size, offset });
          expect(BigInt(past?.offset ?? -1)).toBe(offset > size ? offset - size : 0n);
          expect(nextWindow({ limit: size, offset }, 0)).toBeNull();
        },
      ),
    );
  });
});
