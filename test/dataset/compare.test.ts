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
    { case: 'nothing where both are the same', from: moves(1, 2), to: moves(1, 2), changes: none },
    {
      case: 'a new slug of the same id as a new name, not as gone and come',
      from: moves(1),
      to: [rawMove(1, { slug: 'new' })],
      changes: { ...none, renamed: [{ id: 1, from: 'move-1', to: 'new', fields: [] }] },
    },
    {
      case: 'what else changed of a renamed record',
      from: moves(1),
      to: [rawMove(1, { slug: 'new', generation: 2 })],
      changes: {
        ...none,
        renamed: [{ id: 1, from: 'move-1', to: 'new', fields: [{ field: 'generation', from: 1, to: 2 }] }],
      },
    },
    {
      case: 'every field that changed, in the order of the record',
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
      case: 'another record under an old slug as what it is',
      from: moves(1),
      to: [rawMove(2, { slug: 'move-1' })],
      changes: {
        ...none,
        added: [{ id: 2, slug: 'move-1', name: 'Move 2' }],
        removed: [{ id: 1, slug: 'move-1', name: 'Move 1' }],
      },
    },
  ])('says $case', ({ from, to, changes }) => {
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

  it('lists records by rising id, in whatever order they were read, and ignores the order of keys', () => {
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

  it('tells null from a value', () => {
    const { changes } = compare(
      versionOf([], [rawItem(1, { gameIndices: [] })]),
      versionOf([], [rawItem(1, { gameIndices: [{ generation: 9, index: 0 }] })]),
    );
    expect(changes.item.changed).toEqual([
      { id: 1, slug: 'item-1', fields: [{ field: 'id9', from: null, to: 0 }] },
    ]);
  });

  const someMoves = fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      slug: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      generation: fc.integer({ min: 1, max: 3 }),
    }),
    { selector: ({ id }) => id },
  );

  it('leads from any data set to any other, and back', () => {
    fc.assert(
      fc.property(someMoves, someMoves, (one, other) => {
        const [from, to] = [one, other].map((some) => versionOf(some.map((raw) => rawMove(raw.id, raw))));
        if (!from || !to) return;
        const { changes, totals } = compare(from, to);
        const back = compare(to, from);
        expect(totals.added).toBe(back.totals.removed);
        expect(totals.changed + totals.renamed).toBe(back.totals.changed + back.totals.renamed);
        expect(countChanges(compare(from, from))).toBe(0);
        // Applying the changes to the old slugs gives the new ones.
        const slugs = new Map(from.records.move.map(({ id, slug }) => [id, slug]));
        for (const { id } of changes.move.removed) slugs.delete(id);
        for (const { id, slug } of changes.move.added) slugs.set(id, slug);
        for (const { id, to: slug } of changes.move.renamed) slugs.set(id, slug);
        expect(slugs).toEqual(new Map(to.records.move.map(({ id, slug }) => [id, slug])));
      }),
    );
  });
});
