import { describe, expect, it } from 'vitest';
import { mapKinds } from '../../src/contract/kinds.ts';
import type { Counts } from '../../src/contract/records.ts';
import { type AddressedRecords, leftSlugs, noFormer } from '../../src/dataset/former.ts';
import { type GuardOptions, guard, refuseOldData } from '../../src/dataset/guards.ts';
import { GuardError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';

const hint = 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';

const range = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

/** So many records of each kind, called `<kind>-<id>`. */
const records = (counts: Partial<Counts>): AddressedRecords =>
  mapKinds((kind) => range(counts[kind] ?? 0).map((id) => ({ id, slug: `${kind}-${id}` })));

const options = { allowMissing: [], fallback: undefined };

/** A data set that is published, or is to be. */
const data = (own: AddressedRecords, about: Partial<Parameters<typeof guard>[1]> = {}) => ({
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

describe('a data set that has lost records', () => {
  it.each([
    { before: undefined, now: { move: 1, item: 1 }, maxShrink: 0 },
    { before: { move: 100, item: 200 }, now: { move: 100, item: 200 }, maxShrink: 0 },
    { before: { move: 100, item: 200 }, now: { move: 101, item: 900 }, maxShrink: 0 },
    { before: { move: 100, item: 200 }, now: { move: 99, item: 198 }, maxShrink: 1 },
    { before: { move: 100, item: 200 }, now: { move: 50, item: 100 }, maxShrink: 50 },
    { before: { move: 100, item: 200 }, now: { move: 0, item: 0 }, maxShrink: 100 },
    { before: undefined, now: { move: 0, item: 0 }, maxShrink: 100 },
  ])('lets $before become $now with $maxShrink %', ({ before, now, maxShrink }) => {
    expect(() =>
      refuseShrinking(records(now), { previous: before && records(before), ...options, maxShrink }),
    ).not.toThrow();
  });

  it.each<
    [
      before: Partial<Counts> | undefined,
      now: Partial<Counts>,
      maxShrink: number,
      kind: 'move' | 'item',
      problem: string,
    ]
  >([
    [
      { move: 100, item: 200 },
      { move: 98, item: 200 },
      1,
      'move',
      'got 98 records, the last build had 100: expected at most 1 % to disappear; missing: move-99, move-100',
    ],
    [
      { move: 100, item: 200 },
      { move: 900, item: 199 },
      0,
      'item',
      'got 199 records, the last build had 200: expected at most 0 % to disappear; missing: item-200',
    ],
    [
      { move: 1, item: 1 },
      { move: 0, item: 1 },
      99,
      'move',
      'got 0 records, the last build had 1: expected at most 99 % to disappear; missing: move-1',
    ],
    [undefined, { move: 1, item: 0 }, 1, 'item', 'got 0 records: expected at least one'],
  ])('rejects that %j becomes %j with %i %%', (before, now, maxShrink, kind, problem) => {
    expect(() =>
      refuseShrinking(records(now), { previous: before && records(before), ...options, maxShrink }),
    ).toThrow(new GuardError(problem, { kind }, { hint }));
  });

  it('says that the upstream could not be reached if that is why there are fewer', () => {
    const fallen = {
      ...options,
      previous: records({ move: 937, item: 2223 }),
      maxShrink: 1,
      fallback: 'https://up.test could not be reached',
    };
    expect(() => refuseShrinking(records({ move: 746, item: 954 }), fallen)).toThrow(
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
      const now = records({ move: 739, item: 2000 });
      expect(refuseShrinking(now, floor)).toEqual(mapKinds(() => []));
    });

    it.each([
      [{ move: 738, item: 2000 }, 'got 738 records, the bundled data set has 746: expected at most 1 % less'],
      [{ move: 746, item: 14 }, 'got 14 records, the bundled data set has 954: expected at most 1 % less'],
    ])('rejects %j, and says how to build it all the same', (counts, problem) => {
      const error = { message: expect.stringContaining(problem), hint: expect.stringContaining('100') };
      expect(() => refuseShrinking(records(counts), floor)).toThrow(expect.objectContaining(error));
      expect(() => refuseShrinking(records(counts), { ...floor, maxShrink: 100 })).not.toThrow();
    });
  });

  it('allows to disappear what is named, by kind and slug', () => {
    const strict = { ...options, previous: records({ move: 5, item: 5 }), maxShrink: 0 };
    const now = records({ move: 4, item: 5 });
    expect(() => refuseShrinking(now, { ...strict, allowMissing: ['item/item-5', 'move/move-4'] })).toThrow(
      'missing: move-5',
    );
    expect(refuseShrinking(now, { ...strict, allowMissing: ['move/move-5'] })).toEqual({
      move: ['move-5'],
      item: [],
    });
  });

  it('counts a renamed record as there, wherever the last records can be read', () => {
    const renamed = { ...records({ move: 1, item: 1 }), move: [{ id: 1, slug: 'renamed' }] };
    const previous = records({ move: 1, item: 1 });
    const strict = { ...options, previous, maxShrink: 0 };
    expect(refuseShrinking(renamed, strict)).toEqual(mapKinds(() => []));
    const unread = mapKinds((kind) => [{ slug: `${kind}-1` }]);
    expect(() => refuseShrinking(renamed, { ...strict, previous: unread })).toThrow('missing: move-1');
  });

  it('is not deceived by others in the place of those that disappeared', () => {
    const others = range(100).map((id) => ({ id: id + 50, slug: `move-${id + 50}` }));
    const now = { ...records({ move: 1, item: 1 }), move: others };
    const strict = { ...options, previous: records({ move: 100, item: 1 }), maxShrink: 49 };
    expect(() => refuseShrinking(now, strict)).toThrow(
      'got 100 records, the last build had 100: expected at most 49 % to disappear; missing: move-1, move-2,',
    );
    expect(refuseShrinking(now, { ...strict, maxShrink: 50 }).move).toHaveLength(50);
  });
});

describe('what else is published', () => {
  const one = { ...records({ item: 1 }), move: [{ id: 1, slug: 'now' }] };
  const former = { ...noFormer, move: new Map([['former', 1]]) };
  const strict = { ...options, maxShrink: 0 };

  it('keeps every address: a redirect is lost only in a faithful copy, which says so', () => {
    expect(guard(data(one, { former }), data(one, { former }), strict).redirects).toEqual([]);
    expect(() => guard(data(one, { former }), data(one), strict)).toThrow(
      '1 redirect of renamed records would be lost: move/former',
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

  it('keeps its base URL, unless somebody names another one', () => {
    const [before, now] = ['https://a.test', 'https://b.test'].map((baseUrl) => data(one, { baseUrl }));
    if (!before || !now) throw new Error('two data sets are expected');
    expect(() => guard(before, now, strict)).toThrow(
      'the published site has the base URL https://a.test, and would get https://b.test, which nobody has named',
    );
    expect(() => guard(before, now, { ...strict, isBaseUrlNamed: true })).not.toThrow();
    expect(() => guard(data(one), now, strict)).not.toThrow();
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
    else expect(run).toThrow('the published data is newer and unchanged');
  });
});

describe('refuseOldData', () => {
  const captured = '2026-01-02';
  it.each([
    ['2026-01-02', 0],
    ['2026-01-09', 7],
    ['2026-01-01', 0],
    ['2036-01-02', undefined],
  ])('accepts on %s what may be %s days old', (today, maxAge) => {
    expect(() => refuseOldData({ captured, edition: null }, { today, maxAge })).not.toThrow();
  });

  it.each([
    ['2026-01-03', 0, 1],
    ['2026-01-10', 7, 8],
  ])('rejects on %s what may be %i days old', (today, maxAge, days) => {
    expect(() => refuseOldData({ captured, edition: null }, { today, maxAge })).toThrow(
      new GuardError(
        `got data captured on 2026-01-02, ${days} days ago: expected at most ${maxAge}, as set by --max-age`,
        {},
      ),
    );
  });

  it('of an upstream that names its editions counts from the deployment', () => {
    const edition = namedEdition(7);
    expect(() => refuseOldData({ captured, edition }, { today: '2026-04-10', maxAge: 3 })).not.toThrow();
    expect(() =>
      refuseOldData({ captured: '2026-04-11', edition }, { today: '2026-04-11', maxAge: 3 }),
    ).toThrow('got data deployed on 2026-04-07, 4 days ago: expected at most 3, as set by --max-age');
  });
});
