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
  type UpdateOptions,
} from '../../src/dataset/update.ts';
import { encodeDataSet } from '../support/decode.ts';
import { namedEdition } from '../support/editions.ts';
import { dataSetOf, PROVENANCE, rawMove } from '../support/sites.ts';

type Moves = Parameters<typeof rawMove>[1][];

function createData(moves: Moves, about: Partial<Provenance> = {}): DataSet {
  const move = moves.map((own, at) => rawMove(at + 1, own));
  const { provenance, ...data } = encodeDataSet(dataSetOf({ move }));
  return { ...data, provenance: { ...provenance, captured: '2026-03-04', ...about } };
}

const createPrevious = (
  moves: Moves,
  about: Partial<Previous & Provenance> = {},
): Previous & Provenance => {
  const { digest, counts, records, names, namesSummary } = createData(moves);
  return {
    ...{ ...PROVENANCE, digest, counts, captured: '2025-05-05', names: namesSummary },
    records: () => records,
    readPast: () => ({ ...emptyPast, notices: [] }),
    readNames: () => names,
    ...about,
  };
};

const plan = (
  dataSet: DataSet,
  published?: Previous,
  options: Partial<UpdateOptions & Next> = {},
) =>
  planUpdate({ dataSet, isCopy: false, ...options }, published, {
    ...{ today: '2026-03-04', readBundled: () => undefined, ...options },
  });

const withPast = (past: Past): Pick<Previous, 'readPast'> => ({
  readPast: () => ({ ...past, notices: [] }),
});

const renamed = { slug: 'renamed' };

describe('planUpdate', () => {
  const published = createPrevious([{}]);
  const ahead = createPrevious([{}], { captured: '2026-05-05' });
  type Options = Parameters<typeof plan>[2];
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
      'ignores the date of bundled data otherwise',
      '2026-03-04',
      [renamed],
      undefined,
      { readBundled: () => ahead },
    ],
    ["keeps a copy's date", '2026-03-04', [{}], published, { isCopy: true }],
    ['dates changed data today', '2026-03-04', [renamed], published],
    ['keeps a later date of unchanged data', '2026-05-05', [{}], ahead],
    ['never dates changed data before the previous data', '2026-05-05', [renamed], ahead],
  ])('%s', (_, expected, moves, previous, options) => {
    const { dataSet, past } = plan(createData(moves), previous, options);
    expect(dataSet.provenance.captured).toBe(expected);
    expect(past.history.steps).toMatchObject(
      moves[0] === renamed ? [{ to: { captured: expected } }] : [],
    );
  });

  it("keeps the edition of unchanged data, and takes the upstream's edition otherwise", () => {
    const [old, edition] = [namedEdition(1), namedEdition(2)];
    const find = (moves: Moves, published: Edition | null) =>
      plan(createData(moves, { edition }), createPrevious([{}], { edition: published })).dataSet
        .provenance;
    expect(find([{}], old)).toEqual({ ...PROVENANCE, captured: '2025-05-05', edition: old });
    expect(find([{}], null)).toEqual({ ...PROVENANCE, captured: '2025-05-05', edition });
    expect(find([renamed], old)).toEqual({ ...PROVENANCE, captured: '2026-03-04', edition });
  });

  it('prints notices for an early clock, an old source and a build without published or bundled data', () => {
    const [data, changed] = [createData([{}]), createData([renamed])];
    const readBundled = () => published;
    const clock = /at 2026-03-04, before the published data of 2026-05-05, .* empty folder$/;
    const older = 'the source of 2026-03-04 is older than the published data of 2026-05-05';
    const unguarded = expect.stringMatching(/^neither published nor bundled data exists/);
    expect(plan(data, ahead).notices).toEqual([expect.stringMatching(clock)]);
    expect(plan(changed, ahead, { isCopy: true }).notices).toEqual([older]);
    expect(plan(changed, ahead, { isCopy: true, fallback: 'x' }).notices).toEqual([]);
    expect(plan(data, ahead, { isCopy: true }).notices).toEqual([]);
    const today = createPrevious([{}], { captured: '2026-03-04' });
    for (const previous of [published, today]) expect(plan(data, previous).notices).toEqual([]);
    expect(plan(changed, today, { isCopy: true }).notices).toEqual([]);
    expect(plan(data).notices).toEqual([unguarded]);
    expect(plan(data, undefined, { readBundled }).notices).toEqual([]);
    expect(plan(data, undefined, { isCopy: true }).notices).toEqual([]);
  });

  it('continues bundled data from the same upstream, unless --forget-history is set', () => {
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
    const restarted = plan(createData([renamed]), undefined, { readBundled, forgetHistory: true });
    expect(restarted.past.history.steps).toEqual(continued.steps);
    expect([...restarted.past.oldSlugs.move.keys()]).toEqual(['move-1', 'move-2']);
    const copy = plan(createData([renamed]), undefined, { readBundled, isCopy: true });
    expect(copy.past.history).toEqual(emptyHistory);
  });

  describe('with --forget-history', () => {
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
    ])("drops the source's history and old slugs if %s", (_, published) => {
      const kept = plan(data, published, copy);
      expect(kept.past).toEqual({ history, oldSlugs });
      const dropped = plan(data, published, { ...copy, forgetHistory: true });
      expect(dropped.past).toEqual(emptyPast);
    });

    it("replaces the source's history by the step from the published data", () => {
      const published = createPrevious([{}]);
      const { history: started, oldSlugs: found } = plan(data, published, {
        ...copy,
        forgetHistory: true,
      }).past;
      expect(started.steps).toMatchObject([{ from: { digest: published.digest } }]);
      expect(started).not.toEqual(emptyHistory);
      expect([...found.move.keys()]).toEqual(['move-1']);
    });

    it("does not read the source's past, which may be damaged", () => {
      const readPast = () => expect.unreachable();
      plan(data, undefined, { ...copy, readPast, forgetHistory: true });
    });
  });

  it('compares only the record counts with a bundled data set of another upstream', () => {
    const oldSlugs = { ...noOldSlugs, move: new Map([['old-2', 2]]) };
    for (const origin of [{ upstream: 'https://other.test' }, { source: 'csv' } as const]) {
      const past = withPast({ ...emptyPast, oldSlugs });
      const bundled = createPrevious([{}, {}], { ...origin, ...past });
      const first = plan(createData([renamed, {}]), undefined, { readBundled: () => bundled });
      expect([first.past, first.losses]).toEqual([emptyPast, undefined]);
      expect(first.foreignCounts).toBe(bundled.counts);
    }
  });

  const before = [{ names: { fr: 'Un' } }, { names: { fr: 'Deux' } }];
  const after = [{ names: { fr: 'UN' } }, {}];
  it.each<
    [string, Moves, Previous | undefined, options: Partial<UpdateOptions>, nameChanges: object[]]
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
  ])('compares names with the published names: %s', (_, moves, published, options, nameChanges) => {
    expect(plan(createData(moves), published, options)).toMatchObject({ nameChanges });
  });
});
