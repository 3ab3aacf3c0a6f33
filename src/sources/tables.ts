/** The upstream's tables: which columns of them are read, from a folder or a URL, and strict parsing of their text. */

import { statSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { show } from '../contract/parse.ts';
import { DataError, errorCode, OutputError, UpstreamError } from '../errors.ts';
import { readFile } from '../files.ts';
import { decodeText } from '../http/body.ts';
import type { Codec } from '../http/fetcher.ts';
import type { RestOptions } from './rest.ts';

const columns = {
  moves: ['id', 'identifier', 'generation_id'],
  move_names: ['move_id', 'local_language_id', 'name'],
  items: ['id', 'identifier'],
  item_names: ['item_id', 'local_language_id', 'name'],
  languages: ['id', 'identifier'],
  item_game_indices: ['item_id', 'generation_id', 'game_index'],
} as const;

export type TableName = keyof typeof columns;
export const tableNames = Object.keys(columns) as readonly TableName[];

/** Table → its text. */
export type TableTexts = Readonly<Record<TableName, string>>;

type Column<N extends TableName> = (typeof columns)[N][number];
type Row<N extends TableName> = Readonly<Record<Column<N>, string>>;

/** Rows of a table. */
export interface Table<N extends TableName> {
  readonly name: N;
  readonly rows: readonly Row<N>[];
}

/** Throws `DataError` if a text is not CSV, a row has the wrong number of fields, or a column is missing. */
export function readTable<N extends TableName>(name: N, texts: TableTexts): Table<N> {
  const record = `${name}.csv`;
  const { data, errors, meta } = Papa.parse<Row<N>>(texts[name], {
    delimiter: ',',
    header: true,
    skipEmptyLines: true,
  });
  const [error] = errors;
  if (error) {
    // Rows with the wrong number of fields are counted from the first below the header.
    const row = (error.row ?? 0) + (error.type === 'FieldMismatch' ? 2 : 1);
    throw new DataError(`${error.message} in row ${row}: expected CSV`, { record });
  }
  const { fields = [] } = meta;
  for (const field of columns[name])
    if (!fields.includes(field))
      throw new DataError(`got columns ${show(fields)}: expected one called ${field}`, { record, field });
  return { name, rows: data };
}

/** An integer in a row. */
export function integerIn<N extends TableName>({ name }: Table<N>, row: Row<N>, field: Column<N>): number {
  const text = row[field];
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  const location = { record: `${name}.csv`, field };
  throw new DataError(`got ${show(text)} in row ${show(Object.values(row))}: expected an integer`, location);
}

/**
 * Reads every table, and the modification date of the newest, `YYYY-MM-DD`.
 *
 * @throws OutputError if one cannot be read, or is not UTF-8
 */
export function readTables(folder: string): { texts: TableTexts; captured: string } {
  const tables = tableNames.map((name) => {
    const file = `${name}.csv`;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFile(folder, file));
      return { name, text, modified: statSync(path.join(folder, file)).mtimeMs };
    } catch (cause) {
      const reason = cause instanceof TypeError ? 'not UTF-8' : errorCode(cause);
      const problem = `cannot be read (${reason}), expected a table of the upstream`;
      throw new OutputError(problem, path.join(folder, file), { cause });
    }
  });
  return {
    texts: Object.fromEntries(tables.map(({ name, text }) => [name, text])) as TableTexts,
    captured: new Date(Math.max(...tables.map(({ modified }) => modified))).toISOString().slice(0, 10),
  };
}

export type FetchOptions = Pick<RestOptions, 'fetcher' | 'onProgress'>;

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
  let texts = await fetchOnce(upstream, options);
  if (COMMIT.test(`${upstream}/`)) return texts;
  for (let pass = 2; pass <= MAX_PASSES; pass++) {
    const before = texts;
    texts = await fetchOnce(upstream, { fetcher: options.fetcher, query: `?edition=${Date.now()}` });
    if (tableNames.every((name) => texts[name] === before[name])) return texts;
  }
  throw new UpstreamError(
    `got tables that changed whenever they were read, ${MAX_PASSES} times: expected tables of one commit`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: 'Try again later, or name a commit in the URL instead of a branch.' },
  );
}

const codec: Codec<string> = {
  decode: decodeText,
  revive: (cached) => (typeof cached === 'string' ? cached : undefined),
};

async function fetchOnce(
  upstream: string,
  { fetcher, onProgress, query }: FetchOptions & { query?: string },
): Promise<TableTexts> {
  const texts = new Map<TableName, string>();
  for (const name of tableNames) {
    const url = `${upstream}/${name}.csv`;
    const again = query === undefined ? {} : { at: url + query, revalidate: true };
    texts.set(name, (await fetcher.load(url, codec, again)).value);
    const { stats: requests, waiting } = fetcher;
    onProgress?.({ done: texts.size, total: tableNames.length, requests, waiting });
  }
  return Object.fromEntries(texts) as Record<TableName, string>;
}
