/**
 * The CSV source. It reads the upstream's own tables, so a few files replace
 * thousands of responses.
 */

import { statSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import { formatValue } from '../contract/parse.ts';
import { ICONS_FOLDER, isUrl } from '../contract/paths.ts';
import { formatCount, listFirst, pluralize } from '../contract/words.ts';
import { describeReadFailure, GamedataError } from '../errors.ts';
import { readFile } from '../files.ts';
import { decodeText } from './body.ts';
import type { AcceptableResponse, Client } from './client.ts';
import { createFailedRecords, type FailedRecords } from './failed-records.ts';
import {
  checkIcons,
  fetchIconList,
  type IconList,
  readIconFolder,
} from './icon-list.ts';
import {
  type KindFields,
  normalize,
  type RawRecord,
  type RawRecords,
  sanitizeSlug,
  separateEnglishName,
} from './normalize.ts';
import {
  describeUnknownSkips,
  type Source,
  type SourceContext,
  type SourceResult,
} from './source.ts';

const DEFAULT_UPSTREAM =
  'https://raw.githubusercontent.com/PokeAPI/pokeapi/master/data/v2/csv';

/** The text of each table, by the name of the table. */
type TableTexts = Readonly<Record<string, string>>;

interface KindTable<K extends Kind> {
  /**
   * The columns to read from the kind's table, in addition to `id` and `identifier`.
   */
  readonly columns: readonly string[];
  /**
   * The columns to read from other tables with rows about the records, in addition to
   * the record's id.
   */
  readonly otherTables: Readonly<Record<string, readonly string[]>>;
  /**
   * Reads the fields specific to this kind.
   *
   * @param row the record's row in the kind's table
   * @param findRows finds the record's rows in another table
   */
  readFields(row: Row, findRows: FindRows): KindFields<K>;
}

type FindRows = (table: string) => readonly Row[];

const kinds: { readonly [K in Kind]: KindTable<K> } = {
  move: {
    columns: ['generation_id'],
    otherTables: {},
    readFields: readGeneration,
  },
  item: {
    columns: [],
    otherTables: { item_game_indices: ['generation_id', 'game_index'] },
    readFields: readItemFields,
  },
};

function readGeneration(row: Row): { generation: number } {
  return { generation: parseInteger(row, 'generation_id') };
}

function readItemFields(row: Row, findRows: FindRows): KindFields<'item'> {
  const gameIndices: KindFields<'item'>['gameIndices'][number][] = [];
  for (const indexRow of findRows('item_game_indices')) {
    const { generation } = readGeneration(indexRow);
    gameIndices.push({ generation, index: parseInteger(indexRow, 'game_index') });
  }
  const slug = sanitizeSlug(readIdentifier(row));
  return { gameIndices, sprite: deriveSpritePath(slug) };
}

/** Lists the columns to read from each table. A table may have more columns. */
function listColumns(): Record<string, readonly string[]> {
  const columns: Record<string, readonly string[]> = {};
  for (const kind of kindNames) {
    columns[pluralize(kind)] = ['id', 'identifier', ...kinds[kind].columns];
    columns[`${kind}_names`] = [`${kind}_id`, 'local_language_id', 'name'];
    for (const [table, names] of Object.entries(kinds[kind].otherTables)) {
      columns[table] = [`${kind}_id`, ...names];
    }
  }
  columns.languages = ['id', 'identifier'];
  return columns;
}

const columnsByTable: Readonly<Record<string, readonly string[]>> = listColumns();

export const tableNames = Object.keys(columnsByTable);

/**
 * Reads the tables, and then the icon list, because the tables do not show which
 * items have an icon. Both come either from a clone of the upstream's repository or
 * from URLs.
 */
export const csvSource: Source = async (context) => {
  const { upstream = DEFAULT_UPSTREAM, today } = context;
  if (isUrl(upstream)) return fetchDataSet(upstream, context);
  const { texts, captured } = readTables(upstream);
  return createResult(context, {
    texts,
    icons: readIconFolder(upstream),
    upstream: 'local files',
    // The clock that set the files' modification times may have been ahead, so we
    // limit the date to today.
    captured: captured < today ? captured : today,
  });
};

/** Reads the tables and the icon list from URLs. */
async function fetchDataSet(
  upstream: string,
  context: SourceContext,
): Promise<SourceResult> {
  // Reading a folder does not require undici, so we import it as late as possible.
  const { closeOnAbort, createClient } = await import('./client.ts');
  return closeOnAbort(createClient(context), context.signal, async (client) => {
    const texts = await fetchTables(client, upstream, context.onProgress);
    const icons = await fetchIconList(client, upstream, context);
    const { today: captured } = context;
    const result = createResult(context, { texts, icons, upstream, captured });
    return { ...result, requests: client.stats };
  });
}

/** The tables and icons, together with the origin to record in the data set. */
interface Tables {
  readonly texts: TableTexts;
  readonly icons: IconList;
  readonly upstream: string;
  /** The capture date in the form `YYYY-MM-DD`. */
  readonly captured: string;
}

/**
 * Creates the data set from tables and the icon list. The tables do not contain icons, so
 * each item first gets the icon that the upstream's rule derives. Then icons that do not
 * exist are removed.
 */
function createResult(
  { skip, previous }: SourceContext,
  { texts, icons, upstream, captured }: Tables,
): SourceResult {
  const { records, failed, notices } = parseRecords(texts, skip);
  const checked = checkIcons(records.item, icons, previous);
  const provenance = {
    source: 'csv',
    upstream,
    captured,
    edition: null,
    skipped: skip,
  } as const;
  return {
    dataSet: normalize({ ...records, item: checked.items }, provenance, failed),
    source: 'csv',
    isCopy: false,
    notices: [...notices, ...checked.notices],
  };
}

interface ParsedRecords {
  readonly records: RawRecords;
  /** The records that could not be parsed. */
  readonly failed: FailedRecords;
  readonly notices: readonly string[];
}

/**
 * Parses the records of all kinds. Rows that belong to no record are ignored with one
 * notice, because the tables may be from slightly different times.
 */
function parseRecords(
  texts: TableTexts,
  skip: SourceContext['skip'],
): ParsedRecords {
  const tables = mapKinds((kind) => parseTables(texts, kind));
  const listed = mapKinds((kind) => listIds(tables[kind]));
  const languages = parseLanguages(texts);
  const failed = createFailedRecords(skip);
  const records = mapKinds((kind) => {
    const skippedIds = skip?.[kind] ?? [];
    return parseKind(kind, tables[kind], languages, skippedIds, failed);
  });
  return {
    // The reader for a kind returns the fields of that kind. TypeScript cannot infer this.
    records: records as unknown as RawRecords,
    failed,
    notices: [...describeUnknownSkips(skip, listed), ...describeOrphans(tables)],
  };
}

/**
 * Parses the records of one kind, except for skipped ones. The rows about a record are in
 * several tables, which are joined by its id. A record that cannot be parsed is added to
 * the failed ones, so that one error names all of them.
 */
function parseKind(
  kind: Kind,
  tables: KindTables,
  languages: ReadonlyMap<string, string>,
  skippedIds: readonly number[],
  failed: FailedRecords,
): RawRecord[] {
  const rawRecords: RawRecord[] = [];
  for (const [id, rows] of tables.mainTable) {
    if (skippedIds.includes(id)) continue;
    const findRows: FindRows = (table) =>
      tables.otherTables.get(table)?.get(id) ?? [];
    // An id should have one row. If it has several, `normalize` rejects them later with
    // an error that names the records.
    for (const row of rows) {
      try {
        const names = readNames(findRows(`${kind}_names`), languages);
        const fields = kinds[kind].readFields(row, findRows);
        const slug = readIdentifier(row);
        rawRecords.push({ id, slug, ...separateEnglishName(names), ...fields });
      } catch (error) {
        failed.add(kind, id, error);
      }
    }
  }
  return rawRecords;
}

/** The rows of a table, by the id of their record. */
type RowsById = ReadonlyMap<number, readonly Row[]>;

/** The tables about the records of one kind. */
interface KindTables {
  /** The kind's own table, which lists every record. */
  readonly mainTable: RowsById;
  /** The other tables, by name. */
  readonly otherTables: ReadonlyMap<string, RowsById>;
}

function parseTables(texts: TableTexts, kind: Kind): KindTables {
  const mainTable = groupById(texts, pluralize(kind), 'id');
  const otherTables = new Map<string, RowsById>();
  for (const table of [`${kind}_names`, ...Object.keys(kinds[kind].otherTables)]) {
    otherTables.set(table, groupById(texts, table, `${kind}_id`));
  }
  return { mainTable, otherTables };
}

/** Lists the ids in a kind's own table. */
function listIds({ mainTable }: KindTables): { readonly id: number }[] {
  return Array.from(mainTable.keys(), (id) => ({ id }));
}

/**
 * Describes the rows that belong to no record, such as `item_names.csv row 17`, in one
 * notice.
 */
function describeOrphans(tables: Readonly<Record<Kind, KindTables>>): string[] {
  const locations: string[] = [];
  for (const kind of kindNames) {
    for (const { location } of listOrphanRows(tables[kind])) {
      locations.push(location);
    }
  }
  if (locations.length === 0) return [];
  const count = formatCount(locations.length, 'row');
  return [`ignored ${count} for records that do not exist: ${listFirst(locations)}`];
}

/** Lists the rows whose record is not in the kind's own table. */
function listOrphanRows({ mainTable, otherTables }: KindTables): Row[] {
  const orphanRows: Row[] = [];
  for (const rowsById of otherTables.values()) {
    for (const [id, rows] of rowsById) {
      if (mainTable.has(id)) continue;
      for (const row of rows) orphanRows.push(row);
    }
  }
  return orphanRows;
}

/** Maps language ids to their codes. */
function parseLanguages(texts: TableTexts): Map<string, string> {
  const languages = new Map<string, string>();
  for (const row of parseTable(texts, 'languages')) {
    languages.set(row.get('id'), readIdentifier(row));
  }
  return languages;
}

/**
 * Reads a record's names, by language. If a language has several names, the first
 * one wins.
 */
function readNames(
  rows: readonly Row[],
  languages: ReadonlyMap<string, string>,
): Record<string, string> {
  // We use an object without a prototype, because a language code may be the name of
  // an inherited property, such as `constructor`.
  const names: Record<string, string> = Object.create(null);
  for (const row of rows) {
    const languageId = row.get('local_language_id');
    const language = languages.get(languageId) ?? languageId;
    names[language] ??= row.get('name');
  }
  return names;
}

interface Row {
  /**
   * The location of the row for error messages, such as `items.csv row 17`. The
   * header is row 1.
   */
  readonly location: string;
  /** Returns the text in a column, or `''` if the table does not have the column. */
  get(column: string): string;
}

/**
 * Splits a table into cells.
 *
 * @param preview the number of rows to read; 0 reads all rows
 */
function splitCells(text: string, preview = 0): Papa.ParseResult<string[]> {
  const unixText = text.replace(/\r\n?/g, '\n');
  return Papa.parse<string[]>(unixText, { delimiter: ',', preview });
}

/** Returns undefined if a table has all columns that are read from it. */
function findColumnProblem(text: string, table: string): string | undefined {
  const [header = []] = splitCells(text, 1).data;
  const missingColumn = columnsByTable[table]?.find(
    (column) => !header.includes(column),
  );
  if (missingColumn === undefined) return undefined;
  return `got columns ${formatValue(header)}, expected a column called ${missingColumn}`;
}

/**
 * Parses a table with any type of line ending. The first row names the columns, and each
 * other row must have as many cells. Rows of empty cells are skipped.
 *
 * @throws GamedataError
 */
function parseTable(texts: TableTexts, table: string): Row[] {
  const nameRow = (index: number): string => `${table}.csv row ${index + 1}`;
  const { data, errors } = splitCells(texts[table] ?? '');
  const [error] = errors;
  if (error) {
    throw new GamedataError(
      'data',
      `${nameRow(error.row ?? 0)}: ${error.message}, expected CSV`,
    );
  }
  const [header = []] = data;
  const rows: Row[] = [];
  for (const [index, cells] of data.entries()) {
    const isHeader = index === 0;
    const isEmpty = cells.every((cell) => cell.trim() === '');
    if (isHeader || isEmpty) continue;
    const location = nameRow(index);
    if (cells.length !== header.length) {
      throw new GamedataError(
        'data',
        `${location}: got ${cells.length} cells, expected ${header.length}`,
      );
    }
    rows.push({ location, get: (column) => cells[header.indexOf(column)] ?? '' });
  }
  return rows;
}

/** Groups the rows of a table by the id in a column. */
function groupById(texts: TableTexts, table: string, column: string): RowsById {
  const groups = new Map<number, Row[]>();
  for (const row of parseTable(texts, table)) {
    const id = parseInteger(row, column);
    const group = groups.get(id);
    if (group) group.push(row);
    else groups.set(id, [row]);
  }
  return groups;
}

function parseInteger({ location, get }: Row, field: string): number {
  const text = get(field);
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new GamedataError(
    'data',
    `${location} › ${field}: got ${formatValue(text)}, expected an integer`,
  );
}

function readIdentifier({ location, get }: Row): string {
  const identifier = get('identifier');
  if (identifier !== '') return identifier;
  throw new GamedataError(
    'data',
    `${location} › identifier: got "", expected an identifier`,
  );
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
function readTables(folder: string): { texts: TableTexts; captured: string } {
  const texts: Record<string, string> = {};
  let newestMs = 0;
  for (const name of tableNames) {
    const file = path.join(folder, `${name}.csv`);
    const table = readTable(folder, name);
    const problem = findColumnProblem(table.text, name);
    if (problem !== undefined)
      throw new GamedataError('output', `${file}: ${problem}`);
    texts[name] = table.text;
    newestMs = Math.max(newestMs, table.modifiedMs);
  }
  const captured = new Date(newestMs).toISOString().slice(0, 10);
  return { texts, captured };
}

/** Reads a table from a file, and the time of its last change. */
function readTable(
  folder: string,
  name: string,
): { text: string; modifiedMs: number } {
  const file = path.join(folder, `${name}.csv`);
  try {
    const bytes = readFile(folder, `${name}.csv`, responseLimits.table);
    const { mtimeMs } = statSync(file);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, modifiedMs: mtimeMs };
  } catch (cause) {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    const failure =
      cause instanceof TypeError ? 'is not UTF-8' : describeReadFailure(cause);
    const problem = `${failure}, expected an upstream table`;
    throw new GamedataError('output', `${file}: ${problem}`, { cause });
  }
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
 * tables. So we bypass the caches and fetch the tables again until two passes return
 * the same tables. If the URL contains a commit, one pass is enough.
 *
 * @throws GamedataError if no pass returns the same tables as the pass before it
 */
async function fetchTables(
  client: Client,
  upstream: string,
  onProgress: SourceContext['onProgress'],
): Promise<TableTexts> {
  const { stats: requests } = client;
  const total = tableNames.length;
  const namesCommit = COMMIT.test(`${upstream}/`);
  let previousTexts: TableTexts = {};
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const texts: Record<string, string> = {};
    for (const [at, name] of tableNames.entries()) {
      texts[name] = await fetchTable(client, upstream, name, pass > 1);
      if (pass === 1) onProgress?.({ done: at + 1, total, requests });
    }
    const isRepeated = tableNames.every(
      (name) => texts[name] === previousTexts[name],
    );
    if (namesCommit || isRepeated) return texts;
    previousTexts = texts;
  }
  throw new GamedataError(
    'upstream',
    `GET ${upstream}/: got different tables in each of ${MAX_PASSES} reads, expected tables from one commit`,
  );
}

/** Fetches a table, and rejects error pages, which do not have the columns. */
function fetchTable(
  client: Client,
  upstream: string,
  name: string,
  mustBypassCaches: boolean,
): Promise<string> {
  const options = { mustBypassCaches, maxBytes: responseLimits.table };
  const accept = ({ body }: AcceptableResponse): string => {
    const text = decodeText(body);
    const problem = findColumnProblem(text, name);
    if (problem !== undefined) throw new GamedataError('data', problem);
    return text;
  };
  return client.get(`${upstream}/${name}.csv`, accept, options);
}
