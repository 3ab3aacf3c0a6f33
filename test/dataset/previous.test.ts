import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { compare, type SummarizedRecords } from '../../src/dataset/compare.ts';
import type { EncodedRecords } from '../../src/dataset/data-set.ts';
import { emptyHistory, extendHistory } from '../../src/dataset/history.ts';
import { continueHistory, type PreviousDataSet } from '../../src/dataset/previous.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

const [a, b, c] = ['a', 'b', 'c'].map((slug) => versionOf([rawMove(1, { slug })]));
if (!a || !b || !c) throw new Error('three data sets are expected');

const fromAToB = extendHistory(emptyHistory, compare(a, b));
const fromBToC = extendHistory(emptyHistory, compare(b, c));

const published = (
  { records, ...summary }: SummarizedRecords,
  history: History | undefined,
  overrides: Partial<PreviousDataSet> = {},
): PreviousDataSet => ({
  ...summary,
  captured: '2026-01-02',
  edition: null,
  slugs: (kind) => records[kind].map(({ slug }) => slug),
  differences: (after) => ({ before: records, after }),
  history: () => history,
  ...overrides,
});

const fresh = (data: SummarizedRecords, history?: History) => ({
  ...data,
  records: () => data.records,
  history,
});

describe('the history of a new data set', () => {
  it('starts empty', () => {
    expect(continueHistory(fresh(a), undefined)).toEqual(emptyHistory);
  });

  it('is the one that it came with, where nothing was published before', () => {
    expect(continueHistory(fresh(b, fromAToB), undefined)).toBe(fromAToB);
  });

  it('is the one that it came with, where that includes what was published', () => {
    expect(continueHistory(fresh(b, fromAToB), published(a, undefined))).toBe(fromAToB);
    expect(continueHistory(fresh(b, fromAToB), published(b, emptyHistory))).toBe(fromAToB);
  });

  it('continues what was published, where the one that it came with does not include that', () => {
    expect(continueHistory(fresh(c, fromBToC), published(a, undefined)).steps).toEqual([compare(a, c)]);
  });

  it('continues the published one', () => {
    const { steps } = continueHistory(fresh(c), published(b, fromAToB));
    expect(steps).toEqual([compare(b, c), compare(a, b)]);
    expect(continueHistory(fresh(b), published(a, undefined)).steps).toEqual([compare(a, b)]);
  });

  it('stays as it is if nothing changed', () => {
    const previous = published(b, fromAToB, {
      differences: () => {
        throw new Error('the records are not needed');
      },
    });
    expect(continueHistory(fresh(b), previous)).toBe(fromAToB);
  });

  it('does not continue one that ends at another data set', () => {
    expect(continueHistory(fresh(c), published(a, fromAToB)).steps).toEqual([compare(a, c)]);
    expect(continueHistory(fresh(a), published(a, fromAToB))).toEqual(emptyHistory);
  });

  it('is not dropped in silence if the published records cannot be read', () => {
    const unread = { differences: (after: EncodedRecords) => ({ before: undefined, after }) };
    expect(() => continueHistory(fresh(c), published(b, fromAToB, unread))).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('its history cannot be continued'),
        hint: expect.stringContaining('--forget-history'),
      }),
    );
    expect(continueHistory(fresh(c), published(b, undefined, unread))).toEqual(emptyHistory);
  });
});
