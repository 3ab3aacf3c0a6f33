import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparisonSchema } from '../../src/contract/changes.ts';
import { compare, countChanges } from '../../src/dataset/compare.ts';
import type { AnyRecord } from '../../src/dataset/data-set.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { everyKind } from '../support/kinds.ts';
import { rawItem, rawMove } from '../support/sites.ts';

const none = { added: [], removed: [], renamed: [], changed: [] };
const moves = (...ids: number[]) => ids.map((id) => rawMove(id));

describe('compare', () => {
  it.each([
    { case: 'nothing for the same records', from: moves(1, 2), to: moves(1, 2), changes: none },
    {
      case: 'a record with a new slug as renamed',
      from: moves(1),
      to: [rawMove(1, { slug: 'new' })],
      changes: { ...none, renamed: [{ id: 1, from: 'move-1', to: 'new', fields: [] }] },
    },
    {
      case: 'other changed fields of a renamed record',
      from: moves(1),
      to: [rawMove(1, { slug: 'new', generation: 2 })],
      changes: {
        ...none,
        renamed: [{ id: 1, from: 'move-1', to: 'new', fields: [{ field: 'generation', from: 1, to: 2 }] }],
      },
    },
    {
      case: 'every changed field, in the order of the record',
      from: moves(1, 2),
      to: [rawMove(1, { generation: 3, englishName: 'Other' }), rawMove(2)],
      changes: {
        ...none,
        changed: [
          {
            id: 1,
            slug: 'move-1',
            fields: [
              { field: 'name', from: 'Move 1', to: 'Other' },
              { field: 'generation', from: 1, to: 3 },
            ],
          },
        ],
      },
    },
    {
      case: 'a different record with an old slug as added',
      from: moves(1),
      to: [rawMove(2, { slug: 'move-1' })],
      changes: {
        ...none,
        added: [{ id: 2, slug: 'move-1', name: 'Move 2' }],
        removed: [{ id: 1, slug: 'move-1', name: 'Move 1' }],
      },
    },
  ])('reports $case', ({ from, to, changes }) => {
    const [before, after] = [versionOf(from, [rawItem(1)]), versionOf(to, [rawItem(1)], '2026-02-03')];
    const comparison = compare(before, after);
    expect(comparison.changes).toEqual(everyKind({ move: changes }, () => none));
    expect(comparison.from).toEqual({
      digest: before.digest,
      captured: '2026-01-02',
      counts: everyKind({ move: from.length }, () => 1),
      edition: null,
    });
    expect(comparison.to).toMatchObject({ digest: after.digest, captured: '2026-02-03' });
    expect(comparisonSchema.parse(comparison)).toEqual(comparison);
  });

  it('sorts records by id, regardless of the order of records and keys', () => {
    const of = (...move: AnyRecord[]) => ({
      ...versionOf([]),
      records: everyKind<readonly AnyRecord[]>({ move }, () => []),
    });
    const [one, two, ten] = [1, 2, 10].map((id) => ({ id, slug: `x-${id}`, name: id }));
    if (!one || !two || !ten) throw new Error('three records are expected');
    const named = [one, two, ten].map(({ id, slug }) => ({ id, slug, name: slug }));
    expect(compare(of(), of(ten, one, two)).changes.move).toEqual({ ...none, added: named });
    expect(compare(of(ten, one, two), of()).changes.move).toEqual({ ...none, removed: named });
    const reordered = { name: 1, slug: 'x-1', id: 1 };
    expect(compare(of(one), of(reordered)).changes.move).toEqual(none);
  });

  it('distinguishes null from 0', () => {
    const [before, after] = [[], [{ generation: 9, index: 0 }]].map((gameIndices) =>
      versionOf([], [rawItem(1, { gameIndices })]),
    );
    if (!before || !after) throw new Error('expected two versions');
    const fields = [{ field: 'id9', from: null, to: 0 }];
    expect(compare(before, after).changes.item.changed).toEqual([{ id: 1, slug: 'item-1', fields }]);
  });

  const someMove = fc.record({
    id: fc.integer({ min: 1, max: 12 }),
    slug: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    generation: fc.integer({ min: 1, max: 3 }),
  });
  const version = fc
    .uniqueArray(someMove, { selector: ({ id }) => id })
    .map((some) => versionOf(some.map((raw) => rawMove(raw.id, raw))));

  it('returns changes that turn any data set into any other data set', () => {
    fc.assert(
      fc.property(version, version, (from, to) => {
        const { changes, totals } = compare(from, to);
        const back = compare(to, from);
        expect(totals.added).toBe(back.totals.removed);
        expect(totals.changed + totals.renamed).toBe(back.totals.changed + back.totals.renamed);
        expect(countChanges(compare(from, from))).toBe(0);
        const slugs = new Map(from.records.move.map(({ id, slug }) => [id, slug]));
        for (const { id } of changes.move.removed) slugs.delete(id);
        for (const { id, slug } of changes.move.added) slugs.set(id, slug);
        for (const { id, to: slug } of changes.move.renamed) slugs.set(id, slug);
        expect(slugs).toEqual(new Map(to.records.move.map(({ id, slug }) => [id, slug])));
      }),
    );
  });
});
