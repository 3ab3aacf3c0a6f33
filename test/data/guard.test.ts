import { describe, expect, it } from 'vitest';
import type { DataSet } from '../../src/data/data-set.ts';
import { checkUpdate, type GuardOptions } from '../../src/data/guard.ts';
import { noOldSlugs } from '../../src/data/old-slugs.ts';
import { emptyPast } from '../../src/data/past.ts';
import { type GamedataError, isExpected } from '../../src/errors.ts';
import { rawItem, rawMove } from '../support/sites.ts';
import { createStoredData } from '../support/stored-data.ts';
import { range } from '../support/upstream-data.ts';

type RawMove = ReturnType<typeof rawMove>;
type RawItem = ReturnType<typeof rawItem>;

/** Creates 500 moves. Moves for which `change` returns null are left out. */
function moves(
  change: (id: number) => Partial<RawMove> | null = () => ({}),
): DataSet {
  const move: RawMove[] = [];
  for (const id of range(1, 500)) {
    const overrides = change(id);
    if (overrides === null) continue;
    const names = { fr: `Attaque ${id}`, 'zh-hans': `招式 ${id}` };
    move.push(rawMove(id, { englishName: `Move ${id}`, names, ...overrides }));
  }
  return createStoredData({ move });
}

/** Creates 500 items. The first 130 have an index number in generation 1. */
function items(change: (id: number) => Partial<RawItem> = () => ({})): DataSet {
  const item = range(1, 500).map((id) => {
    const gameIndices = id <= 130 ? [{ generation: 1, index: id }] : [];
    return rawItem(id, { gameIndices, ...change(id) });
  });
  return createStoredData({ move: [rawMove(1)], item });
}

const defaults: GuardOptions = { maxShrink: 1, allowMissing: [] };

/** Returns the guard's error, or undefined if the guard accepts the update. */
function findRefusal(
  previous: DataSet,
  next: DataSet,
  options: Partial<GuardOptions> = {},
): GamedataError | undefined {
  try {
    checkUpdate(previous, next, { ...defaults, ...options });
    return undefined;
  } catch (error) {
    if (isExpected(error, 'guard')) return error;
    throw error;
  }
}

describe('checkUpdate with an acceptable update', () => {
  it.each<[title: string, previous: DataSet, next: DataSet]>([
    ['the same data', moves(), moves()],
    ['a loss of 1% of the records', moves(), moves((id) => (id <= 5 ? null : {}))],
    [
      'changes to 4% of the values',
      moves(),
      moves((id) => (id <= 20 ? { generation: 2 } : {})),
    ],
    [
      'values in place of null in 98% of the records',
      items(() => ({ gameIndices: [] })),
      items((id) =>
        id <= 490 ? { gameIndices: [{ generation: 9, index: id }] } : {},
      ),
    ],
    [
      'an icon in place of the placeholder in every record',
      items(() => ({ sprite: null })),
      items(),
    ],
    [
      'changes to a fifth of the names in a language',
      moves(),
      moves((id) => renameInFrench(id, 100)),
    ],
    ['a new language', moves(() => ({ names: {} })), moves()],
  ])('accepts an update with %s', (_, previous, next) => {
    expect(findRefusal(previous, next)).toBeUndefined();
  });

  it('accepts changes to nine values, even if there are only nine records', () => {
    const few = (generation: number) =>
      createStoredData({
        move: range(1, 9).map((id) => rawMove(id, { generation })),
      });
    expect(findRefusal(few(1), few(2))).toBeUndefined();
  });

  it('accepts a new field that the previous data set does not have', () => {
    const next = items();
    const previousItems = next
      .readRecords()
      .item.map(({ slug, id }) => ({ slug, id }));
    const records = { ...next.readRecords(), item: previousItems } as never;
    const previous = { ...next, digest: 'other', readRecords: () => records };
    expect(findRefusal(previous, next)).toBeUndefined();
  });
});

/** Replaces the French names of the first moves. */
function renameInFrench(id: number, count: number): Partial<RawMove> {
  if (id > count) return {};
  return { names: { fr: 'À venir', 'zh-hans': `招式 ${id}` } };
}

describe('checkUpdate with a suspicious update', () => {
  it.each<
    [title: string, previous: DataSet, next: DataSet, message: string, hint: string]
  >([
    [
      'a loss of more than 1% of the records',
      moves(),
      moves((id) => (id <= 6 ? null : {})),
      'move: 6 of 500 records are gone, expected at most 1%: move-1, move-2, move-3',
      '--max-shrink 2',
    ],
    [
      'an index number that all items have lost',
      items(),
      items(() => ({ gameIndices: [] })),
      'item › id1: 130 of 130 values changed or are gone, expected at most 5%: item-1 1 → null, item-2 2 → null, item-3 3 → null',
      '--max-shrink 20',
    ],
    [
      'names that are shifted by one row in 6% of the records',
      moves(),
      moves((id) => (id <= 30 ? { englishName: `Move ${id + 1}` } : {})),
      'move › name: 30 of 500 values changed or are gone, expected at most 5%: move-1 "Move 1" → "Move 2", move-2 "Move 2" → "Move 3", move-3 "Move 3" → "Move 4"',
      '--max-shrink 2',
    ],
    [
      'new slugs for a tenth of the records',
      moves(),
      moves((id) => (id <= 50 ? { slug: `other-${id}` } : {})),
      'move › slug: 50 of 500 values changed or are gone, expected at most 5%: move-1 "move-1" → "other-1", move-2 "move-2" → "other-2", move-3 "move-3" → "other-3"',
      '--max-shrink 2',
    ],
    [
      'the placeholder in place of every icon',
      items(),
      items(() => ({ sprite: null })),
      'item › icon: 500 of 500 values changed or are gone, expected at most 5%: item-1 "sprites/items/item-1.png" → null, item-2 "sprites/items/item-2.png" → null, item-3 "sprites/items/item-3.png" → null',
      '--max-shrink 20',
    ],
    [
      'changes to more than a fifth of the names in a language',
      moves(),
      moves((id) => renameInFrench(id, 101)),
      'names/fr: 101 of 500 names changed, expected at most 20%: move-1: "Attaque 1" → "À venir", move-2: "Attaque 2" → "À venir", move-3: "Attaque 3" → "À venir"',
      '--allow-missing names/fr',
    ],
    [
      'swapped names in two languages, and reports both in one error',
      moves(),
      moves((id) => ({ names: { fr: `招式 ${id}`, 'zh-hans': `Attaque ${id}` } })),
      'names/fr: 500 of 500 names changed, expected at most 20%: move-1: "Attaque 1" → "招式 1", move-2: "Attaque 2" → "招式 2", move-3: "Attaque 3" → "招式 3"; names/zh-hans: 500 of 500 names changed, expected at most 20%: move-1: "招式 1" → "Attaque 1", move-2: "招式 2" → "Attaque 2", move-3: "招式 3" → "Attaque 3"',
      '--allow-missing names/fr names/zh-hans',
    ],
    [
      'a missing language',
      moves(),
      moves((id) => ({ names: { fr: `Attaque ${id}` } })),
      'names/zh-hans: 500 of 500 names are gone, expected at most 1%: move-1: "招式 1" → null, move-2: "招式 2" → null, move-3: "招式 3" → null',
      '--allow-missing names/zh-hans',
    ],
  ])('refuses an update with %s', (_, previous, next, message, options) => {
    const hint = `If the new data is right, allow this once with ${options}.`;
    expect(findRefusal(previous, next)).toMatchObject({ message, hint });
  });

  it('accepts a refused update only with the options that the hint suggests', () => {
    const next = moves((id) =>
      id <= 100 ? null : { englishName: 'TBD', names: {} },
    );
    const { hint = '' } = findRefusal(moves(), next) ?? {};
    const [, percentage = '', languages = ''] =
      /--max-shrink (\d+) --allow-missing (.*)\.$/.exec(hint) ?? [];
    const maxShrink = Number(percentage);
    const allowMissing = languages.split(' ');
    expect(findRefusal(moves(), next, { maxShrink, allowMissing })).toBeUndefined();
    const less = { maxShrink: maxShrink - 1, allowMissing };
    expect(findRefusal(moves(), next, less)).toBeDefined();
  });
});

describe('checkUpdate with missing records', () => {
  const next = moves((id) => (id <= 10 ? null : {}));
  const allRecords = range(1, 10).map((id) => `move/move-${id}`);

  it('allows missing records that are named by their slugs', () => {
    expect(findRefusal(moves(), next, { allowMissing: allRecords })).toBeUndefined();
    const fewRecords = allRecords.slice(5);
    expect(findRefusal(moves(), next, { allowMissing: fewRecords })).toBeUndefined();
    expect(
      findRefusal(moves(), next, { allowMissing: allRecords.slice(6) }),
    ).toBeDefined();
  });

  it('allows missing records that are named by their old slugs', () => {
    const ids = range(1, 10).map((id) => [`old-${id}`, id] as const);
    const oldSlugs = { ...noOldSlugs, move: new Map(ids) };
    const previous = { ...moves(), readPast: () => ({ ...emptyPast, oldSlugs }) };
    const allowMissing = range(1, 10).map((id) => `move/old-${id}`);
    expect(findRefusal(previous, next, { allowMissing })).toBeUndefined();
  });

  it('refuses a missing record that is named by its old slug if another record has that slug now', () => {
    // The records 1 to 10 had the slugs that the records 11 to 20 have now.
    const ids = range(1, 10).map((id) => [`move-${id + 10}`, id] as const);
    const oldSlugs = { ...noOldSlugs, move: new Map(ids) };
    const previous = { ...moves(), readPast: () => ({ ...emptyPast, oldSlugs }) };
    const allowMissing = range(11, 20).map((id) => `move/move-${id}`);
    expect(findRefusal(previous, next, { allowMissing })).toBeDefined();
  });

  it('allows missing records that are skipped', () => {
    const skip = { move: range(1, 10), item: [] };
    expect(findRefusal(moves(), next, { skip })).toBeUndefined();
  });
});
