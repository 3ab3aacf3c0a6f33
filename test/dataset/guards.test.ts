import { describe, expect, it } from 'vitest';
import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import { type Addressed, type AddressedRecords, leftSlugs, noFormer } from '../../src/dataset/former.ts';
import { type GuardOptions, guard, refuseOldData, refuseUnusable } from '../../src/dataset/guards.ts';
import { GuardError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';

const hint = 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';

const range = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

/** So many moves and items, called `<kind>-<id>`. */
const records = (move: number, item: number): AddressedRecords => {
  const sizes = everyKind({ move, item }, () => 1);
  return mapKinds((kind) => range(sizes[kind]).map((id) => ({ id, slug: `${kind}-${id}` })));
};

const options = { allowMissing: [], fallback: undefined };

/** A data set that is published, or is to be. */
const data = (own: AddressedRecords, about: Partial<NonNullable<Parameters<typeof guard>[0]>> = {}) => ({
  ...{ digest: JSON.stringify(own), captured: '2026-01-02', former: noFormer, names: [] },
  records: own,
  ...about,
});

const refuseShrinking = (
  now: AddressedRecords,
  { previous, ...rest }: GuardOptions & { previous: AddressedRecords | undefined },
) => {
  const former = previous ? leftSlugs(previous, now) : noFormer;
  return guard(previous && data(previous), data(now, { former }), rest).missing;
};

type Sizes = [moves: number, items: number];

describe('a data set that has lost records', () => {
  it.each<[before: Sizes | undefined, now: Sizes, maxShrink: number]>([
    [undefined, [1, 1], 0],
    [[100, 200], [100, 200], 0],
    [[100, 200], [101, 900], 0],
    [[100, 200], [99, 198], 1],
    [[100, 200], [50, 100], 50],
    [[100, 200], [0, 0], 100],
    [undefined, [0, 0], 100],
  ])('lets %j become %j with %i %%', (before, now, maxShrink) => {
    const previous = before && records(...before);
    expect(() => refuseShrinking(records(...now), { previous, ...options, maxShrink })).not.toThrow();
  });

  const less = 'records, the last build had';
  it.each<[Sizes | undefined, Sizes, maxShrink: number, kind: Kind, problem: string]>([
    [
      [100, 200],
      [98, 200],
      1,
      'move',
      `got 98 ${less} 100: expected at most 1 % to disappear; missing: move-99, move-100`,
    ],
    [
      [100, 200],
      [900, 199],
      0,
      'item',
      `got 199 ${less} 200: expected at most 0 % to disappear; missing: item-200`,
    ],
    [[1, 1], [0, 1], 99, 'move', `got 0 ${less} 1: expected at most 99 % to disappear; missing: move-1`],
    [undefined, [1, 0], 1, 'item', 'got 0 records: expected at least one'],
  ])('rejects that %j becomes %j with %i %%', (before, now, maxShrink, kind, problem) => {
    const previous = before && records(...before);
    expect(() => refuseShrinking(records(...now), { previous, ...options, maxShrink })).toThrow(
      new GuardError(problem, { kind }, { hint }),
    );
  });

  it('says that the upstream could not be reached if that is why there are fewer', () => {
    const fallen = {
      ...options,
      previous: records(937, 2223),
      maxShrink: 1,
      fallback: 'https://up.test could not be reached',
    };
    expect(() => refuseShrinking(records(746, 954), fallen)).toThrow(
      expect.objectContaining({
        hint: 'https://up.test could not be reached. It has less than the published data, which is unchanged.',
      }),
    );
  });

  describe('without a previous data set', () => {
    const floor = {
      ...options,
      previous: undefined,
      floor: everyKind({ move: 746, item: 954 }, () => 0),
      maxShrink: 1,
    };

    it('lets data have as many records as the bundled one, whichever they are', () => {
      const now = records(739, 2000);
      expect(refuseShrinking(now, floor)).toEqual(mapKinds(() => []));
    });

    it.each<[Sizes, string]>([
      [[738, 2000], 'got 738 records, the bundled data set has 746: expected at most 1 % less'],
      [[746, 14], 'got 14 records, the bundled data set has 954: expected at most 1 % less'],
    ])('rejects %j, and says how to build it all the same', (sizes, problem) => {
      const error = { message: expect.stringContaining(problem), hint: expect.stringContaining('100') };
      expect(() => refuseShrinking(records(...sizes), floor)).toThrow(expect.objectContaining(error));
      expect(() => refuseShrinking(records(...sizes), { ...floor, maxShrink: 100 })).not.toThrow();
    });
  });

  it('allows to disappear what is named, by kind and slug', () => {
    const strict = { ...options, previous: records(5, 5), maxShrink: 0 };
    const now = records(4, 5);
    expect(() => refuseShrinking(now, { ...strict, allowMissing: ['item/item-5', 'move/move-4'] })).toThrow(
      'missing: move-5',
    );
    expect(refuseShrinking(now, { ...strict, allowMissing: ['move/move-5'] })).toEqual(
      everyKind({ move: ['move-5'] }, () => []),
    );
  });

  it('counts a renamed record as there, wherever the last records can be read', () => {
    const renamed = { ...records(1, 1), move: [{ id: 1, slug: 'renamed' }] };
    const previous = records(1, 1);
    const strict = { ...options, previous, maxShrink: 0 };
    expect(refuseShrinking(renamed, strict)).toEqual(mapKinds(() => []));
    const unread = mapKinds((kind) => [{ slug: `${kind}-1` }]);
    expect(() => refuseShrinking(renamed, { ...strict, previous: unread })).toThrow('missing: move-1');
  });

  it('is not deceived by others in the place of those that disappeared', () => {
    const others = range(100).map((id) => ({ id: id + 50, slug: `move-${id + 50}` }));
    const now = { ...records(1, 1), move: others };
    const strict = { ...options, previous: records(100, 1), maxShrink: 49 };
    expect(() => refuseShrinking(now, strict)).toThrow(
      'got 100 records, the last build had 100: expected at most 49 % to disappear; missing: move-1, move-2,',
    );
    expect(refuseShrinking(now, { ...strict, maxShrink: 50 }).move).toHaveLength(50);
  });
});

describe('records that were renamed or renumbered', () => {
  const before = records(300, 40);
  /** The first moves, as something else. */
  const changed = (count: number, change: (one: Addressed) => object) => ({
    ...before,
    move: before.move.map((one, at) => ({ ...one, ...(at < count && change(one)) })),
  });
  const rename = ({ slug }: Addressed) => ({ slug: `new-${slug}` });
  const renumber = ({ id = 0 }: Addressed) => ({ id: id + 1000 });
  const compare = (now: AddressedRecords, own: Partial<GuardOptions> = {}) =>
    refuseShrinking(now, { previous: before, ...options, maxShrink: 1, ...own });
  const none = mapKinds(() => []);

  it.each([
    ['renamed', rename],
    ['renumbered', renumber],
  ])('may be five times as many as may disappear, and no more: %s', (_, change) => {
    expect(compare(changed(15, change))).toEqual(none);
    expect(() => compare(changed(16, change))).toThrow(
      new GuardError(
        'got 16 of 300 records renamed or renumbered: expected at most 5 %, five times --max-shrink; move-1 (1), move-2 (2), move-3 (3), move-4 (4), move-5 (5), move-6 (6), move-7 (7), move-8 (8), move-9 (9), move-10 (10) and 6 more',
        { kind: 'move' },
        { hint: 'If the upstream is right, list them with --allow-missing, or raise --max-shrink.' },
      ),
    );
    expect(compare(changed(16, change), { allowMissing: ['move/move-3'] })).toEqual(none);
    expect(compare(changed(60, change), { maxShrink: 4 })).toEqual(none);
  });

  it('are too many from ten on, however few a kind has', () => {
    const shifted = (from: number) => ({
      ...before,
      item: before.item.map(({ id = 0, slug }) => ({ id: id > from ? id + 1 : id, slug })),
    });
    expect(compare(shifted(31))).toEqual(none);
    expect(() => compare(shifted(30))).toThrow('item: got 10 of 40 records renamed or renumbered');
  });

  it('are not known where the last records cannot be read', () => {
    const previous = mapKinds((kind) => before[kind].map(({ slug }) => ({ slug })));
    expect(compare(changed(100, renumber), { previous } as never)).toEqual(none);
  });
});

describe('values that became unusable', () => {
  const counts = everyKind({ move: 10, item: 2000 }, () => 0);
  const warnings = (count: number, code = 'unusable-icon') =>
    range(count).map((id) => ({ code, kind: 'item' as const, id, message: `item-${id}: odd` }));
  const refuse = (count: number, known: Parameters<typeof refuseUnusable>[1] = {}, code?: string) =>
    refuseUnusable({ warnings: warnings(count, code), counts }, known, { maxShrink: 1 });

  it.each(['unusable-icon', 'unusable-name'])('may be as many as may disappear, and no more: %s', (code) => {
    expect(() => refuse(20, {}, code)).not.toThrow();
    expect(() => refuse(21, {}, code)).toThrow(
      new GuardError(
        `got ${code} in 21 of 2000 records, the last build had 0: expected at most 1 % more; item-1: odd`,
        { kind: 'item' },
        { hint: 'If the upstream is right, raise --max-shrink.' },
      ),
    );
    expect(() => refuse(2000, {}, 'no-icon')).not.toThrow();
  });

  it('are counted without those of the last build, as a snapshot or a site tells them', () => {
    for (const known of [
      warnings(5),
      everyKind<Record<string, number>>({ item: { 'unusable-icon': 5 } }, () => ({})),
    ]) {
      expect(() => refuse(25, { warnings: known })).not.toThrow();
      expect(() => refuse(26, { warnings: known })).toThrow('the last build had 5');
    }
  });

  it('are too many from ten records on, however few a kind has', () => {
    const few = { counts: everyKind({ item: 10 }, () => 10) };
    const twice = [...warnings(9), ...warnings(9)];
    expect(() => refuseUnusable({ ...few, warnings: twice }, {}, { maxShrink: 1 })).not.toThrow();
    expect(() => refuseUnusable({ ...few, warnings: warnings(10) }, {}, { maxShrink: 1 })).toThrow(
      'in 10 of 10',
    );
  });
});

describe('what else is published', () => {
  const one = { ...records(0, 1), move: [{ id: 1, slug: 'now' }] };
  const former = { ...noFormer, move: new Map([['former', 1]]) };
  const strict = { ...options, maxShrink: 0 };

  it('keeps every address: a redirect is lost only in a faithful copy, which says so', () => {
    expect(guard(data(one, { former }), data(one, { former }), strict).redirects).toEqual([]);
    expect(() => guard(data(one, { former }), data(one), strict)).toThrow(
      new GuardError(
        '1 redirect of renamed records would be lost: move/former',
        {},
        { hint: 'To let them go, start a new history with --forget-history.' },
      ),
    );
    const renamed = { ...one, move: [{ id: 1, slug: 'later' }] };
    const faithful = { ...strict, mayLoseRedirects: true };
    expect(guard(data(one, { former }), data(renamed, { former }), faithful).redirects).toEqual(['move/now']);
    const others = { ...one, move: [...one.move, { id: 2, slug: 'former' }] };
    expect(guard(data(one, { former }), data(others), strict).redirects).toEqual([]);
  });

  it('lets a record go by a slug that it had, with its redirects', () => {
    const two = { ...one, move: [...one.move, { id: 2, slug: 'other' }] };
    const without = { ...one, move: [{ id: 2, slug: 'other' }] };
    const allowed = { ...strict, allowMissing: ['move/former'] };
    expect(guard(data(two, { former }), data(without), allowed)).toEqual({
      missing: everyKind({ move: ['now'] }, () => []),
      redirects: [],
    });
  });

  it('keeps the names of each language, unless they are let go', () => {
    const named = (lost: number) => data(one, { names: [{ language: 'fr', before: 200, lost, changed: 0 }] });
    const refuse = (lost: number, own: Partial<GuardOptions> = {}) =>
      guard(named(lost), data(one), { ...options, maxShrink: 1, ...own });
    const problem = 'got 197 of 200 names that the last build had: expected at most 1 % to disappear';
    const hint = 'If they are really gone, add --allow-missing names/fr, or raise --max-shrink.';
    expect(() => refuse(2)).not.toThrow();
    expect(() => refuse(3)).toThrow(new GuardError(problem, { kind: 'names/fr' }, { hint }));
    expect(() => refuse(3, { allowMissing: ['names/fr'] })).not.toThrow();
    expect(() => refuse(3, { isRestored: true })).not.toThrow();
  });

  it.each([
    ['an earlier day', { captured: '2026-01-01' }, { captured: '2026-01-02' }, true],
    ['the same day', { captured: '2026-01-02' }, { captured: '2026-01-02' }, false],
    ['a later day', { captured: '2026-01-03' }, { captured: '2026-01-02' }, false],
    [
      'an earlier edition',
      { captured: '2026-03-01', edition: namedEdition(1) },
      { captured: '2026-02-01', edition: namedEdition(2) },
      true,
    ],
    [
      'the same digest',
      { captured: '2026-01-03', digest: 'x' },
      { captured: '2026-01-02', digest: 'x' },
      true,
    ],
  ])('of %s is replaced by a fallback, or is not: %j by %j', (_, before, local, isReplaced) => {
    const changed = { ...one, move: [{ id: 1, slug: 'now' }] };
    const run = () =>
      guard(data(one, { digest: 'a', ...before }), data(changed, { digest: 'b', ...local }), {
        ...strict,
        fallback: 'https://up.test could not be reached',
      });
    if (isReplaced) expect(run).not.toThrow();
    else
      expect(run).toThrow(
        expect.objectContaining({
          message: `the published data is newer and unchanged: it is of ${before.captured}, the local data of 2026-01-02`,
          hint: 'https://up.test could not be reached. The next build with an upstream brings it up to date.',
        }),
      );
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
  ])('captured on %s, of %j, with --max-age %s', (captured, edition, maxAge, problem) => {
    const run = () => refuseOldData({ captured, edition }, { today: '2026-04-01', maxAge });
    if (problem === undefined) expect(run).not.toThrow();
    else expect(run).toThrow(`${problem}: expected at most ${maxAge}, as set by --max-age`);
  });
});
