/** The CSV source: makes the records from the upstream's own tables, a few files instead of thousands of responses. */

import { statSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import { formatValue } from '../contract/parse.ts';
import { ICONS_FOLDER } from '../contract/paths.ts';
import { DataError, errorCode, OutputError, UpstreamError } from '../errors.ts';
import { readFile } from '../files.ts';
import { decodeText } from '../http/body.ts';
import { type Codec, type Fetcher, withFetcher } from '../http/fetcher.ts';
import { type KindFields, normalize, type RawRecords, sanitizeSlug, splitNames } from './normalize.ts';
import { assertSkipsExist, isUrl, type Source, type SourceContext } from './source.ts';

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

type TableTexts = Readonly<Record<TableName, string>>;

/** Kind → its table, and how the fields of its own are read from a row there, once those tables are known that refer to it. */
const kinds: {
  readonly [K in Kind]: {
    readonly table: TableName;
    reader(texts: TableTexts, ids: ReadonlySet<number>): (row: Row) => KindFields<K>;
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
        sprite: spritePath(sanitizeSlug(identifierIn(row))),
      });
    },
  },
};

export const csv: Source = async (context) => {
  const { upstream = DEFAULT_UPSTREAM, today, skip, hasNames, onProgress } = context;
  const made = (texts: TableTexts, from: { upstream: string; captured: string }) => {
    const raw = readCsv(texts);
    assertSkipsExist(skip, raw);
    const provenance = { source: 'csv', ...from, edition: null, skipped: skip } as const;
    return { dataSet: normalize(raw, provenance, hasNames), source: 'csv' } as const;
  };
  if (!isUrl(upstream)) {
    const { texts, captured } = readTables(upstream);
    // Their clock may have run ahead.
    return made(texts, { upstream: 'local files', captured: captured < today ? captured : today });
  }
  return withFetcher(context, { upstream, version: 'csv' }, async (fetcher) => ({
    ...made(await fetchTables(fetcher, upstream, onProgress), { upstream, captured: today }),
    requests: fetcher.stats,
  }));
};

/** Throws `DataError` if a table is invalid, or refers to a record that does not exist. */
function readCsv(texts: TableTexts): RawRecords {
  const languages = new Map(rowsOf(texts, 'languages').map((row) => [row.cells.id, identifierIn(row)]));
  return mapKinds((kind) => {
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
  }) as unknown as RawRecords;
}

interface Row {
  readonly table: TableName;
  readonly cells: Readonly<Record<Column, string>>;
}

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
    throw new DataError(`${error.message} in row ${row}, expected CSV`, { record: `${table}.csv` });
  }
  const { fields = [] } = meta;
  const field = columns[table].find((name) => !fields.includes(name));
  if (field === undefined) return data.map((cells) => ({ table, cells }));
  const problem = `got columns ${formatValue(fields)}, expected one called ${field}`;
  throw new DataError(problem, { record: `${table}.csv`, field });
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
  const problem = `got rows for unknown ids: ${orphans.slice(0, 10).join(', ')}, expected tables of the same date`;
  throw new DataError(problem, { record: `${table}.csv` });
}

function integerIn(row: Row, field: Column): number {
  const text = row.cells[field];
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  const problem = `got ${formatValue(text)} in row ${formatValue(Object.values(row.cells))}, expected an integer`;
  throw new DataError(problem, { record: `${row.table}.csv`, field });
}

function identifierIn(row: Row): string {
  const { identifier } = row.cells;
  if (identifier !== '') return identifier;
  const location = { record: `${row.table}.csv`, field: 'identifier' };
  throw new DataError(`got row ${Object.values(row.cells).join(',')}, expected an identifier`, location);
}

/** The tables contain no icons; the upstream's server derives their paths by this rule. */
const spritePath = (slug: string): string =>
  `${ICONS_FOLDER}${slug.replace(/^(data-card).*/, '$1').replace(/^([th]m)\d.*/, '$1-normal')}.png`;

/** Every table, and the modification date of the newest. Throws `OutputError` if one cannot be read, or is not UTF-8. */
function readTables(folder: string): { texts: TableTexts; captured: string } {
  let newest = 0;
  const texts = tableNames.map((name) => {
    const file = `${name}.csv`;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(
        readFile(folder, file, responseLimits.table),
      );
      newest = Math.max(newest, statSync(path.join(folder, file)).mtimeMs);
      return [name, text] as const;
    } catch (cause) {
      const reason = cause instanceof TypeError ? 'not UTF-8' : errorCode(cause);
      const problem = `cannot be read (${reason}), expected a table of the upstream`;
      throw new OutputError(problem, path.join(folder, file), { cause });
    }
  });
  const captured = new Date(newest).toISOString().slice(0, 10);
  return { texts: Object.fromEntries(texts) as TableTexts, captured };
}

/** A path inside a commit, whose files never change. */
const COMMIT = /\/[0-9a-f]{40}\//;

/** How often the tables are read to find them unchanged. */
const MAX_PASSES = 4;

const codec: Codec<string> = {
  decode: decodeText,
  revive: (cached) => (typeof cached === 'string' ? cached : undefined),
};

/** All of one state: unless the URL names a commit, they are read again, past the caches on the way, until none has changed. */
async function fetchTables(
  fetcher: Fetcher,
  upstream: string,
  onProgress: SourceContext['onProgress'],
): Promise<TableTexts> {
  const { stats: requests, getRetryStatus: waiting } = fetcher;
  let before: Partial<TableTexts> = {};
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const texts = {} as Record<TableName, string>;
    for (const [at, name] of tableNames.entries()) {
      const url = `${upstream}/${name}.csv`;
      const again = pass === 1 ? {} : { urlOverride: `${url}?edition=${Date.now()}`, revalidate: true };
      const options = { ...again, maxBytes: responseLimits.table };
      texts[name] = (await fetcher.load(url, codec, options)).value;
      if (pass === 1) onProgress?.({ done: at + 1, total: tableNames.length, requests, waiting });
    }
    if (COMMIT.test(`${upstream}/`) || tableNames.every((name) => texts[name] === before[name])) return texts;
    before = texts;
  }
  throw new UpstreamError(
    `got tables that changed whenever they were read, ${MAX_PASSES} times, expected tables of one commit`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: 'Try again later, or name a commit in the URL instead of a branch.' },
  );
}
