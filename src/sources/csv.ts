/** The CSV source: makes the records from the upstream's own tables, five files instead of three thousand responses. */

import type { Kind } from '../contract/kinds.ts';
import { DataError } from '../errors.ts';
import { adaptSlug } from './adapt-slug.ts';
import { integerAt, type Row, readTable, type Table, textAt } from './csv-tables.ts';
import type { RawItem, RawMove, RawRecords } from './raw.ts';
import { type ReadPieces, tables } from './tables.ts';

/** @throws DataError if a table is invalid, or refers to a record that does not exist */
export async function readCsv(pieces: ReadPieces): Promise<RawRecords> {
  return { move: await readMoves(pieces), item: await readItems(pieces) };
}

async function readMoves(pieces: ReadPieces): Promise<RawMove[]> {
  const names = await readNames('move', pieces);
  const moves: RawMove[] = [];
  await readTable(tables.moves, pieces('moves'), (row) => {
    const { id, slug } = identity(tables.moves, row);
    const generation = integerAt(tables.moves, row, 2);
    moves.push({ id, slug, englishName: names.get(id) ?? null, generation });
  });
  refuseOrphans(tables.move_names, names, idsOf(moves));
  return moves;
}

async function readItems(pieces: ReadPieces): Promise<RawItem[]> {
  const names = await readNames('item', pieces);
  const indices = await readIndices(pieces);
  const from = { names, indices };
  const items: RawItem[] = [];
  await readTable(tables.items, pieces('items'), (row) => {
    const { id, slug } = identity(tables.items, row);
    items.push(new TableItem(id, slug, from));
  });
  const ids = idsOf(items);
  refuseOrphans(tables.item_names, names, ids);
  refuseOrphans(tables.item_game_indices, indices, ids);
  return items;
}

/** What the tables have of an item by its id. */
interface ItemTables {
  readonly names: Names;
  readonly indices: Indices;
}

/** Looks things up when they are asked for: made for all items at once, they would take as much memory as the rest of a build. */
class TableItem implements RawItem {
  readonly id: number;
  readonly slug: string;
  readonly #tables: ItemTables;

  constructor(id: number, slug: string, from: ItemTables) {
    this.id = id;
    this.slug = slug;
    this.#tables = from;
  }

  get englishName(): string | null {
    return this.#tables.names.get(this.id) ?? null;
  }

  get gameIndices(): RawItem['gameIndices'] {
    return this.#tables.indices.get(this.id) ?? [];
  }

  get sprite(): string {
    return spritePath(adaptSlug(this.slug));
  }
}

function identity(of: Table, row: Row): { id: number; slug: string } {
  const slug = textAt(row, 1);
  if (slug === '')
    throw new DataError(`got row ${row.join(',')}: expected an identifier`, {
      record: `${of.name}.csv`,
      field: 'identifier',
    });
  return { id: integerAt(of, row, 0), slug };
}

/** Id → the first name. */
type Names = ReadonlyMap<number, string>;

async function readNames(kind: Kind, pieces: ReadPieces): Promise<Names> {
  const of = tables[`${kind}_names`];
  const names = new Map<number, string>();
  await readTable(of, pieces(of.name), (row) => {
    const id = integerAt(of, row, 0);
    if (!names.has(id)) names.set(id, textAt(row, 1));
  });
  return names;
}

/** Item id → its indices in the table's order. */
type Indices = ReadonlyMap<number, RawItem['gameIndices']>;

async function readIndices(pieces: ReadPieces): Promise<Indices> {
  const of = tables.item_game_indices;
  const indices = new Map<number, RawItem['gameIndices']>();
  await readTable(of, pieces(of.name), (row) => {
    const id = integerAt(of, row, 0);
    const listed = { generation: integerAt(of, row, 1), index: integerAt(of, row, 2) };
    // A list that grew would keep room for a dozen more.
    indices.set(id, (indices.get(id) ?? []).concat(listed));
  });
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
