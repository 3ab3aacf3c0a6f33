import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { compare, type SummarizedRecords } from '../../src/dataset/compare.ts';
import { noFormer } from '../../src/dataset/former.ts';
import {
  continueHistory,
  correctHistory,
  decodeHistory,
  emptyHistory,
  encodeHistory,
  extendHistory,
  stepsSince,
} from '../../src/dataset/history.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

const named = (...slugs: string[]) => versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));

/** The history of one record, or several, under one name after another. */
const historyOf = (...editions: ReturnType<typeof named>[]) =>
  editions.slice(1).reduce((history, to, at) => {
    const from = editions[at];
    return from ? extendHistory(history, compare(from, to)) : history;
  }, emptyHistory);

describe('a history', () => {
  it('has the newest step first, and survives being written and read', () => {
    const history = historyOf(named('a'), named('b'), named('b', 'c'));
    expect(history.steps.map(({ totals }) => totals)).toEqual([
      { added: 1, removed: 0, renamed: 0, changed: 0 },
      { added: 0, removed: 0, renamed: 1, changed: 0 },
    ]);
    expect(decodeHistory(JSON.parse(encodeHistory(history)))).toEqual(history);
    expect(encodeHistory(history).split('\n')).toHaveLength(5);
    expect(decodeHistory(JSON.parse(encodeHistory(emptyHistory)))).toEqual(emptyHistory);
  });

  it('is cut to a hundred steps when it is read, whatever follows', () => {
    const [step] = historyOf(named('a'), named('b'), named('a')).steps;
    const back = { ...step, from: step?.to };
    const { steps } = decodeHistory({ steps: [...Array(100).fill(back), ...Array(40_000).fill([])] });
    expect(steps).toEqual(Array(100).fill(back));
    expect(() => decodeHistory({ steps: [[]] })).toThrow('changes.json › steps[0]: got []: expected object');
    expect(() => decodeHistory([])).toThrow('changes.json: got []: expected object');
  });

  it('does not grow if nothing changed', () => {
    expect(historyOf(named('a'), named('a'), named('a'))).toEqual(emptyHistory);
  });

  it('tells the steps since one of them', () => {
    const history = historyOf(named('a'), named('b'), named('c'));
    const since = ['a', 'b', 'c', 'd'].map((slug) => stepsSince(history, named(slug).digest));
    expect(since).toEqual([history.steps, history.steps.slice(0, 1), [], []]);
    expect(stepsSince(emptyHistory, undefined)).toEqual([]);
  });

  it('has no later day than today where a clock ran ahead, and keeps every other', () => {
    const dated = (captured: string | null, slug: string) => ({ ...named(slug), captured });
    const daysOf = ({ steps }: History) => steps.flatMap(({ from, to }) => [from.captured, to.captured]);
    const steps = historyOf(
      dated(null, 'a'),
      dated('2026-01-01', 'b'),
      dated('2026-02-01', 'c'),
      dated('2027-01-01', 'd'),
    );
    expect(daysOf(correctHistory(steps, '2026-02-01'))).toEqual([
      ...['2026-02-01', '2026-02-01'],
      ...['2026-01-01', '2026-02-01'],
      ...[null, '2026-01-01'],
    ]);
    const others = ({ steps }: History) => steps.map(({ totals, changes }) => ({ totals, changes }));
    expect(others(correctHistory(steps, '2026-02-01'))).toEqual(others(steps));
  });

  it('goes a hundred steps back', () => {
    const history = historyOf(...Array.from({ length: 131 }, (_, at) => named(`slug-${at}`)));
    expect(history.steps).toHaveLength(100);
    expect(history.steps[0]?.changes.move.renamed).toMatchObject([{ from: 'slug-129', to: 'slug-130' }]);
  });

  it('keeps ten thousand changes, and the newest step whatever it has', () => {
    const [none, many] = [versionOf([]), versionOf(Array.from({ length: 6000 }, (_, at) => rawMove(at + 1)))];
    const back = historyOf(none, many, none);
    expect(back.steps).toHaveLength(1);
    expect(back.steps[0]?.totals).toMatchObject({ removed: 6000 });
    const half = versionOf(Array.from({ length: 5000 }, (_, at) => rawMove(at + 1)));
    expect(historyOf(none, half, none).steps).toHaveLength(2);
    const huge = versionOf(Array.from({ length: 11_000 }, (_, at) => rawMove(at + 1)));
    expect(historyOf(named('a'), none, huge).steps).toHaveLength(1);
  });
});

const [a, b, c] = [named('a'), named('b'), named('c')];
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
