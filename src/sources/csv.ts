/** The CSV source: makes the records from the upstream's own tables, five files instead of three thousand responses. */

import { statSync } from 'node:fs';
import path from 'node:path';
import { DataError, errorCode, OutputError, UpstreamError } from '../errors.ts';
import { readPieces } from '../files/folder.ts';
import { decodeText } from '../http/body.ts';
import type { Codec, Fetcher } from '../http/fetcher.ts';
import { adaptSlug } from './adapt-slug.ts';
import { integerAt, type Row, readTable, type Table, textAt } from './csv-tables.ts';
import type { RawItem, RawMove, RawRecords } from './raw.ts';
import type { Progress } from './source.ts';

/** English, in the upstream's `languages` table. */
const ENGLISH = '9';

/** The tables and the columns that are read. */
const tables = {
  moves: { name: 'moves', columns: ['id', 'identifier', 'generation_id'] },
  move_names: {
    name: 'move_names',
    columns: ['move_id', 'name'],
    only: { column: 'local_language_id', value: ENGLISH },
  },
  items: { name: 'items', columns: ['id', 'identifier'] },
  item_names: {
    name: 'item_names',
    columns: ['item_id', 'name'],
    only: { column: 'local_language_id', value: ENGLISH },
  },
  item_game_indices: { name: 'item_game_indices', columns: ['item_id', 'generation_id', 'game_index'] },
} as const satisfies Record<string, Table>;

/** How much of a table is read at a time, in bytes. */
const PIECE = 2 ** 15;

type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as readonly TableName[];

/** Table → its text. */
type TableTexts = Readonly<Record<TableName, string>>;

/** Reads a table's text in pieces. */
export type ReadPieces = (name: TableName) => Iterable<string>;

/** The tables of a folder. `captured` is the modification date of the newest. */
export function openTableFolder(folder: string): { tables: ReadPieces; captured: string } {
  const fileOf = (name: TableName): string => path.join(folder, `${name}.csv`);
  const times = tableNames.map((name) => {
    try {
      return statSync(fileOf(name)).mtimeMs;
    } catch (cause) {
      throw unreadable(fileOf(name), cause);
    }
  });
  return {
    captured: new Date(Math.max(...times)).toISOString().slice(0, 10),
    *tables(name) {
      const decoder = new TextDecoder('utf-8', { fatal: true });
      try {
        for (const piece of readPieces(folder, `${name}.csv`, PIECE))
          yield decoder.decode(piece, { stream: true });
        yield decoder.decode();
      } catch (cause) {
        throw unreadable(fileOf(name), cause);
      }
    },
  };
}

function unreadable(file: string, cause: unknown): OutputError {
  const reason = cause instanceof TypeError ? 'not UTF-8' : errorCode(cause);
  return new OutputError(`cannot be read (${reason}), expected a table of the upstream`, file, { cause });
}

export interface FetchOptions {
  readonly fetcher: Fetcher;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A path inside a commit, whose files never change. */
const COMMIT = /\/[0-9a-f]{40}\//;

/** How often the tables are read to find them unchanged. */
const MAX_PASSES = 4;

/**
 * Reads the tables below a base URL, all of one state: unless the URL names a commit, they are read again, past the caches on
 * the way, until none has changed in between.
 *
 * @throws UpstreamError if they change each time
 */
export async function fetchTables(upstream: string, options: FetchOptions): Promise<TableTexts> {
  let texts = await readTables(upstream, options);
  if (COMMIT.test(`${upstream}/`)) return texts;
  for (let pass = 2; pass <= MAX_PASSES; pass++) {
    const before = texts;
    texts = await readTables(upstream, { fetcher: options.fetcher, query: `?edition=${Date.now()}` });
    if (tableNames.every((name) => texts[name] === before[name])) return texts;
  }
  throw new UpstreamError(
    `got tables that changed whenever they were read, ${MAX_PASSES} times: expected tables of one commit`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: 'Try again later, or name a commit in the URL instead of a branch.' },
  );
}

async function readTables(
  upstream: string,
  { fetcher, onProgress, query }: FetchOptions & { query?: string },
): Promise<TableTexts> {
  const texts = new Map<TableName, string>();
  for (const name of tableNames) {
    const url = `${upstream}/${name}.csv`;
    const codec: Codec<string> = {
      decode: decodeText,
      revive: (cached) => (typeof cached === 'string' ? cached : undefined),
    };
    const again = query === undefined ? {} : { at: url + query, revalidate: true };
    texts.set(name, (await fetcher.load(url, codec, again)).value);
    onProgress?.({
      done: texts.size,
      total: tableNames.length,
      requests: fetcher.stats,
      waiting: fetcher.waiting,
    });
  }
  return mapTables((name) => texts.get(name) ?? '');
}

function mapTables(read: (name: TableName) => string): TableTexts {
  return Object.fromEntries(tableNames.map((name) => [name, read(name)])) as Record<TableName, string>;
}

/** @throws DataError if a table is invalid, or refers to a record that does not exist */
export async function readCsv(pieces: ReadPieces): Promise<RawRecords> {
  return { move: await readMoves(pieces), item: await readItems(pieces) };
}

async function readMoves(pieces: ReadPieces): Promise<RawMove[]> {
  const names = await readNames(tables.move_names, pieces('move_names'));
  const moves: RawMove[] = [];
  await readTable(tables.moves, pieces('moves'), (row) => {
    const { id, slug } = identity(tables.moves, row);
    const generation = integerAt(tables.moves, row, 2);
    moves.push({ id, slug, englishName: names.get(id) ?? null, generation });
  });
  refuseOrphans(tables.move_names, names, moves);
  return moves;
}

async function readItems(pieces: ReadPieces): Promise<RawItem[]> {
  const names = await readNames(tables.item_names, pieces('item_names'));
  const indices = await readIndices(tables.item_game_indices, pieces('item_game_indices'));
  const items: RawItem[] = [];
  await readTable(tables.items, pieces('items'), (row) => {
    const { id, slug } = identity(tables.items, row);
    items.push({
      id,
      slug,
      englishName: names.get(id) ?? null,
      gameIndices: indices.get(id) ?? [],
      sprite: spritePath(adaptSlug(slug)),
    });
  });
  refuseOrphans(tables.item_names, names, items);
  refuseOrphans(tables.item_game_indices, indices, items);
  return items;
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
async function readNames(of: Table, pieces: Iterable<string>): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  await readTable(of, pieces, (row) => {
    const id = integerAt(of, row, 0);
    if (!names.has(id)) names.set(id, textAt(row, 1));
  });
  return names;
}

/** Item id → its indices in the table's order. */
async function readIndices(
  of: Table,
  pieces: Iterable<string>,
): Promise<Map<number, RawItem['gameIndices']>> {
  const indices = new Map<number, RawItem['gameIndices']>();
  await readTable(of, pieces, (row) => {
    const id = integerAt(of, row, 0);
    const listed = { generation: integerAt(of, row, 1), index: integerAt(of, row, 2) };
    // A list that grew would keep room for a dozen more.
    indices.set(id, [...(indices.get(id) ?? []), listed]);
  });
  return indices;
}

/** A row about a record that does not exist means that the tables do not belong together. */
function refuseOrphans(
  of: Table,
  byId: ReadonlyMap<number, unknown>,
  records: readonly { id: number }[],
): void {
  const ids = new Set(records.map(({ id }) => id));
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
