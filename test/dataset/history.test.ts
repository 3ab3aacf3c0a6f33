import { describe, expect, it } from 'vitest';
import { historySchema } from '../../src/contract/changes.ts';
import { compare } from '../../src/dataset/compare.ts';
import {
  emptyHistory,
  encodeHistory,
  extendHistory,
  mentions,
  stepsSince,
} from '../../src/dataset/history.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

const named = (...slugs: string[]) => versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));

/** The history of one record, or several, under one name after another. */
const continueHistory = (...editions: ReturnType<typeof named>[]) =>
  editions.slice(1).reduce((history, to, at) => {
    const from = editions[at];
    return from ? extendHistory(history, compare(from, to)) : history;
  }, emptyHistory);

describe('a history', () => {
  it('has the newest step first, and survives being written and read', () => {
    const history = continueHistory(named('a'), named('b'), named('b', 'c'));
    expect(history.steps.map(({ totals }) => totals)).toEqual([
      { added: 1, removed: 0, renamed: 0, changed: 0 },
      { added: 0, removed: 0, renamed: 1, changed: 0 },
    ]);
    expect(historySchema.parse(JSON.parse(encodeHistory(history)))).toEqual(history);
    expect(encodeHistory(history).split('\n')).toHaveLength(5);
    expect(historySchema.parse(JSON.parse(encodeHistory(emptyHistory)))).toEqual(emptyHistory);
  });

  it('does not grow if nothing changed', () => {
    expect(continueHistory(named('a'), named('a'), named('a'))).toEqual(emptyHistory);
  });

  it('knows which data sets are in it', () => {
    const history = continueHistory(named('a'), named('b'), named('c'));
    expect(['a', 'b', 'c', 'd'].map((slug) => mentions(history, named(slug).digest))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('tells the steps since one of them', () => {
    const history = continueHistory(named('a'), named('b'), named('c'));
    const since = ['a', 'b', 'c', 'd'].map((slug) => stepsSince(history, named(slug).digest));
    expect(since).toEqual([history.steps, history.steps.slice(0, 1), [], []]);
    expect(stepsSince(emptyHistory, undefined)).toEqual([]);
  });

  it('goes a hundred steps back', () => {
    const history = continueHistory(...Array.from({ length: 131 }, (_, at) => named(`slug-${at}`)));
    expect(history.steps).toHaveLength(100);
    expect(history.steps[0]?.changes.move.renamed).toMatchObject([{ from: 'slug-129', to: 'slug-130' }]);
  });

  it('keeps ten thousand changes, and the newest step whatever it has', () => {
    const [none, many] = [versionOf([]), versionOf(Array.from({ length: 6000 }, (_, at) => rawMove(at + 1)))];
    const back = continueHistory(none, many, none);
    expect(back.steps).toHaveLength(1);
    expect(back.steps[0]?.totals).toMatchObject({ removed: 6000 });
    const half = versionOf(Array.from({ length: 5000 }, (_, at) => rawMove(at + 1)));
    expect(continueHistory(none, half, none).steps).toHaveLength(2);
    const huge = versionOf(Array.from({ length: 11_000 }, (_, at) => rawMove(at + 1)));
    expect(continueHistory(named('a'), none, huge).steps).toHaveLength(1);
  });
});
