/** The CSV source: makes the records from the upstream's own tables, six files instead of three thousand responses. */

import type { Kind } from '../contract/kinds.ts';
import type { Skipped } from '../contract/records.ts';
import { DataError } from '../errors.ts';
import { adaptSlug, type RawItem, type RawMove, type RawRecords, refuseUnknownSkips } from './normalize.ts';
import { integerIn, readTable, type TableName, type TableTexts } from './tables.ts';

/** @throws DataError if a table is invalid, or refers to a record that does not exist; UsageError if `skip` names one */
export function readCsv(texts: TableTexts, skip?: Skipped): RawRecords {
  const raw = { move: readMoves(texts), item: readItems(texts) };
  refuseUnknownSkips(skip, raw);
  return raw;
}

function readMoves(texts: TableTexts): RawMove[] {
  const names = readNames('move', texts);
  const table = readTable('moves', texts);
  const moves = table.rows.map((row): RawMove => {
    const id = integerIn(table, row, 'id');
    const slug = slugOf('moves', row);
    const { en: englishName = null, ...others } = names.get(id) ?? {};
    return { id, slug, englishName, names: others, generation: integerIn(table, row, 'generation_id') };
  });
  refuseOrphans('move_names', names, moves);
  return moves;
}

function readItems(texts: TableTexts): RawItem[] {
  const names = readNames('item', texts);
  const indices = readIndices(texts);
  const table = readTable('items', texts);
  const items = table.rows.map((row): RawItem => {
    const id = integerIn(table, row, 'id');
    const slug = slugOf('items', row);
    const sprite = spritePath(adaptSlug(slug));
    const { en: englishName = null, ...others } = names.get(id) ?? {};
    const gameIndices = indices.get(id) ?? [];
    return { id, slug, englishName, names: others, gameIndices, sprite };
  });
  refuseOrphans('item_names', names, items);
  refuseOrphans('item_game_indices', indices, items);
  return items;
}

function slugOf(name: TableName, row: { readonly identifier: string }): string {
  if (row.identifier !== '') return row.identifier;
  const location = { record: `${name}.csv`, field: 'identifier' };
  throw new DataError(`got row ${Object.values(row).join(',')}: expected an identifier`, location);
}

/** Id → language → the first name in it. */
function readNames(kind: Kind, texts: TableTexts) {
  const { rows } = readTable('languages', texts);
  const languages = new Map(rows.map((row) => [row.id, slugOf('languages', row)]));
  const table = readTable(`${kind}_names`, texts);
  const names = new Map<number, Record<string, string>>();
  for (const row of table.rows) {
    const id = integerIn(table, row, `${kind}_id`);
    const language = languages.get(row.local_language_id) ?? row.local_language_id;
    const ofRecord: Record<string, string> = names.get(id) ?? Object.create(null);
    ofRecord[language] ??= row.name;
    names.set(id, ofRecord);
  }
  return names;
}

/** Item id → its indices in the table's order. */
function readIndices(texts: TableTexts): ReadonlyMap<number, RawItem['gameIndices']> {
  const table = readTable('item_game_indices', texts);
  const indices = new Map<number, RawItem['gameIndices'][number][]>();
  for (const row of table.rows) {
    const id = integerIn(table, row, 'item_id');
    const listed = indices.get(id) ?? [];
    listed.push({
      generation: integerIn(table, row, 'generation_id'),
      index: integerIn(table, row, 'game_index'),
    });
    indices.set(id, listed);
  }
  return indices;
}

/** A row about a record that does not exist means that the tables do not belong together. */
function refuseOrphans(
  name: TableName,
  byId: ReadonlyMap<number, unknown>,
  records: readonly { id: number }[],
): void {
  const ids = new Set(records.map(({ id }) => id));
  const orphans = [...byId.keys()].filter((id) => !ids.has(id)).sort((a, b) => a - b);
  if (orphans.length === 0) return;
  throw new DataError(
    `got rows for unknown ids: ${orphans.slice(0, 10).join(', ')}: expected tables of the same date`,
    { record: `${name}.csv` },
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
