import { describe, expect, it } from 'vitest';
import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import type { DataSet, Warning } from '../../src/dataset/data-set.ts';
import { type Addressed, type AddressedRecords, type Former, noFormer } from '../../src/dataset/former.ts';
import { checkReplacement, type GuardOptions } from '../../src/dataset/guard.ts';
import { compareDataSets, type Next, type Previous } from '../../src/dataset/replacement.ts';
import { GuardError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';
import { PROVENANCE } from '../support/sites.ts';

const TODAY = '2026-04-01';
const hint = 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';

const range = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

/** So many moves and items, called `<kind>-<id>`. */
const records = (move: number, item: number): AddressedRecords => {
  const sizes = everyKind({ move, item }, () => 1);
  return mapKinds((kind) => range(sizes[kind]).map((id) => ({ id, slug: `${kind}-${id}` })));
};
const withMoves = (move: Addressed[]): AddressedRecords => ({ ...records(0, 1), move });

interface About extends Partial<Pick<DataSet, 'warnings' | 'names' | 'namesSummary'>> {
  readonly captured?: string;
  readonly edition?: DataSet['provenance']['edition'];
  readonly former?: Former;
  readonly digest?: string;
}

function nextOf(
  own: AddressedRecords,
  { captured = '2026-01-02', edition = null, former, ...about }: About = {},
): Next {
  const provenance = { ...PROVENANCE, captured, edition };
  const counts = mapKinds((kind) => own[kind].length);
  const plain = { warnings: [], names: [], namesSummary: undefined, digest: JSON.stringify(own) };
  const dataSet = { ...plain, provenance, counts, records: own, ...about } as unknown as DataSet;
  return { dataSet, former, isCopy: false };
}

function previousOf(
  own: AddressedRecords,
  { captured = '2026-01-02', edition = null, former = noFormer, ...about }: About = {},
): Previous {
  const counts = mapKinds((kind) => own[kind].length);
  const isRead = kindNames.every((kind) => own[kind].every(({ id }) => id !== undefined));
  return {
    ...{ digest: JSON.stringify(own), captured, edition, counts, ...about, names: about.namesSummary },
    records: () => (isRead ? (own as never) : undefined),
    listed: () => own,
    former: () => former,
    readableFormer: () => former,
    history: () => ({ steps: [] }),
    readNames: () => about.names,
  };
}

type Options = Partial<GuardOptions & Parameters<typeof compareDataSets>[2]>;

function replace(next: Next, previous: Previous | undefined, options: Options = {}) {
  const all = { today: TODAY, maxShrink: 0, allowMissing: [], readBundled: () => undefined, ...options };
  const changes = compareDataSets(next, previous, all);
  checkReplacement(changes, all);
  return changes;
}
const shrink = (before: AddressedRecords, now: AddressedRecords, options?: Options) =>
  replace(nextOf(now), previousOf(before), options).missing;

type Sizes = [moves: number, items: number];

describe('a data set that lost records', () => {
  it.each<[before: Sizes | undefined, now: Sizes, maxShrink: number]>([
    [undefined, [1, 1], 0],
    [[100, 200], [100, 200], 0],
    [[100, 200], [101, 900], 0],
    [[100, 200], [99, 198], 1],
    [[100, 200], [50, 100], 50],
    [[100, 200], [0, 0], 100],
    [undefined, [0, 0], 100],
  ])('is accepted if %j becomes %j with %i %%', (before, now, maxShrink) => {
    expect(() =>
      replace(nextOf(records(...now)), before && previousOf(records(...before)), { maxShrink }),
    ).not.toThrow();
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
  ])('is rejected if %j becomes %j with %i %%', (before, now, maxShrink, kind, problem) => {
    const previous = before && previousOf(records(...before));
    expect(() => replace(nextOf(records(...now)), previous, { maxShrink })).toThrow(
      new GuardError(problem, { kind }, { hint }),
    );
  });

  it('is compared with the bundled data set if nothing is published', () => {
    const other = { ...PROVENANCE, upstream: 'https://other.test' };
    const readBundled = () => ({ ...previousOf(records(746, 954)), ...other });
    const run =
      (...sizes: Sizes) =>
      () =>
        replace(nextOf(records(...sizes)), undefined, { readBundled, maxShrink: 1 });
    expect(run(739, 2000)().missing).toEqual(mapKinds(() => []));
    const hint = expect.stringContaining('The bundled data set has more');
    expect(run(738, 2000)).toThrow(
      expect.objectContaining({ message: 'move: got 8 of 746 records missing, expected at most 1 %', hint }),
    );
    expect(run(746, 14)).toThrow('item: got 940 of 954 records missing');
    const all = { readBundled, maxShrink: 100 };
    expect(() => replace(nextOf(records(1, 1)), undefined, all)).not.toThrow();
  });

  it('may lack named records, also by an old slug', () => {
    const refused = () =>
      shrink(records(5, 5), records(4, 5), { allowMissing: ['item/item-5', 'move/move-4'] });
    expect(refused).toThrow('1 of 5 records missing, expected at most 0 %: move-5');
    const gone = everyKind({ move: ['move-5'] }, () => []);
    expect(shrink(records(5, 5), records(4, 5), { allowMissing: ['move/move-5'] })).toEqual(gone);
    const former = { ...noFormer, move: new Map([['old', 5]]) };
    const { missing } = replace(nextOf(records(4, 5)), previousOf(records(5, 5), { former }), {
      allowMissing: ['move/old'],
    });
    expect(missing).toEqual(gone);
  });

  it('has renamed records if the previous ids are known', () => {
    const renamed = withMoves([{ id: 1, slug: 'renamed' }]);
    expect(shrink(records(1, 1), renamed)).toEqual(mapKinds(() => []));
    const unread = mapKinds((kind) => [{ slug: `${kind}-1` }]);
    expect(() => shrink(unread, renamed)).toThrow('records missing, expected at most 0 %: move-1');
  });

  it('lacks records that others replaced', () => {
    const others = withMoves(range(100).map((id) => ({ id: id + 50, slug: `move-${id + 50}` })));
    expect(() => shrink(records(100, 1), others, { maxShrink: 49 })).toThrow('got 50 of 100 records missing');
    expect(shrink(records(100, 1), others, { maxShrink: 50 }).move).toHaveLength(50);
  });

  it('lacks no skipped records', () => {
    const skip = everyKind({ move: [5] }, () => []);
    expect(shrink(records(5, 1), records(4, 1), { skip })).toEqual(mapKinds(() => []));
  });

  it('may lack anything but a whole kind if an archive is restored', () => {
    expect(shrink(records(100, 1), records(1, 1), { isRestored: true }).move).toHaveLength(99);
    expect(() => shrink(records(100, 1), records(0, 1), { isRestored: true })).toThrow(
      'got 0 records, expected at least one',
    );
  });
});

describe('records that were renamed or renumbered', () => {
  const before = records(300, 40);
  const changed = (count: number, change: (one: Addressed) => object) => ({
    ...before,
    move: before.move.map((one, at) => ({ ...one, ...(at < count && change(one)) })),
  });
  const rename = ({ slug }: Addressed) => ({ slug: `new-${slug}` });
  const renumber = ({ id = 0 }: Addressed) => ({ id: id + 1000 });
  const none = mapKinds(() => []);

  it.each([
    ['renamed', rename],
    ['renumbered', renumber],
  ])('may be five times as many as may disappear: %s', (_, change) => {
    expect(shrink(before, changed(15, change), { maxShrink: 1 })).toEqual(none);
    expect(() => shrink(before, changed(16, change), { maxShrink: 1 })).toThrow(
      /^move: got 16 of 300 records renamed or renumbered, expected at most 5 %: move-1 \(1\), .* and 6 more$/,
    );
    expect(shrink(before, changed(16, change), { maxShrink: 1, allowMissing: ['move/move-3'] })).toEqual(
      none,
    );
    expect(shrink(before, changed(60, change), { maxShrink: 4 })).toEqual(none);
  });

  it('are accepted up to nine, even in a small kind', () => {
    const shifted = (from: number) => ({
      ...before,
      item: before.item.map(({ id = 0, slug }) => ({ id: id > from ? id + 1 : id, slug })),
    });
    expect(shrink(before, shifted(31), { maxShrink: 1 })).toEqual(none);
    expect(() => shrink(before, shifted(30), { maxShrink: 1 })).toThrow(
      'item: got 10 of 40 records renamed or renumbered',
    );
  });

  it('are unknown if the previous records are damaged', () => {
    const unread = mapKinds((kind) => before[kind].map(({ slug }) => ({ slug })));
    expect(shrink(unread, changed(100, renumber), { maxShrink: 1 })).toEqual(none);
  });
});

describe('values that became unusable', () => {
  const warnings = (count: number, code = 'unusable-icon'): Warning[] =>
    range(count).map((id) => ({ code, kind: 'item', id, message: `item-${id}: odd` }));
  const check = (found: Warning[], known: Previous['warnings'] = [], items = 2000) =>
    replace(
      nextOf(records(1, items), { warnings: found }),
      { ...previousOf(records(1, items)), warnings: known },
      { maxShrink: 1 },
    );

  it.each(['unusable-icon', 'unusable-name'])('may be as many as may disappear: %s', (code) => {
    expect(() => check(warnings(20, code))).not.toThrow();
    expect(() => check(warnings(21, code))).toThrow(
      `item: got 21 of 2000 records with a new ${code}, expected at most 1 %: item-1: odd`,
    );
    expect(() => check(warnings(2000, 'no-icon'))).not.toThrow();
  });

  it('are counted without the previous ones of a snapshot or a site', () => {
    const numbers = everyKind<Record<string, number>>({ item: { 'unusable-icon': 5 } }, () => ({}));
    for (const known of [warnings(5), numbers]) {
      expect(() => check(warnings(25), known)).not.toThrow();
      expect(() => check(warnings(26), known)).toThrow('got 21 of 2000');
    }
  });

  it('are accepted in a copy, which was guarded when it was captured', () => {
    const copy = { ...nextOf(records(1, 40), { warnings: warnings(40) }), isCopy: true };
    expect(() => replace(copy, previousOf(records(1, 40)))).not.toThrow();
  });

  it('are accepted up to nine records, even in a small kind', () => {
    expect(() => check([...warnings(9), ...warnings(9)], [], 10)).not.toThrow();
    expect(() => check(warnings(10), [], 10)).toThrow('got 10 of 10');
  });
});

describe('addresses and names', () => {
  const one = withMoves([{ id: 1, slug: 'now' }]);
  const former = { ...noFormer, move: new Map([['old', 1]]) };

  it('keep every redirect unless a new history starts', () => {
    const changes = replace(nextOf(one), previousOf(one, { former }));
    expect(changes.former).toEqual(former);
    const swapped = withMoves([
      { id: 1, slug: 'now' },
      { id: 2, slug: 'old' },
    ]);
    expect(() => replace(nextOf(swapped), previousOf(one, { former }))).not.toThrow();
    expect(replace(nextOf(one), previousOf(one, { former }), { forgetHistory: true }).former).toEqual(
      noFormer,
    );
    const lost = {
      ...changes,
      former: noFormer,
      losses: { ...changes.losses, addresses: ['/api/gamedata/move/old/'] },
    };
    const options = { today: TODAY, maxShrink: 0, allowMissing: [] };
    expect(() => checkReplacement(lost as typeof changes, options)).toThrow(
      new GuardError(
        'got 1 of 1 redirects lost, expected at most 0 %: move/old',
        {},
        { hint: 'To let them go, start a new history with --forget-history.' },
      ),
    );
  });

  it('count a record as missing if another one takes its slug and its old slug is not answered', () => {
    const before = previousOf(one, { former });
    const taken = nextOf(withMoves([{ id: 2, slug: 'now' }]));
    expect(() => replace(taken, before)).toThrow(
      'move: got 1 of 1 records missing, expected at most 0 %: now',
    );
    expect(() => replace(taken, previousOf(one))).not.toThrow();
  });

  it('keep the names of each language unless they are allowed to disappear', () => {
    const named = (count: number) => {
      const own = {
        language: 'fr',
        ...everyKind({ move: Object.fromEntries(range(count).map((id) => [`move-${id}`, 'x'])) }, () => ({})),
      };
      return { names: [own], namesSummary: { digest: `${count}`, languages: {} } };
    };
    const lose =
      (lost: number, options: Options = {}) =>
      () =>
        replace(nextOf(records(200, 1), named(200 - lost)), previousOf(records(200, 1), named(200)), {
          maxShrink: 1,
          ...options,
        });
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

describe('a fallback', () => {
  const fallback = 'https://up.test could not be reached';
  const isRejected = 'the published data is newer and unchanged';
  it.each<[string, About, About, boolean]>([
    ['an earlier day', { captured: '2026-01-01' }, {}, true],
    ['the same day', {}, {}, false],
    ['a later day', { captured: '2026-01-03' }, {}, false],
    [
      'an earlier edition',
      { captured: '2026-03-01', edition: namedEdition(1) },
      { captured: '2026-02-01', edition: namedEdition(2) },
      true,
    ],
    ['the same digest', { captured: '2026-01-03', digest: 'x' }, { digest: 'x' }, true],
  ])('replaces published data of %s, or does not', (_, before, local, isReplaced) => {
    const next = { ...nextOf(records(2, 1), local), isCopy: true, fallback };
    const run = () => replace(next, previousOf(records(1, 1), before));
    if (isReplaced) expect(run).not.toThrow();
    else
      expect(run).toThrow(
        expect.objectContaining({
          message: `${isRejected}: it is of ${before.captured ?? '2026-01-02'}, the local data of 2026-01-02`,
          hint: `${fallback}. The next build with an upstream brings it up to date.`,
        }),
      );
  });

  it('is named if it has fewer records', () => {
    const next = { ...nextOf(records(7, 9), { captured: '2026-02-02' }), isCopy: true, fallback };
    expect(() => replace(next, previousOf(records(9, 9)))).toThrow(
      expect.objectContaining({
        hint: `${fallback}. It has less than the published data, which is unchanged.`,
      }),
    );
  });
});

describe('a named source', () => {
  it('is older than the published data with a notice', () => {
    const copy = { ...nextOf(records(2, 1)), isCopy: true };
    const notices = (captured: string) => replace(copy, previousOf(records(1, 1), { captured })).notices;
    expect(notices('2026-02-01')).toContain(
      'the source is of 2026-01-02, older than the published data of 2026-02-01',
    );
    expect(notices('2026-01-02')).not.toContainEqual(expect.stringContaining('older'));
  });
});

describe('data that is old', () => {
  const edition = { hash: '0'.repeat(40), deployed: '2026-03-01T12:00:00Z' };
  it.each<[captured: string, edition: typeof edition | null, maxAge: number | undefined, problem?: string]>([
    ['2026-03-02', null, 30],
    ['2026-03-01', null, 30, 'got data captured on 2026-03-01, 31 days ago'],
    ['2020-01-01', edition, 31],
    ['2026-04-01', edition, 30, 'got data deployed on 2026-03-01, 31 days ago'],
    ['2020-01-01', null, undefined],
  ])(
    'captured on %s, of %j, is accepted or rejected with --max-age %s',
    (captured, edition, maxAge, problem) => {
      const run = () => replace(nextOf(records(1, 1), { captured, edition }), undefined, { maxAge });
      if (problem === undefined) expect(run).not.toThrow();
      else expect(run).toThrow(`${problem}, expected at most ${maxAge}, as set by --max-age`);
    },
  );
});
