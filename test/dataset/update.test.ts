import { describe, expect, it } from 'vitest';
import type { Edition } from '../../src/contract/meta.ts';
import type { DataSet, Provenance } from '../../src/dataset/data-set.ts';
import { emptyHistory } from '../../src/dataset/history.ts';
import { noOldSlugs } from '../../src/dataset/old-slugs.ts';
import { emptyPast, type Past } from '../../src/dataset/past.ts';
import {
  type Next,
  type Previous,
  planUpdate,
  type Update,
  type UpdateOptions,
} from '../../src/dataset/update.ts';
import { encodeDataSet } from '../support/decode.ts';
import { namedEdition } from '../support/editions.ts';
import { dataSetOf, PROVENANCE, rawMove } from '../support/sites.ts';

type Moves = Parameters<typeof rawMove>[1][];

function createData(moves: Moves, about: Partial<Provenance> = {}): DataSet {
  const move = moves.map((own, at) => rawMove(at + 1, own));
  const { provenance, ...data } = encodeDataSet(dataSetOf({ move }));
  return {
    ...data,
    provenance: { ...provenance, captured: '2026-03-04', ...about },
  };
}

function createPrevious(
  moves: Moves,
  about: Partial<Previous & Provenance> = {},
): Previous & Provenance {
  const { digest, counts, records, namesSummary, readNames } = createData(moves);
  return {
    ...PROVENANCE,
    digest,
    counts,
    captured: '2025-05-05',
    names: namesSummary,
    records: () => records,
    readPast: () => ({ ...emptyPast, notices: [] }),
    readNames,
    ...about,
  };
}

type Options = Partial<UpdateOptions & Next>;

function plan(
  dataSet: DataSet,
  published?: Previous,
  options: Options = {},
): Update {
  const next = { dataSet, isCopy: false, ...options };
  return planUpdate(next, published, {
    today: '2026-03-04',
    readBundled: () => undefined,
    ...options,
  });
}

function withPast(past: Past): Pick<Previous, 'readPast'> {
  return { readPast: () => ({ ...past, notices: [] }) };
}

const renamed = { slug: 'renamed' };

describe('planUpdate', () => {
  const published = createPrevious([{}]);
  const ahead = createPrevious([{}], { captured: '2026-05-05' });
  it.each<[string, expected: string, Moves, Previous | undefined, Options?]>([
    ['keeps the date of unchanged data', '2025-05-05', [{}], published],
    [
      'keeps the date of unchanged bundled data',
      '2025-05-05',
      [{}],
      undefined,
      { readBundled: () => published },
    ],
    [
      'ignores the date of bundled data if the data has changed',
      '2026-03-04',
      [renamed],
      undefined,
      { readBundled: () => ahead },
    ],
    ['keeps the date of a copy', '2026-03-04', [{}], published, { isCopy: true }],
    [
      'dates changed data on the day of the build',
      '2026-03-04',
      [renamed],
      published,
    ],
    ['keeps a later date of unchanged data', '2026-05-05', [{}], ahead],
    [
      'never dates changed data before the previous data',
      '2026-05-05',
      [renamed],
      ahead,
    ],
  ])('%s', (_, expected, moves, previous, options) => {
    const { dataSet, past } = plan(createData(moves), previous, options);
    expect(dataSet.provenance.captured).toBe(expected);
    const isChanged = moves[0] === renamed;
    const expectedSteps = isChanged ? [{ to: { captured: expected } }] : [];
    expect(past.history.steps).toMatchObject(expectedSteps);
  });

  const firstEdition = namedEdition(1);
  const secondEdition = namedEdition(2);

  it.each<
    [string, Moves, published: Edition | null, expected: Edition, captured: string]
  >([
    [
      'keeps the edition of unchanged data',
      [{}],
      firstEdition,
      firstEdition,
      '2025-05-05',
    ],
    [
      'adds a missing edition to unchanged data',
      [{}],
      null,
      secondEdition,
      '2025-05-05',
    ],
    [
      'uses the new edition if the data has changed',
      [renamed],
      firstEdition,
      secondEdition,
      '2026-03-04',
    ],
  ])('%s', (_, moves, publishedEdition, edition, captured) => {
    const data = createData(moves, { edition: secondEdition });
    const previous = createPrevious([{}], { edition: publishedEdition });
    const { dataSet } = plan(data, previous);
    expect(dataSet.provenance).toEqual({ ...PROVENANCE, captured, edition });
  });

  const unchangedData = createData([{}]);
  const changedData = createData([renamed]);
  const ofToday = createPrevious([{}], { captured: '2026-03-04' });
  const CLOCK =
    /at 2026-03-04, before the published data of 2026-05-05, .* empty folder$/;
  const OLDER =
    /^the source of 2026-03-04 is older than the published data of 2026-05-05$/;
  const UNGUARDED = /^neither published nor bundled data exists/;

  it.each<[string, RegExp, DataSet, Previous | undefined, Options]>([
    ['an early clock', CLOCK, unchangedData, ahead, {}],
    ['an older source', OLDER, changedData, ahead, { isCopy: true }],
    ['a build without any data to compare', UNGUARDED, unchangedData, undefined, {}],
  ])('reports a notice about %s', (_, notice, dataSet, previous, options) => {
    const { notices } = plan(dataSet, previous, options);
    expect(notices).toEqual([expect.stringMatching(notice)]);
  });

  it.each<[string, DataSet, Previous | undefined, Options]>([
    ['older published data', unchangedData, published, {}],
    ['published data of today', unchangedData, ofToday, {}],
    [
      'an older fallback, which the guard checks',
      changedData,
      ahead,
      { isCopy: true, fallback: 'x' },
    ],
    ['an older source of the same data', unchangedData, ahead, { isCopy: true }],
    ['a source of the same day', changedData, ofToday, { isCopy: true }],
    ['bundled data', unchangedData, undefined, { readBundled: () => published }],
    ['a copy into an empty folder', unchangedData, undefined, { isCopy: true }],
  ])('reports no notice about %s', (_, dataSet, previous, options) => {
    const { notices } = plan(dataSet, previous, options);
    expect(notices).toEqual([]);
  });

  it('continues the history of bundled data from the same upstream, unless --forget-history is set', () => {
    const oldSlugs = { ...noOldSlugs, move: new Map([['older', 1]]) };
    const first = plan(createData([{}, {}]), createPrevious([{}])).past.history;
    const bundled = createPrevious([{}, {}], withPast({ history: first, oldSlugs }));
    const readBundled = () => bundled;
    const continued = plan(createData([renamed]), undefined, { readBundled });
    expect(continued.past.history.steps).toMatchObject([
      { totals: { renamed: 1, removed: 1 } },
      ...first.steps,
    ]);
    expect(continued.steps).toEqual(continued.past.history.steps.slice(0, 1));
    expect([...continued.past.oldSlugs.move]).toEqual([
      ['older', 1],
      ['move-1', 1],
      ['move-2', 2],
    ]);
    expect(continued.missing.move).toEqual(['move-2']);
    const restarted = plan(createData([renamed]), undefined, {
      readBundled,
      forgetHistory: true,
    });
    expect(restarted.past.history.steps).toEqual(continued.steps);
    expect([...restarted.past.oldSlugs.move.keys()]).toEqual(['move-1', 'move-2']);
    const copy = plan(createData([renamed]), undefined, {
      readBundled,
      isCopy: true,
    });
    expect(copy.past.history).toEqual(emptyHistory);
  });

  describe('planUpdate with --forget-history', () => {
    const oldSlugs = { ...noOldSlugs, move: new Map([['older', 1]]) };
    const data = createData([renamed]);
    const { history } = plan(data, createPrevious([{}])).past;
    const copy = { isCopy: true, readPast: () => ({ history, oldSlugs }) };

    it.each<[string, Previous | undefined]>([
      ['nothing is published', undefined],
      [
        'the same data is published',
        createPrevious([renamed], withPast({ ...emptyPast, oldSlugs })),
      ],
    ])('drops the history and old slugs of the source if %s', (_, published) => {
      const kept = plan(data, published, copy);
      expect(kept.past).toEqual({ history, oldSlugs });
      const dropped = plan(data, published, { ...copy, forgetHistory: true });
      expect(dropped.past).toEqual(emptyPast);
    });

    it("replaces the source's history with the step from the published data", () => {
      const published = createPrevious([{}]);
      const { history: started, oldSlugs: found } = plan(data, published, {
        ...copy,
        forgetHistory: true,
      }).past;
      expect(started.steps).toMatchObject([{ from: { digest: published.digest } }]);
      expect(started).not.toEqual(emptyHistory);
      expect([...found.move.keys()]).toEqual(['move-1']);
    });

    it("does not read the source's history and old slugs, because they may be damaged", () => {
      const readPast = () => expect.unreachable();
      plan(data, undefined, { ...copy, readPast, forgetHistory: true });
    });
  });

  it('compares only record counts with bundled data from another upstream', () => {
    const oldSlugs = { ...noOldSlugs, move: new Map([['old-2', 2]]) };
    for (const origin of [
      { upstream: 'https://other.test' },
      { source: 'csv' } as const,
    ]) {
      const past = withPast({ ...emptyPast, oldSlugs });
      const bundled = createPrevious([{}, {}], { ...origin, ...past });
      const first = plan(createData([renamed, {}]), undefined, {
        readBundled: () => bundled,
      });
      expect([first.past, first.losses]).toEqual([emptyPast, undefined]);
      expect(first.foreignCounts).toBe(bundled.counts);
    }
  });

  const before = [{ names: { fr: 'Un' } }, { names: { fr: 'Deux' } }];
  const after = [{ names: { fr: 'UN' } }, {}];
  it.each<
    [
      string,
      Moves,
      Previous | undefined,
      options: Partial<UpdateOptions>,
      nameChanges: object[],
    ]
  >([
    [
      'changed',
      after,
      createPrevious(before),
      {},
      [{ language: 'fr', before: 2, lost: 1, changed: 2 }],
    ],
    ['unchanged', before, createPrevious(before), {}, []],
    ['omitted', after, createPrevious(before), { hasNames: false }, []],
    ['new', after, undefined, {}, []],
  ])(
    'compares the names with the published names: %s',
    (_, moves, published, options, nameChanges) => {
      expect(plan(createData(moves), published, options)).toMatchObject({
        nameChanges,
      });
    },
  );
});
