/** The CSV source: makes the records from the upstream's own tables, five files instead of three thousand responses. */

import type { Kind } from '../contract/kinds.ts';
import { DataError } from '../errors.ts';
import { adaptSlug } from './adapt-slug.ts';
import { integerAt, type Row, readTable, type Table } from './csv-tables.ts';
import type { RawItem, RawMove, RawRecords } from './raw.ts';
import { type TableTexts, tables } from './tables.ts';

/** @throws DataError if a table is invalid, or refers to a record that does not exist */
export const readCsv = (texts: TableTexts): RawRecords => ({
  move: readMoves(texts),
  item: readItems(texts),
});

function readMoves(texts: TableTexts): RawMove[] {
  const names = readNames('move', texts);
  const moves = readTable(tables.moves, texts.moves).map((row): RawMove => {
    const { id, slug } = identity(tables.moves, row);
    return { id, slug, englishName: names.get(id) ?? null, generation: integerAt(tables.moves, row, 2) };
  });
  refuseOrphans(tables.move_names, names, idsOf(moves));
  return moves;
}

function readItems(texts: TableTexts): RawItem[] {
  const names = readNames('item', texts);
  const indices = readIndices(texts);
  const items = readTable(tables.items, texts.items).map((row): RawItem => {
    const { id, slug } = identity(tables.items, row);
    const englishName = names.get(id) ?? null;
    return { id, slug, englishName, gameIndices: indices.get(id) ?? [], sprite: spritePath(adaptSlug(slug)) };
  });
  const ids = idsOf(items);
  refuseOrphans(tables.item_names, names, ids);
  refuseOrphans(tables.item_game_indices, indices, ids);
  return items;
}

function identity(of: Table, row: Row): { id: number; slug: string } {
  const slug = row[1] ?? '';
  if (slug === '')
    throw new DataError(`got row ${row.join(',')}: expected an identifier`, {
      record: `${of.name}.csv`,
      field: 'identifier',
    });
  return { id: integerAt(of, row, 0), slug };
}

/** Id → the first name. */
function readNames(kind: Kind, texts: TableTexts): ReadonlyMap<number, string> {
  const of = tables[`${kind}_names`];
  const names = new Map<number, string>();
  for (const row of readTable(of, texts[of.name])) {
    const id = integerAt(of, row, 0);
    if (!names.has(id)) names.set(id, row[1] ?? '');
  }
  return names;
}

/** Item id → its indices in the table's order. */
function readIndices(texts: TableTexts): ReadonlyMap<number, RawItem['gameIndices']> {
  const of = tables.item_game_indices;
  const indices = new Map<number, RawItem['gameIndices'][number][]>();
  for (const row of readTable(of, texts[of.name])) {
    const id = integerAt(of, row, 0);
    const listed = indices.get(id) ?? [];
    listed.push({ generation: integerAt(of, row, 1), index: integerAt(of, row, 2) });
    indices.set(id, listed);
  }
  return indices;
}

const idsOf = (records: readonly { id: number }[]): ReadonlySet<number> =>
  new Set(records.map(({ id }) => id));

/** A row about a record that does not exist means that the tables do not belong together. */
function refuseOrphans(of: Table, byId: ReadonlyMap<number, unknown>, ids: ReadonlySet<number>): void {
  const orphans = [...byId.keys()].filter((id) => !ids.has(id)).sort((a, b) => a - b);
  if (orphans.length === 0) return;
  throw new DataError(
    `got rows for unknown ids: ${orphans.slice(0, 10).join(', ')}: expected tables of the same date`,
    { record: `${of.name}.csv` },
  );
}

/** The tables contain no icons; the upstream's server derives their paths by this rule. */
function spritePath(slug: string): string {
  const file = slug.startsWith('data-card')
    ? 'data-card'
    : /^[th]m\d/.test(slug)
      ? `${slug.slice(0, 2)}-normal`
      : slug;
  return `sprites/items/${file}.png`;
}
