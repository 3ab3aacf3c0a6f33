import { describe, expect, it } from 'vitest';
import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import type { DataSet, Warning } from '../../src/dataset/data-set.ts';
import { checkUpdate, type GuardOptions } from '../../src/dataset/guard.ts';
import {
  type Addressed,
  type AddressedRecords,
  noOldSlugs,
  type OldSlugs,
} from '../../src/dataset/old-slugs.ts';
import { type Next, type Previous, planUpdate } from '../../src/dataset/update.ts';
import { GuardError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind, namesIn } from '../support/kinds.ts';
import { PROVENANCE } from '../support/sites.ts';

const TODAY = '2026-04-01';
const hint = 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';

const range = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

/** Moves and items named `<kind>-<id>`. */
const records = (move: number, item: number): AddressedRecords => {
  const sizes = everyKind({ move, item }, () => 1);
  return mapKinds((kind) => range(sizes[kind]).map((id) => ({ id, slug: `${kind}-${id}` })));
};
const withMoves = (move: Addressed[]): AddressedRecords => ({ ...records(0, 1), move });

interface About extends Partial<Pick<DataSet, 'warnings' | 'names' | 'namesSummary'>> {
  readonly captured?: string;
  readonly edition?: DataSet['provenance']['edition'];
  readonly oldSlugs?: OldSlugs;
  readonly digest?: string;
}

function nextOf(
  own: AddressedRecords,
  { captured = '2026-01-02', edition = null, oldSlugs, ...about }: About = {},
): Next {
  const provenance = { ...PROVENANCE, captured, edition };
  const counts = mapKinds((kind) => own[kind].length);
  const plain = { warnings: [], names: [], namesSummary: undefined, digest: JSON.stringify(own) };
  const dataSet = { ...plain, provenance, counts, records: own, ...about } as unknown as DataSet;
  return { dataSet, oldSlugs, isCopy: false };
}

function previousOf(
  own: AddressedRecords,
  { captured = '2026-01-02', edition = null, oldSlugs = noOldSlugs, ...about }: About = {},
): Previous {
  const counts = mapKinds((kind) => own[kind].length);
  const isRead = kindNames.every((kind) => own[kind].every(({ id }) => id !== undefined));
  return {
    ...{ digest: JSON.stringify(own), captured, edition, counts, ...about, names: about.namesSummary },
    records: () => (isRead ? (own as never) : undefined),
    listed: () => own,
    oldSlugs: () => oldSlugs,
    history: () => ({ steps: [] }),
    readNames: () => about.names,
  };
}

type Options = Partial<GuardOptions & Parameters<typeof planUpdate>[2]>;

function replace(next: Next, previous: Previous | undefined, options: Options = {}) {
  const all = { today: TODAY, maxShrink: 0, allowMissing: [], readBundled: () => undefined, ...options };
  const changes = planUpdate(next, previous, all);
  checkUpdate(changes, all);
  return changes;
}
const shrink = (before: AddressedRecords, now: AddressedRecords, options?: Options) =>
  replace(nextOf(now), previousOf(before), options).missing;

type Sizes = [moves: number, items: number];
const none = mapKinds(() => []);

describe('planUpdate', () => {
  const [one, two] = [records(1, 1), records(2, 1)];
  const renamed = withMoves([
    { id: 1, slug: 'new' },
    { id: 2, slug: 'move-2' },
  ]);
  const oldSlugs = {
    ...noOldSlugs,
    move: new Map([
      ['old-1', 1],
      ['old-2', 2],
    ]),
  };

  it.each<[string, About, AddressedRecords, isCopy: boolean, dates: About]>([
    [
      'keeps the dates of unchanged data',
      {},
      one,
      false,
      { captured: '2025-05-05', edition: namedEdition(1) },
    ],
    [
      'keeps the edition of unchanged data if none is published',
      { edition: null },
      one,
      false,
      { captured: '2025-05-05' },
    ],
    ['keeps the dates of a copy', {}, one, true, {}],
    ['dates changed data', {}, two, false, {}],
    ['never dates changed data earlier', { captured: '2026-02-02' }, two, false, { captured: '2026-02-02' }],
  ])('%s', (_, published, now, isCopy, dates) => {
    const read = { captured: '2026-01-02', edition: namedEdition(2) };
    const previous = previousOf(one, { captured: '2025-05-05', edition: namedEdition(1), ...published });
    const { dataSet, steps } = replace({ ...nextOf(now, read), isCopy }, previous);
    expect(dataSet.provenance).toEqual({ ...PROVENANCE, ...read, ...dates });
    expect(steps.map(({ to }) => to.captured)).toEqual(now === one ? [] : [dataSet.provenance.captured]);
  });

  it('prints a notice if the clock is behind the published data, except for a copy', () => {
    const previous = previousOf(one, { captured: '2026-04-02' });
    const plan = (isCopy: boolean) => replace({ ...nextOf(one), isCopy }, previous).notices;
    expect(plan(false)).toEqual([expect.stringMatching(`at ${TODAY}, before .* of 2026-04-02, .* empty`)]);
    expect(plan(true)).toEqual([]);
  });

  it('prints a notice if neither published nor bundled data guards a first build', () => {
    const readBundled = () => ({ ...previousOf(one), ...PROVENANCE });
    expect(replace(nextOf(one), undefined).notices).toEqual([
      expect.stringMatching(/^neither published nor/),
    ]);
    expect(replace(nextOf(one), undefined, { readBundled }).notices).toEqual([]);
    expect(replace({ ...nextOf(one), isCopy: true }, undefined).notices).toEqual([]);
  });

  it('continues the bundled history of the same upstream, unless --forget-history is set', () => {
    const readBundled = () => ({ ...previousOf(two, { oldSlugs }), ...PROVENANCE });
    const plan = (now: AddressedRecords, options?: Options) =>
      replace(nextOf(now), undefined, { readBundled, ...options });
    const next = plan(renamed);
    expect(next.history.steps).toMatchObject([{ totals: { renamed: 1 } }]);
    expect(next.steps).toEqual(next.history.steps);
    expect(next.oldSlugs.move).toEqual(new Map([...oldSlugs.move, ['move-1', 1]]));
    expect(() => plan(one)).toThrow('got 1 of 2 records missing');
    expect(plan(renamed, { forgetHistory: true }).oldSlugs.move).toEqual(new Map([['move-1', 1]]));
  });

  it("uses only another upstream's bundled record counts and old slugs of equal records", () => {
    const upstream = 'https://other.test';
    const readBundled = () => ({ ...previousOf(two, { oldSlugs }), ...PROVENANCE, upstream });
    const { history, notices, oldSlugs: found } = replace(nextOf(renamed), undefined, { readBundled });
    expect([history.steps, notices, found.move]).toEqual([[], [], new Map([['old-2', 2]])]);
    expect(() => replace(nextOf(one), undefined, { readBundled })).toThrow('got 1 of 2 records missing');
  });

  it("keeps a snapshot's old slugs if an archive replaces the snapshot", () => {
    const { oldSlugs: kept } = replace(nextOf(two), previousOf(two, { oldSlugs }), { isRestored: true });
    expect(kept).toEqual(oldSlugs);
  });

  it.each<[string, Record<string, string>, Options, object[]]>([
    ['changed', { 'move-1': 'UN' }, {}, [{ language: 'fr', before: 2, lost: 1, changed: 2 }]],
    ['unchanged', { 'move-1': 'Un', 'move-2': 'Deux' }, {}, []],
    ['omitted', {}, { hasNames: false }, []],
  ])('compares the names: %s', (_, move, options, nameChanges) => {
    const name = (names: Record<string, string>) => ({
      names: [namesIn('fr', { move: names })],
      namesSummary: { digest: JSON.stringify(names), languages: {} },
    });
    const previous = previousOf(two, name({ 'move-1': 'Un', 'move-2': 'Deux' }));
    expect(replace(nextOf(two, name(move)), previous, { maxShrink: 50, ...options })).toMatchObject({
      nameChanges,
    });
  });
});

describe('checkUpdate, for missing records', () => {
  it.each<[before: Sizes | undefined, now: Sizes, maxShrink: number]>([
    [undefined, [1, 1], 0],
    [[100, 200], [101, 900], 0],
    [[100, 200], [99, 198], 1],
    [[100, 200], [50, 100], 50],
    [[100, 200], [0, 0], 100],
    [undefined, [0, 0], 100],
  ])('accepts %j followed by %j with --max-shrink %i', (before, now, maxShrink) => {
    const previous = before && previousOf(records(...before));
    expect(() => replace(nextOf(records(...now)), previous, { maxShrink })).not.toThrow();
  });

  it.each<[Sizes | undefined, Sizes, maxShrink: number, kind: Kind, problem: string]>([
    [
      [100, 200],
      [98, 200],
      1,
      'move',
      'got 2 of 100 records missing, expected at most 1 %: move-99, move-100',
    ],
    [[100, 200], [900, 199], 0, 'item', 'got 1 of 200 records missing, expected at most 0 %: item-200'],
    [[1, 1], [0, 1], 99, 'move', 'got 0 records, expected at least one'],
    [undefined, [1, 0], 1, 'item', 'got 0 records, expected at least one'],
  ])('rejects %j followed by %j with --max-shrink %i', (before, now, maxShrink, kind, problem) => {
    const previous = before && previousOf(records(...before));
    expect(() => replace(nextOf(records(...now)), previous, { maxShrink })).toThrow(
      new GuardError(problem, { kind }, { hint }),
    );
  });

  it('compares with the bundled data set if nothing is published', () => {
    const other = { ...PROVENANCE, upstream: 'https://other.test' };
    const readBundled = () => ({ ...previousOf(records(746, 954)), ...other });
    const run =
      (sizes: Sizes, maxShrink = 1) =>
      () =>
        replace(nextOf(records(...sizes)), undefined, { readBundled, maxShrink });
    expect(run([739, 2000])().missing).toEqual(none);
    const hint = expect.stringContaining('The bundled data set has more');
    const message = 'move: got 8 of 746 records missing, expected at most 1 %';
    expect(run([738, 2000])).toThrow(expect.objectContaining({ message, hint }));
    expect(run([746, 14])).toThrow('item: got 940 of 954 records missing');
    expect(run([1, 1], 100)).not.toThrow();
  });

  it('accepts the loss of an allowed record, named by its current or old slug', () => {
    const lose = (...allowMissing: string[]) => {
      const oldSlugs = { ...noOldSlugs, move: new Map([['old', 5]]) };
      return replace(nextOf(records(4, 5)), previousOf(records(5, 5), { oldSlugs }), { allowMissing })
        .missing;
    };
    expect(() => lose('item/item-5', 'move/move-4')).toThrow(/1 of 5 records missing, .*: move-5/);
    for (const allowed of ['move/move-5', 'move/old'])
      expect(lose(allowed)).toEqual(everyKind({ move: ['move-5'] }, () => []));
  });

  it('recognizes renamed records by their ids, if these are readable', () => {
    const renamed = withMoves([{ id: 1, slug: 'renamed' }]);
    expect(shrink(records(1, 1), renamed)).toEqual(none);
    const damaged = mapKinds((kind) => [{ slug: `${kind}-1` }]);
    expect(() => shrink(damaged, renamed)).toThrow('records missing, expected at most 0 %: move-1');
  });

  it('counts records that other records replaced', () => {
    const others = withMoves(range(100).map((id) => ({ id: id + 50, slug: `move-${id + 50}` })));
    expect(() => shrink(records(100, 1), others, { maxShrink: 49 })).toThrow('got 50 of 100 records missing');
    expect(shrink(records(100, 1), others, { maxShrink: 50 }).move).toHaveLength(50);
  });

  it('counts a record whose slug belongs to another record, unless its old slug still redirects', () => {
    const now = withMoves([{ id: 1, slug: 'now' }]);
    const oldSlugs = { ...noOldSlugs, move: new Map([['old', 1]]) };
    const taken = nextOf(withMoves([{ id: 2, slug: 'now' }]));
    expect(() => replace(taken, previousOf(now, { oldSlugs }))).toThrow(
      'move: got 1 of 1 records missing, expected at most 0 %: now',
    );
    expect(() => replace(taken, previousOf(now))).not.toThrow();
  });

  it('ignores skipped records', () => {
    const skip = everyKind({ move: [5] }, () => []);
    expect(shrink(records(5, 1), records(4, 1), { skip })).toEqual(none);
  });

  it('accepts any loss except a whole kind if an archive is restored', () => {
    expect(shrink(records(100, 1), records(1, 1), { isRestored: true }).move).toHaveLength(99);
    expect(() => shrink(records(100, 1), records(0, 1), { isRestored: true })).toThrow(
      'got 0 records, expected at least one',
    );
  });
});

describe('checkUpdate, for renamed or renumbered records', () => {
  const before = records(300, 40);
  const change = (count: number, change: (one: Addressed) => object) => ({
    ...before,
    move: before.move.map((one, at) => ({ ...one, ...(at < count && change(one)) })),
  });
  const rename = ({ slug }: Addressed) => ({ slug: `new-${slug}` });
  const renumber = ({ id = 0 }: Addressed) => ({ id: id + 1000 });

  it.each([
    ['renamed', rename],
    ['renumbered', renumber],
  ])('accepts five times as many as may disappear: %s', (_, apply) => {
    expect(shrink(before, change(15, apply), { maxShrink: 1 })).toEqual(none);
    expect(() => shrink(before, change(16, apply), { maxShrink: 1 })).toThrow(
      /^move: got 16 of 300 records renamed or renumbered, expected at most 5 %: move-1 \(1\), .* and 6 more$/,
    );
    const allowMissing = ['move/move-3'];
    expect(shrink(before, change(16, apply), { maxShrink: 1, allowMissing })).toEqual(none);
    expect(shrink(before, change(60, apply), { maxShrink: 4 })).toEqual(none);
  });

  it('accepts nine, even in a small kind', () => {
    const shift = (from: number) => ({
      ...before,
      item: before.item.map(({ id = 0, slug }) => ({ id: id > from ? id + 1 : id, slug })),
    });
    expect(shrink(before, shift(31), { maxShrink: 1 })).toEqual(none);
    expect(() => shrink(before, shift(30), { maxShrink: 1 })).toThrow(
      'item: got 10 of 40 records renamed or renumbered',
    );
  });

  it('ignores records whose old ids are unreadable', () => {
    const damaged = mapKinds((kind) => before[kind].map(({ slug }) => ({ slug })));
    expect(shrink(damaged, change(100, renumber), { maxShrink: 1 })).toEqual(none);
  });
});

describe('checkUpdate, for unusable values', () => {
  const warnings = (count: number, code = 'unusable-icon'): Warning[] =>
    range(count).map((id) => ({ code, kind: 'item', id, message: `item-${id}: odd` }));
  const check =
    (found: Warning[], { known = [], items = 2000 }: { known?: Previous['warnings']; items?: number } = {}) =>
    () =>
      replace(
        nextOf(records(1, items), { warnings: found }),
        { ...previousOf(records(1, items)), warnings: known },
        { maxShrink: 1 },
      );

  it.each(['unusable-icon', 'unusable-name'])(
    'accepts as many new warnings as records may disappear: %s',
    (code) => {
      expect(check(warnings(20, code))).not.toThrow();
      expect(check(warnings(21, code))).toThrow(
        `item: got 21 of 2000 records with a new ${code}, expected at most 1 %: item-1: odd`,
      );
    },
  );

  it('subtracts warnings that a snapshot or a site already had', () => {
    const numbers = everyKind<Record<string, number>>({ item: { 'unusable-icon': 5 } }, () => ({}));
    for (const known of [warnings(5), numbers]) {
      expect(check(warnings(25), { known })).not.toThrow();
      expect(check(warnings(26), { known })).toThrow('got 21 of 2000');
    }
  });

  it('accepts nine records, even in a small kind', () => {
    expect(check([...warnings(9), ...warnings(9)], { items: 10 })).not.toThrow();
    expect(check(warnings(10), { items: 10 })).toThrow('got 10 of 10');
  });

  const upstream = PROVENANCE.upstream;
  it.each([
    ['accepts as many', 2000, 1125, upstream],
    ['accepts more in proportion to added records:', 2050, 1175, upstream],
    ['ignores another upstream', 2000, 2000, 'https://other.test'],
  ])('%s missing icons: %i items, %i of them without icons', (_, items, missing, before) => {
    const check = (count: number) =>
      replace(
        nextOf(records(1, items), { warnings: warnings(count, 'no-icon') }),
        {
          ...previousOf(records(1, 2000)),
          ...{ upstream: before, warnings: warnings(1105, 'no-icon') },
        },
        { maxShrink: 1 },
      );
    expect(() => check(missing)).not.toThrow();
    if (before === upstream)
      expect(() => check(missing + 1)).toThrow(/^item: got 21 of \d+ records with a new no-icon/);
  });

  it('ignores a copy, because its data was checked on capture', () => {
    const copy = { ...nextOf(records(1, 40), { warnings: warnings(40) }), isCopy: true };
    expect(() => replace(copy, previousOf(records(1, 40)))).not.toThrow();
  });
});

describe('checkUpdate, for redirects and names', () => {
  const now = withMoves([{ id: 1, slug: 'now' }]);
  const oldSlugs = { ...noOldSlugs, move: new Map([['old', 1]]) };

  it('requires every redirect unless a new history starts', () => {
    const changes = replace(nextOf(now), previousOf(now, { oldSlugs }));
    expect(changes.oldSlugs).toEqual(oldSlugs);
    const swapped = withMoves([
      { id: 1, slug: 'now' },
      { id: 2, slug: 'old' },
    ]);
    expect(() => replace(nextOf(swapped), previousOf(now, { oldSlugs }))).not.toThrow();
    const forgotten = replace(nextOf(now), previousOf(now, { oldSlugs }), { forgetHistory: true });
    expect(forgotten.oldSlugs).toEqual(noOldSlugs);
    const losses = { ...changes.losses, lostRedirects: ['/api/gamedata/move/old/'] } as typeof changes.losses;
    const options = { today: TODAY, maxShrink: 0, allowMissing: [] };
    expect(() => checkUpdate({ ...changes, losses }, options)).toThrow(
      new GuardError(
        'got 1 of 1 redirects lost, expected at most 0 %: move/old',
        {},
        { hint: 'To drop them, start a new history with --forget-history.' },
      ),
    );
  });

  it("requires each language's names unless the language is allowed to disappear", () => {
    const named = (count: number) => {
      const move = Object.fromEntries(range(count).map((id) => [`move-${id}`, 'x']));
      const own = { language: 'fr', ...everyKind<Record<string, string>>({ move }, () => ({})) };
      return { names: [own], namesSummary: { digest: `${count}`, languages: {} } };
    };
    const previous = previousOf(records(200, 1), named(200));
    const lose =
      (lost: number, options: Options = {}) =>
      () =>
        replace(nextOf(records(200, 1), named(200 - lost)), previous, { maxShrink: 1, ...options });
    expect(lose(2)).not.toThrow();
    expect(lose(3)).toThrow(
      new GuardError(
        'got 3 of 200 names missing, expected at most 1 %',
        { kind: 'names/fr' },
        { hint: 'If they are really gone, add --allow-missing names/fr, or raise --max-shrink.' },
      ),
    );
    expect(lose(3, { allowMissing: ['names/fr'] })).not.toThrow();
    expect(lose(3, { isRestored: true })).not.toThrow();
  });
});

describe('checkUpdate, for old data', () => {
  const fallback = 'https://up.test could not be reached';
  it.each<[string, About, About, boolean]>([
    ['replaces data from an earlier day', { captured: '2026-01-01' }, {}, true],
    ['keeps data from the same day', {}, {}, false],
    ['keeps data from a later day', { captured: '2026-01-03' }, {}, false],
    [
      'replaces an earlier edition',
      { captured: '2026-03-01', edition: namedEdition(1) },
      { captured: '2026-02-01', edition: namedEdition(2) },
      true,
    ],
    ['replaces data with the same digest', { captured: '2026-01-03', digest: 'x' }, { digest: 'x' }, true],
  ])('%s when falling back', (_, before, local, isReplaced) => {
    const next = { ...nextOf(records(2, 1), local), isCopy: true, fallback };
    const run = () => replace(next, previousOf(records(1, 1), before));
    if (isReplaced) return expect(run).not.toThrow();
    const message = `got local data from 2026-01-02, expected data newer than the published data from ${before.captured ?? '2026-01-02'}`;
    const hint = `${fallback}. The next build that reaches the upstream will update the site.`;
    expect(run).toThrow(expect.objectContaining({ message, hint }));
  });

  it('explains a fallback with fewer records', () => {
    const next = { ...nextOf(records(7, 9), { captured: '2026-02-02' }), isCopy: true, fallback };
    const hint = `${fallback}. It has less than the published data, which is unchanged.`;
    expect(() => replace(next, previousOf(records(9, 9)))).toThrow(expect.objectContaining({ hint }));
  });

  it('prints a notice if the chosen source is older than the published data', () => {
    const copy = { ...nextOf(records(2, 1)), isCopy: true };
    const notices = (captured: string) => replace(copy, previousOf(records(1, 1), { captured })).notices;
    expect(notices('2026-02-01')).toEqual([
      'the source of 2026-01-02 is older than the published data of 2026-02-01',
    ]);
    expect(notices('2026-01-02')).toEqual([]);
  });

  const edition = { hash: '0'.repeat(40), deployed: '2026-03-01T12:00:00Z' };
  it.each<[captured: string, edition: typeof edition | null, maxAge: number | undefined, problem?: string]>([
    ['2026-03-02', null, 30],
    ['2026-03-01', null, 30, 'got data captured on 2026-03-01, 31 days ago'],
    ['2020-01-01', edition, 31],
    ['2026-04-01', edition, 30, 'got data deployed on 2026-03-01, 31 days ago'],
    ['2020-01-01', null, undefined],
  ])('checks data captured on %s, edition %j, against --max-age %s', (captured, edition, maxAge, problem) => {
    const run = () => replace(nextOf(records(1, 1), { captured, edition }), undefined, { maxAge });
    if (problem === undefined) expect(run).not.toThrow();
    else expect(run).toThrow(`${problem}, expected at most ${maxAge}, as set by --max-age`);
  });

  it('checks the age of unchanged data by the edition that was read, or else by the published date', () => {
    const published = previousOf(records(1, 1), { captured: '2025-01-01', edition: namedEdition(1) });
    const plan = (read: About) => () => replace(nextOf(records(1, 1), read), published, { maxAge: 9 });
    expect(plan({ edition: { ...edition, deployed: '2026-03-31T12:00:00Z' } })).not.toThrow();
    expect(plan({ captured: TODAY })).toThrow('got data captured on 2025-01-01, 455 days ago');
  });
});
