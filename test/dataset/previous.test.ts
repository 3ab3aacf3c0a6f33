import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { compare, type SummarizedRecords } from '../../src/dataset/compare.ts';
import { continueHistory, emptyHistory, extendHistory } from '../../src/dataset/history.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

const [a, b, c] = ['a', 'b', 'c'].map((slug) => versionOf([rawMove(1, { slug })]));
if (!a || !b || !c) throw new Error('three data sets are expected');

const fromAToB = extendHistory(emptyHistory, compare(a, b));
const fromBToC = extendHistory(emptyHistory, compare(b, c));

/** The history of new data, which may bring one along, after what is published. */
function next(
  data: SummarizedRecords,
  {
    own,
    before,
    published,
    unread,
  }: { own?: History; before?: SummarizedRecords; published?: History; unread?: true },
): History {
  const records = unread ? undefined : before?.records;
  const previous = before && { ...before, records: () => records, history: () => published };
  return continueHistory({ ...data, history: own }, previous, records);
}

describe('the history of a new data set', () => {
  it('starts empty', () => {
    expect(next(a, {})).toEqual(emptyHistory);
  });

  it('is the one that it came with, where nothing was published before', () => {
    expect(next(b, { own: fromAToB })).toBe(fromAToB);
  });

  it('is the one that it came with, where that includes what was published', () => {
    expect(next(b, { own: fromAToB, before: a })).toBe(fromAToB);
    expect(next(b, { own: fromAToB, before: b, published: emptyHistory })).toBe(fromAToB);
  });

  it('continues what was published, where the one that it came with does not include that', () => {
    expect(next(c, { own: fromBToC, before: a }).steps).toEqual([compare(a, c)]);
  });

  it('continues the published one', () => {
    const { steps } = next(c, { before: b, published: fromAToB });
    expect(steps).toEqual([compare(b, c), compare(a, b)]);
    expect(next(b, { before: a }).steps).toEqual([compare(a, b)]);
  });

  it('stays as it is if nothing changed', () => {
    expect(next(b, { before: b, published: fromAToB })).toBe(fromAToB);
  });

  it('does not continue one that ends at another data set', () => {
    expect(next(c, { before: a, published: fromAToB }).steps).toEqual([compare(a, c)]);
    expect(next(a, { before: a, published: fromAToB })).toEqual(emptyHistory);
  });

  it('is not dropped in silence if the published records cannot be read', () => {
    expect(() => next(c, { before: b, published: fromAToB, unread: true })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('its history cannot be continued'),
        hint: expect.stringContaining('--forget-history'),
      }),
    );
    expect(next(c, { before: b, unread: true })).toEqual(emptyHistory);
  });
});
