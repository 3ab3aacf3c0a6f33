/** The CSV source: makes the records from the upstream's own tables, five files instead of three thousand answers. */

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DataError, errorCode, OutputError } from '../errors.ts';
import { decodeText } from '../http/body.ts';
import type { Fetcher } from '../http/fetcher.ts';
import { integerAt, type Row, readTable, type TableName, tableNames } from './csv-tables.ts';
import type { RawItem, RawMove, RawRecords } from './raw.ts';
import type { Progress } from './source.ts';

/** English, in the upstream's `languages` table. */
const ENGLISH = '9';

export type Tables = Readonly<Record<TableName, string>>;

/** Reads the tables from a folder. `captured` is the day on which the newest of them was last changed. */
export function readTableFolder(folder: string): { tables: Tables; captured: string } {
  let newest = 0;
  const tables = collect((name) => {
    const file = path.join(folder, `${name}.csv`);
    try {
      newest = Math.max(newest, statSync(file).mtimeMs);
      return decodeText(readFileSync(file));
    } catch (cause) {
      throw new OutputError(
        `cannot be read (${errorCode(cause) || 'not UTF-8'}), expected a table of the upstream`,
        file,
        { cause },
      );
    }
  });
  return { tables, captured: new Date(newest).toISOString().slice(0, 10) };
}

/** Reads the tables below a base address. */
export async function fetchTables(
  upstream: string,
  { fetcher, onProgress }: { fetcher: Fetcher; onProgress?: ((progress: Progress) => void) | undefined },
): Promise<Tables> {
  const texts = new Map<TableName, string>();
  for (const name of tableNames) {
    const text = await fetcher.load(`${upstream}/${name}.csv`, {
      decode: decodeText,
      revive: (cached) => (typeof cached === 'string' ? cached : undefined),
    });
    texts.set(name, text);
    onProgress?.({ done: texts.size, total: tableNames.length, requests: fetcher.stats });
  }
  return collect((name) => texts.get(name) ?? '');
}

function collect(read: (name: TableName) => string): Tables {
  return Object.fromEntries(tableNames.map((name) => [name, read(name)])) as Record<TableName, string>;
}

/** @throws DataError where a table is not what it has to be, or names a record that does not exist */
export function readCsv(tables: Tables): RawRecords {
  const table = (name: TableName, isWanted?: (row: Row) => boolean): Row[] =>
    readTable(name, tables[name], isWanted);
  const moveNames = firstNames('move_names', table('move_names', isEnglish));
  const itemNames = firstNames('item_names', table('item_names', isEnglish));
  const indices = gameIndices(table('item_game_indices'));
  const raw = {
    move: table('moves').map((row): RawMove => {
      const { id, slug } = identity('moves', row);
      return { id, slug, englishName: moveNames.get(id) ?? null, generation: integerAt('moves', row, 2) };
    }),
    item: table('items').map((row): RawItem => {
      const { id, slug } = identity('items', row);
      return {
        id,
        slug,
        englishName: itemNames.get(id) ?? null,
        gameIndices: indices.get(id) ?? [],
        sprite: spritePath(slug),
      };
    }),
  };
  refuseOrphans('move_names', moveNames, raw.move);
  refuseOrphans('item_names', itemNames, raw.item);
  refuseOrphans('item_game_indices', indices, raw.item);
  return raw;
}

function identity(table: TableName, row: Row): { id: number; slug: string } {
  const slug = row[1] ?? '';
  if (slug === '')
    throw new DataError(`got row ${row.join(',')}: expected an identifier`, {
      record: `${table}.csv`,
      field: 'identifier',
    });
  return { id: integerAt(table, row, 0), slug };
}

const isEnglish = (row: Row): boolean => row[1] === ENGLISH;

/** Id → the first name. */
function firstNames(table: TableName, rows: readonly Row[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const row of rows) {
    const id = integerAt(table, row, 0);
    if (!names.has(id)) names.set(id, row[2] ?? '');
  }
  return names;
}

/** Item id → its indices in the table's order. */
function gameIndices(rows: readonly Row[]): Map<number, RawItem['gameIndices']> {
  const indices = new Map<number, RawItem['gameIndices']>();
  for (const row of rows) {
    const id = integerAt('item_game_indices', row, 0);
    const listed = indices.get(id) ?? [];
    listed.push({
      generation: integerAt('item_game_indices', row, 1),
      index: integerAt('item_game_indices', row, 2),
    });
    indices.set(id, listed);
  }
  return indices;
}

/** A row about a record that is not there means that the tables are not of one piece. */
function refuseOrphans(
  table: TableName,
  byId: ReadonlyMap<number, unknown>,
  records: readonly { id: number }[],
): void {
  const ids = new Set(records.map(({ id }) => id));
  const orphans = [...byId.keys()].filter((id) => !ids.has(id));
  if (orphans.length === 0) return;
  throw new DataError(
    `got rows for ids that do not exist: ${orphans.slice(0, 10).join(', ')}: expected tables of one date`,
    {
      record: `${table}.csv`,
    },
  );
}

/** The tables do not name pictures; the upstream's server makes their paths by this rule. */
function spritePath(slug: string): string {
  const file = slug.startsWith('data-card')
    ? 'data-card'
    : /^[th]m\d/.test(slug)
      ? `${slug.slice(0, 2)}-normal`
      : slug;
  return `sprites/items/${file}.png`;
}
