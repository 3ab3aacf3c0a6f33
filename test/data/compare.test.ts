import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparisonSchema, type KindChanges } from '../../src/contract/changes.ts';
import { compare, countChanges } from '../../src/data/compare.ts';
import type { AnyRecord } from '../../src/data/data-set.ts';
import { everyKind } from '../support/kinds.ts';
import { rawItem, rawMove } from '../support/sites.ts';
import { versionOf } from '../support/stored-data.ts';

const none = { added: [], removed: [], renamed: [], changed: [] };
const withMoves = (...move: AnyRecord[]) => ({
  ...versionOf([]),
  records: everyKind<readonly AnyRecord[]>({ move }, () => []),
});

describe('compare', () => {
  const one = { id: 1, slug: 'a', name: 'A', generation: 1 };
  const two = { id: 2, slug: 'b', name: 'B', generation: null };
  const ten = { id: 10, slug: 'c', name: null, generation: 1 };
  const [a, b, c] = [one, two, ten].map(({ id, slug, name }) => ({
    id,
    slug,
    name: name ?? slug,
  }));
  const generation = { field: 'generation', from: 1, to: 2 };
  const name = { field: 'name', from: 'A', to: 'Other' };
  const accuracy = { field: 'accuracy', from: null, to: 5 };
  const power = { field: 'power', from: 0, to: null };

  it.each<[string, from: AnyRecord[], to: AnyRecord[], changes: object]>([
    [
      'nothing if only the order of records and keys differs',
      [one, two],
      [two, { generation: 1, name: 'A', slug: 'a', id: 1 }],
      {},
    ],
    ['added records in order of id', [], [ten, one, two], { added: [a, b, c] }],
    ['removed records in order of id', [ten, one, two], [], { removed: [a, b, c] }],
    [
      'a record that took over the slug of another record as added',
      [one],
      [{ ...two, slug: 'a' }],
      { added: [{ ...b, slug: 'a' }], removed: [a] },
    ],
    [
      'a renamed record and its other changed fields',
      [one, two],
      [{ ...one, slug: 'new', generation: 2 }, two],
      { renamed: [{ id: 1, from: 'a', to: 'new', fields: [generation] }] },
    ],
    [
      "added and changed fields in the record's order, then removed fields",
      [{ power: 0, ...one }],
      [{ ...one, generation: 2, name: 'Other', accuracy: 5 }],
      {
        changed: [{ id: 1, slug: 'a', fields: [name, generation, accuracy, power] }],
      },
    ],
    [
      'a change from null to 0',
      [two],
      [{ ...two, generation: 0 }],
      {
        changed: [
          { id: 2, slug: 'b', fields: [{ field: 'generation', from: null, to: 0 }] },
        ],
      },
    ],
  ])('reports %s', (_, from, to, changes) => {
    const { move } = compare(withMoves(...from), withMoves(...to)).changes;
    expect(move).toEqual({ ...none, ...changes } satisfies Partial<KindChanges>);
  });

  it('summarizes both data sets and counts the changes', () => {
    const [before, after] = [
      versionOf([rawMove(1)]),
      versionOf([], [rawItem(1)], '2026-02-03'),
    ];
    const comparison = compare(before, after);
    const { records: _, ...from } = before;
    expect(comparison).toMatchObject({
      from,
      to: { digest: after.digest, captured: '2026-02-03' },
    });
    expect(comparison.totals).toEqual({
      added: 1,
      removed: 1,
      renamed: 0,
      changed: 0,
    });
    expect(comparisonSchema.parse(comparison)).toEqual(comparison);
  });

  const someMove = fc.record({
    id: fc.integer({ min: 1, max: 12 }),
    slug: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    generation: fc.integer({ min: 1, max: 3 }),
  });
  const version = fc
    .uniqueArray(someMove, { selector: ({ id }) => id })
    .map((some) => versionOf(some.map((raw) => rawMove(raw.id, raw))));

  it('returns the changes that turn one data set into another', () => {
    fc.assert(
      fc.property(version, version, (from, to) => {
        const { changes, totals } = compare(from, to);
        const back = compare(to, from);
        expect(totals.added).toBe(back.totals.removed);
        expect(totals.changed + totals.renamed).toBe(
          back.totals.changed + back.totals.renamed,
        );
        expect(countChanges(compare(from, from))).toBe(0);
        const slugs = new Map(from.records.move.map(({ id, slug }) => [id, slug]));
        for (const { id } of changes.move.removed) slugs.delete(id);
        for (const { id, slug } of changes.move.added) slugs.set(id, slug);
        for (const { id, to: slug } of changes.move.renamed) slugs.set(id, slug);
        expect(slugs).toEqual(
          new Map(to.records.move.map(({ id, slug }) => [id, slug])),
        );
      }),
    );
  });
});
