/**
 * The CSV source. It reads the upstream's own tables, so a few files replace
 * thousands of responses.
 */

import { statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Papa from 'papaparse';
import * as z from 'zod';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { ICONS_FOLDER, isUrl } from '../contract/paths.ts';
import { MAX_SLUG_LENGTH } from '../contract/records.ts';
import { pluralize } from '../contract/words.ts';
import { describeReadFailure, GamedataError, isExpected } from '../errors.ts';
import { readFile } from '../files.ts';
import { decodeText } from './body.ts';
import { type AcceptableResponse, type Client, withClient } from './client.ts';
import { createFailedRecords, type FailedRecords } from './failed-records.ts';
import { fetchIconList, type IconList, readIconFolder } from './icon-list.ts';
import {
  collectNames,
  type KindFields,
  type NameInLanguage,
  normalize,
  type RawRecord,
  type RawRecords,
  sanitizeSlug,
} from './normalize.ts';
import {
  describeUnknownSkips,
  omitSkipped,
  type Source,
  type SourceContext,
  type SourceResult,
} from './source.ts';

const DEFAULT_UPSTREAM =
  'https://raw.githubusercontent.com/PokeAPI/pokeapi/master/data/v2/csv';

/** The cells of a row that we read, by column name. */
type Row = Readonly<Record<string, string>>;

/** The rows of each table, by table name. */
type Tables = Readonly<Record<string, readonly Row[]>>;

/** The columns that we read from each table. A table may have more columns. */
const columnsByTable: Readonly<Record<string, readonly string[]>> = {
  moves: ['id', 'identifier', 'generation_id'],
  move_names: ['move_id', 'local_language_id', 'name'],
  items: ['id', 'identifier'],
  item_names: ['item_id', 'local_language_id', 'name'],
  item_game_indices: ['item_id', 'generation_id', 'game_index'],
  languages: ['id', 'identifier'],
};

export const tableNames = Object.keys(columnsByTable);

/**
 * The tables with rows about the records of a kind, in addition to the kind's own
 * table. Their first column contains the record's id.
 */
const otherTables: Readonly<Record<Kind, readonly string[]>> = {
  move: ['move_names'],
  item: ['item_names', 'item_game_indices'],
};

const integer = z
  .string()
  .regex(/^\d{1,15}$/, 'expected an integer')
  .transform(Number);

const idSchema = z.object({ id: integer });
const identifierSchema = z.object({
  identifier: z.string().min(1, 'expected an identifier').max(MAX_SLUG_LENGTH),
});

const gameIndexSchema = z
  .object({ generation_id: integer, game_index: integer })
  .transform((row) => ({ generation: row.generation_id, index: row.game_index }));

/**
 * The fields specific to each kind. They are read from the record's row, to which its
 * rows in each other table have been added.
 */
const fieldSchemas: { readonly [K in Kind]: z.ZodType<KindFields<K>> } = {
  move: z
    .object({ generation_id: integer })
    .transform((row) => ({ generation: row.generation_id })),
  item: z
    .object({ identifier: z.string(), item_game_indices: z.array(gameIndexSchema) })
    .transform((row) => ({
      gameIndices: row.item_game_indices,
      sprite: deriveSpritePath(sanitizeSlug(row.identifier)),
    })),
};

/**
 * Reads the tables, and then the icon list, because the tables do not show which
 * items have an icon. Both come either from a clone of the upstream's repository or
 * from URLs.
 */
export const csvSource: Source = async (context) => {
  const { upstream = DEFAULT_UPSTREAM, today, previous } = context;
  if (isUrl(upstream)) return fetchDataSet(upstream, context);
  const { tables, captured } = readTables(upstream);
  return createResult(context, {
    tables,
    icons: readIconFolder(upstream, previous),
    upstream: 'local files',
    // The clock that set the files' modification times may have been ahead, so we
    // limit the date to today.
    captured: captured < today ? captured : today,
  });
};

/** Reads the tables and the icon list from URLs. */
function fetchDataSet(
  upstream: string,
  context: SourceContext,
): Promise<SourceResult> {
  return withClient(context, async (client) => {
    const tables = await fetchTables(client, upstream, context.onProgress);
    const icons = await fetchIconList(client, upstream, context);
    const result = createResult(context, {
      tables,
      icons,
      upstream,
      captured: context.today,
    });
    return { ...result, requests: client.stats };
  });
}

/** The tables and icons, together with the origin to record in the data set. */
interface Upstream {
  readonly tables: Tables;
  readonly icons: IconList;
  readonly upstream: string;
  /** The capture date in the form `YYYY-MM-DD`. */
  readonly captured: string;
}

/**
 * Creates the data set from the tables and the icon list. The tables do not contain
 * icons, so each item first gets the icon that the upstream's rule derives, and then
 * keeps it only if the icon exists.
 */
function createResult(
  { skip }: SourceContext,
  { tables, icons, upstream, captured }: Upstream,
): SourceResult {
  const joinedRecords = mapKinds((kind) => joinTables(kind, tables));
  const wantedRecords = omitSkipped(joinedRecords, skip);
  const languages = readLanguages(tables);
  // Collects the records that cannot be parsed or normalized. `normalize` then throws one
  // error that names all of them.
  const failed = createFailedRecords(skip);
  // The schema of a kind returns the fields of that kind. TypeScript cannot infer this.
  const records = mapKinds((kind) =>
    parseRecords(kind, wantedRecords[kind], languages, failed),
  ) as unknown as RawRecords;
  const items = records.item.map((item) => ({
    ...item,
    sprite: icons.findIcon(item),
  }));
  const provenance = {
    source: 'csv',
    upstream,
    captured,
    edition: null,
    skipped: skip,
  } as const;
  return {
    dataSet: normalize({ ...records, item: items }, provenance, failed),
    source: 'csv',
    isCopy: false,
    notices: [...describeUnknownSkips(skip, joinedRecords), ...icons.notices],
  };
}

/** The rows about one record. */
interface JoinedRecord {
  readonly id: number;
  /** The record's row in the kind's own table. */
  readonly row: Row;
  /** The record's rows in each other table, by table name. */
  readonly otherRows: Readonly<Record<string, Row[]>>;
}

/**
 * Joins the tables of a kind. Each row of the kind's own table is a record, to which
 * the rows about that record in the other tables are added. If two records have the
 * same id, `normalize` rejects them later with an error that names both.
 *
 * @throws GamedataError if a row belongs to no record
 */
function joinTables(kind: Kind, tables: Tables): JoinedRecord[] {
  const ownTable = pluralize(kind);
  const records: JoinedRecord[] = [];
  const recordsById = new Map<string | undefined, JoinedRecord>();
  for (const row of tables[ownTable] ?? []) {
    const { id } = parse(idSchema, row, { record: `${ownTable}.csv` });
    const otherRows: Record<string, Row[]> = {};
    for (const table of otherTables[kind]) otherRows[table] = [];
    const record = { id, row, otherRows };
    records.push(record);
    recordsById.set(row.id, record);
  }
  for (const table of otherTables[kind]) {
    for (const row of tables[table] ?? []) {
      const id = row[`${kind}_id`];
      const record = recordsById.get(id);
      if (!record) {
        const problem = `got ${formatValue(id)}, expected an id in ${ownTable}.csv`;
        throw new GamedataError('data', `${table}.csv › ${kind}_id: ${problem}`);
      }
      record.otherRows[table]?.push(row);
    }
  }
  return records;
}

/** The language codes, by the ids of the languages in the tables. */
type Languages = ReadonlyMap<string | undefined, string>;

/**
 * Parses the records of a kind. Adds each record that cannot be parsed to the failed
 * records, so that one error names all of them.
 */
function parseRecords(
  kind: Kind,
  joinedRecords: readonly JoinedRecord[],
  languages: Languages,
  failed: FailedRecords,
): RawRecord[] {
  const records: RawRecord[] = [];
  for (const { id, row, otherRows } of joinedRecords) {
    const location = { kind, record: String(id) };
    try {
      const { identifier: slug } = parse(identifierSchema, row, location);
      const fields = parse(fieldSchemas[kind], { ...row, ...otherRows }, location);
      const names = readNames(otherRows[`${kind}_names`] ?? [], languages);
      records.push({ id, slug, ...collectNames(names), ...fields });
    } catch (error) {
      failed.add(kind, id, error);
    }
  }
  return records;
}

function readNames(rows: readonly Row[], languages: Languages): NameInLanguage[] {
  return rows.map(({ local_language_id: languageId = '', name = '' }) => ({
    language: languages.get(languageId) ?? languageId,
    name,
  }));
}

function readLanguages(tables: Tables): Languages {
  const languages = new Map<string | undefined, string>();
  for (const row of tables.languages ?? []) {
    const location = { record: 'languages.csv' };
    const { identifier } = parse(identifierSchema, row, location);
    languages.set(row.id, identifier);
  }
  return languages;
}

/**
 * Parses a table. The first row names the columns, and each other row must have as many
 * cells. Rows that contain only empty cells are skipped.
 *
 * @throws GamedataError if the text is not this table, for example because it is an
 * error page
 */
function parseTable(table: string, text: string): Row[] {
  const columns = columnsByTable[table] ?? [];
  // Many people edit the tables, so one table may have several kinds of line endings.
  const unixText = text.replace(/\r\n?/g, '\n');
  const { data, errors } = Papa.parse<string[]>(unixText, { delimiter: ',' });
  const [header = []] = data;
  const missingColumn = columns.find((column) => !header.includes(column));
  if (missingColumn !== undefined) {
    const got = `got columns ${formatValue(header)}`;
    throw new GamedataError(
      'data',
      `${got}, expected a column called ${missingColumn}`,
    );
  }
  const [error] = errors;
  if (error) {
    const row = (error.row ?? 0) + 1;
    throw new GamedataError('data', `row ${row}: ${error.message}, expected CSV`);
  }
  const rows: Row[] = [];
  for (const [index, cells] of data.entries()) {
    const isHeader = index === 0;
    const isEmpty = cells.every((cell) => cell.trim() === '');
    if (isHeader || isEmpty) continue;
    if (cells.length !== header.length) {
      const problem = `got ${cells.length} cells, expected ${header.length}`;
      throw new GamedataError('data', `row ${index + 1}: ${problem}`);
    }
    const row: Record<string, string> = {};
    for (const column of columns) row[column] = cells[header.indexOf(column)] ?? '';
    rows.push(row);
  }
  return rows;
}

/**
 * Derives an item's icon with the same rule as the upstream's server, because the
 * tables do not contain icons. All data cards share one icon. All technical machines
 * (`tm01`) share another icon, and so do all hidden machines (`hm01`).
 */
function deriveSpritePath(slug: string): string {
  let name = slug;
  if (slug.startsWith('data-card')) name = 'data-card';
  if (/^[th]m\d/.test(slug)) name = `${slug.slice(0, 2)}-normal`;
  return `${ICONS_FOLDER}${name}.png`;
}

/**
 * Reads the tables from a folder. The capture date is the modification date of the
 * newest table.
 */
function readTables(folder: string): { tables: Tables; captured: string } {
  const tables: Record<string, readonly Row[]> = {};
  let newestMs = 0;
  for (const table of tableNames) {
    const file = path.join(folder, `${table}.csv`);
    try {
      const body = readFile(folder, `${table}.csv`, responseLimits.table);
      tables[table] = parseTable(table, decodeText(body));
      newestMs = Math.max(newestMs, statSync(file).mtimeMs);
    } catch (cause) {
      // The file was read, but it does not contain the table.
      if (isExpected(cause, 'data')) {
        throw new GamedataError('data', `${file}: ${cause.message}`, { cause });
      }
      const problem = `${describeReadFailure(cause)}, expected an upstream table`;
      throw new GamedataError('output', `${file}: ${problem}`, { cause });
    }
  }
  const captured = new Date(newestMs).toISOString().slice(0, 10);
  return { tables, captured };
}

/**
 * Matches a URL that contains a commit hash. The tables in a commit never change.
 */
const COMMIT = /\/[0-9a-f]{40}\//;

const MAX_PASSES = 4;

/**
 * Fetches all tables from one commit.
 *
 * A branch may move while its tables are being fetched, and caches may return older
 * tables. So we bypass the caches and fetch the tables again until two passes in a row
 * return the same tables. If the URL contains a commit, one pass is enough.
 *
 * @throws GamedataError if no pass returns the same tables as the pass before it
 */
async function fetchTables(
  client: Client,
  upstream: string,
  onProgress: SourceContext['onProgress'],
): Promise<Tables> {
  const { stats: requests } = client;
  const total = tableNames.length;
  const isUrlOfCommit = COMMIT.test(`${upstream}/`);
  let previousTables: Tables = {};
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const isFirstPass = pass === 1;
    const tables: Record<string, readonly Row[]> = {};
    for (const [at, table] of tableNames.entries()) {
      const options = { mustBypassCaches: !isFirstPass };
      tables[table] = await fetchTable(client, upstream, table, options);
      if (isFirstPass) onProgress?.({ done: at + 1, total, requests });
    }
    const isRepeated = isDeepStrictEqual(tables, previousTables);
    if (isUrlOfCommit || isRepeated) return tables;
    previousTables = tables;
  }
  throw new GamedataError(
    'upstream',
    `GET ${upstream}/: got different tables in each of ${MAX_PASSES} reads, expected tables from one commit`,
  );
}

/** Fetches a table. */
function fetchTable(
  client: Client,
  upstream: string,
  table: string,
  { mustBypassCaches }: { readonly mustBypassCaches: boolean },
): Promise<Row[]> {
  // If the response is not this table, `parseTable` throws, and the client requests the
  // table again.
  const accept = ({ body }: AcceptableResponse): Row[] =>
    parseTable(table, decodeText(body));
  return client.get(`${upstream}/${table}.csv`, accept, {
    mustBypassCaches,
    maxBytes: responseLimits.table,
  });
}
