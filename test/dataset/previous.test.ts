import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { compare, type SummarizedRecords } from '../../src/dataset/compare.ts';
import { noFormer } from '../../src/dataset/former.ts';
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
): ReturnType<typeof continueHistory> {
  const records = unread ? undefined : before?.records;
  const previous = before && {
    ...before,
    records: () => records,
    history: () => published,
    former: () => noFormer,
  };
  return continueHistory({ ...data, history: own }, previous, records);
}

const ANEW = [expect.stringContaining('starts anew')];

describe('the history of a new data set', () => {
  it('starts empty', () => {
    expect(next(a, {})).toEqual({ history: emptyHistory, notices: [] });
  });

  it('is the one that it came with, where nothing was published before', () => {
    expect(next(b, { own: fromAToB }).history).toBe(fromAToB);
  });

  it('is the one that it came with, where that includes what was published', () => {
    expect(next(b, { own: fromAToB, before: a }).history).toBe(fromAToB);
    expect(next(b, { own: fromAToB, before: b, published: emptyHistory }).history).toBe(fromAToB);
  });

  it('continues what was published, where the one that it came with does not include that', () => {
    const { history, notices } = next(c, { own: fromBToC, before: a, published: emptyHistory });
    expect([history.steps, notices]).toEqual([[compare(a, c)], []]);
  });

  it('continues the published one', () => {
    const { history, notices } = next(c, { before: b, published: fromAToB });
    expect([history.steps, notices]).toEqual([[compare(b, c), compare(a, b)], []]);
  });

  it('stays as it is if nothing changed', () => {
    expect(next(b, { before: b, published: fromAToB })).toEqual({ history: fromAToB, notices: [] });
  });

  it.each([
    ['ends at another data set', fromAToB],
    ['cannot be read', undefined],
  ])('starts anew, with a notice, where the published one %s', (_, published) => {
    const { history, notices } = next(c, { before: a, ...(published && { published }) });
    expect([history.steps, notices]).toEqual([[compare(a, c)], ANEW]);
    expect(next(a, { before: a, ...(published && { published }) })).toEqual({
      history: emptyHistory,
      notices: ANEW,
    });
  });

  it('starts anew, with a notice, where the published records cannot be read', () => {
    expect(next(c, { before: b, published: fromAToB, unread: true })).toEqual({
      history: emptyHistory,
      notices: ANEW,
    });
  });
});
