/** The CSV source: makes the records from the upstream's own tables, six files instead of three thousand responses. */

import { statSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { show } from '../contract/parse.ts';
import { DataError, errorCode, OutputError, UpstreamError } from '../errors.ts';
import { readFile } from '../files.ts';
import { decodeText } from '../http/body.ts';
import { type Codec, type Fetcher, withFetcher } from '../http/fetcher.ts';
import { adaptSlug, normalize, type OwnOf, type RawOf, type RawRecords, splitNames } from './normalize.ts';
import { refuseUnknownSkips } from './skip.ts';
import { isAddress, type Source, type SourceContext } from './source.ts';

/** The live upstream's tables. */
const DEFAULT_UPSTREAM = 'https://raw.githubusercontent.com/PokeAPI/pokeapi/master/data/v2/csv';

/** Table → the columns that are read. */
const columns = {
  moves: ['id', 'identifier', 'generation_id'],
  move_names: ['move_id', 'local_language_id', 'name'],
  items: ['id', 'identifier'],
  item_names: ['item_id', 'local_language_id', 'name'],
  languages: ['id', 'identifier'],
  item_game_indices: ['item_id', 'generation_id', 'game_index'],
} as const;
type TableName = keyof typeof columns;
type Column = (typeof columns)[TableName][number];
export const tableNames = Object.keys(columns) as readonly TableName[];

/** Table → its text. */
export type TableTexts = Readonly<Record<TableName, string>>;

/** Kind → its table, and how the fields of its own are read from a row there, once those tables are known that refer to it. */
const kinds: {
  readonly [K in Kind]: {
    readonly table: TableName;
    reader(texts: TableTexts, ids: ReadonlySet<number>): (row: Row) => OwnOf<K>;
  };
} = {
  move: {
    table: 'moves',
    reader: () => (row) => ({ generation: integerIn(row, 'generation_id') }),
  },
  item: {
    table: 'items',
    reader(texts, ids) {
      const indices = rowsById(texts, 'item_game_indices', 'item_id', ids);
      return (row) => ({
        gameIndices: (indices.get(integerIn(row, 'id')) ?? []).map((own) => ({
          generation: integerIn(own, 'generation_id'),
          index: integerIn(own, 'game_index'),
        })),
        sprite: spritePath(adaptSlug(identifierIn(row))),
      });
    },
  },
};

export const csv: Source = {
  name: 'csv',
  async load(context) {
    const { upstream = DEFAULT_UPSTREAM, today, skip, hasNames } = context;
    const made = (texts: TableTexts, from: { upstream: string; captured: string }) => {
      const raw = readCsv(texts);
      refuseUnknownSkips(skip, raw);
      const provenance = { source: 'csv', ...from, edition: null, ...(skip && { skipped: skip }) } as const;
      return { dataSet: normalize(raw, provenance, hasNames), source: 'csv' } as const;
    };
    if (!isAddress(upstream)) {
      const { texts, captured } = readTables(upstream);
      return made(texts, { upstream: 'local files', captured });
    }
    return withFetcher(context, { upstream, version: 'csv' }, async (fetcher) => ({
      ...made(await fetchTables(upstream, { ...context, fetcher }), { upstream, captured: today }),
      requests: fetcher.stats,
    }));
  },
};

/** Throws `DataError` if a table is invalid, or refers to a record that does not exist. */
export function readCsv(texts: TableTexts): RawRecords {
  const languages = new Map(rowsOf(texts, 'languages').map((row) => [row.cells.id, identifierIn(row)]));
  return mapKinds((kind) => readKind(kind, texts, languages)) as RawRecords;
}

function readKind<K extends Kind>(
  kind: K,
  texts: TableTexts,
  languages: ReadonlyMap<string, string>,
): RawOf<K>[] {
  const rows = rowsOf(texts, kinds[kind].table);
  const ids = new Set(rows.map((row) => integerIn(row, 'id')));
  const names = rowsById(texts, `${kind}_names`, `${kind}_id`, ids);
  const ownFields = kinds[kind].reader(texts, ids);
  return rows.map((row) => {
    const id = integerIn(row, 'id');
    // Of several names in a language, the first counts.
    const first: Record<string, string> = Object.create(null);
    for (const { cells } of names.get(id) ?? []) {
      const { local_language_id: language, name } = cells;
      first[languages.get(language) ?? language] ??= name;
    }
    return { id, slug: identifierIn(row), ...splitNames(first), ...ownFields(row) };
  });
}

interface Row {
  readonly table: TableName;
  readonly cells: Readonly<Record<Column, string>>;
}

/** Throws `DataError` if the text is not CSV, a row has the wrong number of fields, or a column is missing. */
function rowsOf(texts: TableTexts, table: TableName): Row[] {
  const { data, errors, meta } = Papa.parse<Row['cells']>(texts[table], {
    delimiter: ',',
    header: true,
    skipEmptyLines: true,
  });
  const [error] = errors;
  if (error) {
    // Rows with the wrong number of fields are counted from the first below the header.
    const row = (error.row ?? 0) + (error.type === 'FieldMismatch' ? 2 : 1);
    throw new DataError(`${error.message} in row ${row}: expected CSV`, { record: `${table}.csv` });
  }
  const { fields = [] } = meta;
  for (const field of columns[table])
    if (!fields.includes(field))
      throw new DataError(`got columns ${show(fields)}: expected one called ${field}`, {
        record: `${table}.csv`,
        field,
      });
  return data.map((cells) => ({ table, cells }));
}

/** The rows about each record. One about a record that does not exist means that the tables do not belong together. */
function rowsById(
  texts: TableTexts,
  table: TableName,
  key: Column,
  ids: ReadonlySet<number>,
): ReadonlyMap<number, Row[]> {
  const rows = new Map<number, Row[]>();
  for (const row of rowsOf(texts, table)) {
    const id = integerIn(row, key);
    const known = rows.get(id);
    if (known) known.push(row);
    else rows.set(id, [row]);
  }
  const orphans = [...rows.keys()].filter((id) => !ids.has(id)).sort((a, b) => a - b);
  if (orphans.length === 0) return rows;
  throw new DataError(
    `got rows for unknown ids: ${orphans.slice(0, 10).join(', ')}: expected tables of the same date`,
    { record: `${table}.csv` },
  );
}

function integerIn(row: Row, field: Column): number {
  const text = row.cells[field];
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  const problem = `got ${show(text)} in row ${show(Object.values(row.cells))}: expected an integer`;
  throw new DataError(problem, { record: `${row.table}.csv`, field });
}

function identifierIn(row: Row): string {
  const { identifier } = row.cells;
  if (identifier !== '') return identifier;
  const location = { record: `${row.table}.csv`, field: 'identifier' };
  throw new DataError(`got row ${Object.values(row.cells).join(',')}: expected an identifier`, location);
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

/**
 * Reads every table, and the modification date of the newest, `YYYY-MM-DD`.
 *
 * @throws OutputError if one cannot be read, or is not UTF-8
 */
function readTables(folder: string): { texts: TableTexts; captured: string } {
  let newest = 0;
  const texts = tableNames.map((name) => {
    const file = `${name}.csv`;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFile(folder, file));
      newest = Math.max(newest, statSync(path.join(folder, file)).mtimeMs);
      return [name, text] as const;
    } catch (cause) {
      const reason = cause instanceof TypeError ? 'not UTF-8' : errorCode(cause);
      const problem = `cannot be read (${reason}), expected a table of the upstream`;
      throw new OutputError(problem, path.join(folder, file), { cause });
    }
  });
  return {
    texts: Object.fromEntries(texts) as TableTexts,
    captured: new Date(newest).toISOString().slice(0, 10),
  };
}

interface FetchOptions extends Pick<SourceContext, 'onProgress'> {
  readonly fetcher: Fetcher;
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
async function fetchTables(upstream: string, options: FetchOptions): Promise<TableTexts> {
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
