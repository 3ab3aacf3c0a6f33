import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Comparison, History } from '../../src/contract/changes.ts';
import { recordPath } from '../../src/contract/paths.ts';
import { advance, withRecords } from '../../src/data/advance.ts';
import { compare } from '../../src/data/compare.ts';
import type { DataSet } from '../../src/data/data-set.ts';
import { emptyHistory } from '../../src/data/history.ts';
import { noOldSlugs } from '../../src/data/old-slugs.ts';
import { emptyPast } from '../../src/data/past.ts';
import { createRedirects, type OldSlugs } from '../../src/data/redirects.ts';
import { namedEdition } from '../support/editions.ts';
import { rawMove } from '../support/sites.ts';
import { createStoredData } from '../support/stored-data.ts';

/** Creates a data set whose moves have the given slugs, in order of id. */
function named(...slugs: string[]): DataSet {
  const move = slugs.map((slug, index) => rawMove(index + 1, { slug }));
  return createStoredData({ move });
}

const withHistory = (dataSet: DataSet, ...steps: Comparison[]): DataSet => ({
  ...dataSet,
  readPast: () => ({ ...emptyPast, history: { steps } }),
});

function withOldSlugs(dataSet: DataSet, oldSlugs: Partial<OldSlugs>): DataSet {
  const past = { ...emptyPast, oldSlugs: { ...noOldSlugs, ...oldSlugs } };
  return { ...dataSet, readPast: () => past };
}

const step = (from: DataSet, to: DataSet): Comparison =>
  compare(withRecords(from), withRecords(to));

describe('the history that advance returns', () => {
  const a = named('a');
  const b = named('b');
  const c = named('c');
  const ab = step(a, b);
  const ba = step(b, a);
  const bc = step(b, c);
  const ac = step(a, c);

  it.each<[title: string, previous: DataSet, next: DataSet, History['steps']]>([
    [
      "uses the new data set's history if that history includes the previous data",
      a,
      withHistory(b, ab),
      [ab],
    ],
    [
      'continues the previous history if the new data set has no history',
      withHistory(b, ab),
      c,
      [bc, ab],
    ],
    [
      "continues the previous history if the new data set's history does not contain the previous data",
      a,
      withHistory(c, bc),
      [ac],
    ],
    [
      'adds a step to the history if older data is restored',
      withHistory(b, ab),
      a,
      [ba, ab],
    ],
    [
      'adds another step to the history if the newer data is restored again',
      withHistory(a, ba, ab),
      withHistory(b, ab),
      [ab, ba, ab],
    ],
    [
      "uses the new data set's history if it starts earlier than the previous history",
      b,
      withHistory(c, bc, ab),
      [bc, ab],
    ],
    [
      'uses the longer history if both data sets have the same records',
      b,
      withHistory(b, ab),
      [ab],
    ],
    [
      'keeps the history of the first data set',
      undefined as never,
      withHistory(b, ab),
      [ab],
    ],
  ])('%s', (_, previous, next, expected) => {
    const { dataSet } = advance(previous, next);
    expect(dataSet.readPast().history.steps).toEqual(expected);
  });

  it('returns only the steps that follow the previous data set', () => {
    expect(advance(withHistory(b, ab), c).steps).toEqual([bc]);
    expect(advance(withHistory(b, ab), b).steps).toEqual([]);
  });
});

it('updates the digest in the newest step if a new version of gamedata writes the same records differently', () => {
  const [a, b] = [named('a'), named('b')];
  const previous = advance(a, b).dataSet;
  // As if a new version of gamedata added a field that is null in all records.
  const next = { ...b, digest: 'sha256:other' };
  const { history } = advance(previous, next).dataSet.readPast();
  expect(history.steps).toMatchObject([
    { from: { digest: a.digest }, to: { digest: next.digest } },
  ]);
});

describe('the old slugs that advance returns', () => {
  it('keeps the old slugs of both the previous and the new data set', () => {
    const previous = withOldSlugs(named('a'), { move: new Map([['x', 1]]) });
    const next = withOldSlugs(named('a'), { move: new Map([['y', 1]]) });
    const { oldSlugs } = advance(previous, next).dataSet.readPast();
    expect([...oldSlugs.move.keys()].sort()).toEqual(['x', 'y']);
  });

  it("prefers the new data set's old slugs if its history includes the previous history", () => {
    const previous = withOldSlugs(named('a'), { move: new Map([['x', 5]]) });
    const next = withOldSlugs(named('a'), { move: new Map([['x', 9]]) });
    const { oldSlugs } = advance(previous, next).dataSet.readPast();
    expect(oldSlugs.move.get('x')).toBe(9);
  });

  const slug = fc.constantFrom('a', 'b', 'c', 'd');
  const version = fc.uniqueArray(slug, { minLength: 3, maxLength: 3 });

  it('a copy has the same history and old slugs as its source, even if it skips versions', () => {
    const versions = fc.array(fc.tuple(version, fc.boolean()), {
      minLength: 2,
      maxLength: 6,
    });
    fc.assert(
      fc.property(versions, (steps) => {
        let source: DataSet | undefined;
        let copy: DataSet | undefined;
        for (const [slugs, isCopied] of steps) {
          source = advance(source, named(...slugs)).dataSet;
          if (!isCopied) continue;
          copy = advance(copy, source, { isCopy: true }).dataSet;
          expect(copy.readPast()).toEqual(source.readPast());
        }
      }),
    );
  });

  it('redirects each old URL to the last record that had it, no matter in which order records are renamed', () => {
    fc.assert(
      fc.property(fc.array(version, { minLength: 2, maxLength: 6 }), (versions) => {
        const lastIds = new Map<string, number>();
        let published: DataSet | undefined;
        for (const slugs of versions) {
          published = advance(published, named(...slugs)).dataSet;
          for (const [index, name] of slugs.entries()) lastIds.set(name, index + 1);
        }
        const records = published?.readRecords() ?? named().readRecords();
        const { oldSlugs } = published?.readPast() ?? emptyPast;
        const redirects = createRedirects(oldSlugs, records);
        for (const [name, id] of lastIds) {
          const path = recordPath('move', name);
          const redirect = redirects.find((candidate) => candidate.path === path);
          const current = records.move.find((record) => record.id === id);
          const target = recordPath('move', `${current?.slug}`);
          expect(redirect?.to ?? path).toBe(target);
        }
      }),
    );
  });
});

describe('advance', () => {
  it('counts the changed names in each language', () => {
    const previous = createStoredData({
      move: [rawMove(1, { names: { fr: 'Charge', de: 'Tackle' } })],
    });
    const next = createStoredData({
      move: [rawMove(1, { names: { fr: 'Charge !', ja: 'たいあたり' } })],
    });
    const summaries = advance(previous, next).nameChanges.map(
      ({ language, lost, replaced, changed }) => [language, lost, replaced, changed],
    );
    expect(summaries).toEqual([
      ['de', 1, 0, 1],
      ['fr', 0, 1, 1],
      ['ja', 0, 0, 1],
    ]);
  });
});

describe('the dates that advance returns', () => {
  const older = { captured: '2026-01-01', edition: namedEdition(1) };
  const newer = { captured: '2026-02-02', edition: namedEdition(2) };
  const moves = { move: [rawMove(1)] };
  const otherMoves = { move: [rawMove(2)] };

  it('keeps the capture date and the edition if the records have not changed', () => {
    const previous = createStoredData(moves, { provenance: older });
    const next = createStoredData(moves, { provenance: newer });
    expect(advance(previous, next).dataSet.provenance).toMatchObject(older);
  });

  it('uses the new capture date and edition if the records have changed', () => {
    const previous = createStoredData(moves, { provenance: older });
    const next = createStoredData(otherMoves, { provenance: newer });
    expect(advance(previous, next).dataSet.provenance).toMatchObject(newer);
  });

  it('keeps the previous capture date if the new one is earlier', () => {
    const previous = createStoredData(moves, { provenance: newer });
    const next = createStoredData(otherMoves, { provenance: older });
    const { captured } = newer;
    expect(advance(previous, next).dataSet.provenance).toMatchObject({
      ...older,
      captured,
    });
  });

  it('adds the edition if the records have not changed and no edition was known before', () => {
    const unknown = { captured: '2026-01-01', edition: null };
    const previous = createStoredData(moves, { provenance: unknown });
    const next = createStoredData(moves, { provenance: newer });
    const { edition } = newer;
    expect(advance(previous, next).dataSet.provenance).toMatchObject({
      ...unknown,
      edition,
    });
  });
});

it('keeps the history empty if the first data set has no history', () => {
  const { dataSet, steps } = advance(undefined, named('a'));
  expect(dataSet.readPast().history).toEqual(emptyHistory);
  expect(steps).toEqual([]);
});
