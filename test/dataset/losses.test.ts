import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/contract/kinds.ts';
import { findLosses } from '../../src/dataset/losses.ts';
import { type Addressed, noOldSlugs } from '../../src/dataset/old-slugs.ts';
import { everyKind } from '../support/kinds.ts';

const noRecords = (): Addressed[] => [];

function withMoves(...move: Addressed[]) {
  const records: Record<Kind, Addressed[]> = everyKind({ move }, noRecords);
  return { records, oldSlugs: noOldSlugs };
}

const nothingSkipped = undefined;

describe('findLosses', () => {
  it('reports a missing record, but not one whose slug another record took over', () => {
    const [first, second] = [
      { id: 1, slug: 'a' },
      { id: 2, slug: 'b' },
    ];
    const next = withMoves({ id: 3, slug: 'a' });
    const losses = findLosses(withMoves(first, second), next, nothingSkipped);
    expect(losses.missing.move).toEqual([second]);
    expect(losses.changed.move).toEqual([first]);
  });

  it('does not report a skipped record as missing', () => {
    const skip = everyKind<number[]>({ move: [2] }, () => []);
    const previous = withMoves({ id: 1, slug: 'a' }, { id: 2, slug: 'b' });
    const losses = findLosses(previous, withMoves({ id: 1, slug: 'a' }), skip);
    expect(losses.missing.move).toEqual([]);
  });

  it('compares records by slug if their id is unknown', () => {
    const previous = withMoves({ slug: 'a' }, { slug: 'b' });
    const next = withMoves({ id: 1, slug: 'a' });
    const losses = findLosses(previous, next, nothingSkipped);
    expect(losses.missing.move).toEqual([{ slug: 'b' }]);
    expect(losses.changed.move).toEqual([]);
  });

  it("counts each kind's previous records", () => {
    const previous = withMoves({ id: 1, slug: 'a' }, { id: 2, slug: 'b' });
    const losses = findLosses(previous, withMoves(), nothingSkipped);
    expect(losses.previousCounts).toEqual(everyKind({ move: 2 }, () => 0));
  });
});
