import { describe, expect, it } from 'vitest';
import { historySchema } from '../../src/contract/changes.ts';

const none = { added: [], removed: [], renamed: [], changed: [] };
const summary = (digit: number) => ({
  digest: `sha256:${String(digit).repeat(64)}`,
  captured: '2026-01-02',
  counts: { move: 1, item: 1 },
  edition: null,
});
const step = (from: number, to: number) => ({
  from: summary(from),
  to: summary(to),
  totals: { added: 0, removed: 0, renamed: 0, changed: 0 },
  changes: { move: none, item: none },
});
const fits = (...steps: object[]): boolean => historySchema.safeParse({ steps }).success;

describe('a history', () => {
  it('has consecutive steps, the newest first', () => {
    expect(fits()).toBe(true);
    expect(fits(step(1, 2))).toBe(true);
    expect(fits(step(3, 4), step(2, 3), step(1, 2))).toBe(true);
    expect(fits(step(1, 2), step(2, 3))).toBe(false);
    expect(fits(step(4, 5), step(2, 3), step(1, 2))).toBe(false);
    expect(fits(step(3, 4), step(2, 3), step(0, 1))).toBe(false);
  });

  it('may have steps without editions', () => {
    const { from, to, ...rest } = step(1, 2);
    const without = ({ edition: _, ...side }: typeof from) => side;
    expect(fits({ ...rest, from: without(from), to: without(to) })).toBe(true);
  });
});
