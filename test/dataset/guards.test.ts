import { describe, expect, it } from 'vitest';
import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import { type AddressedRecords, leftSlugs, noFormer } from '../../src/dataset/former.ts';
import { type GuardOptions, guard } from '../../src/dataset/guards.ts';
import { GuardError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';

const hint = 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';

const range = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

/** So many moves and items, called `<kind>-<id>`. */
const records = (move: number, item: number): AddressedRecords =>
  mapKinds((kind) => range({ move, item }[kind]).map((id) => ({ id, slug: `${kind}-${id}` })));

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
    expect(refuseShrinking(now, { ...strict, allowMissing: ['move/move-5'] })).toEqual({
      move: ['move-5'],
      item: [],
    });
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

describe('what else is published', () => {
  const one = { ...records(0, 1), move: [{ id: 1, slug: 'now' }] };
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
