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
  createIconChooser,
  fetchIconList,
  type IconChooser,
  type IconList,
  readIconFolder,
} from './icon-list.ts';
import {
  type KindFields,
  normalize,
  type RawRecord,
  type RawRecords,
  sanitizeSlug,
  splitNames,
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

interface ReaderContext {
  readonly texts: TableTexts;
  /** The records of this kind. */
  readonly wanted: WantedRecords;
  readonly icons: IconChooser;
}

/** The records of a kind, which decide about the rows of other tables. */
interface WantedRecords {
  /** The ids of all records that the kind's table lists. */
  readonly ids: ReadonlySet<number>;
  readonly skippedIds: readonly number[];
  /** The rows that belong to no record, such as `item_names.csv row 17`. */
  readonly orphanRows: string[];
}

interface KindTable<K extends Kind> {
  /**
   * The columns to read from the kind's table, in addition to `id` and `identifier`.
   */
  readonly columns: readonly string[];
  /** Creates a function that reads the fields specific to this kind from a row. */
  createReader(context: ReaderContext): (row: Row) => KindFields<K>;
}

const kinds: { readonly [K in Kind]: KindTable<K> } = {
  move: { columns: ['generation_id'], createReader: () => readGeneration },
  item: { columns: [], createReader: createItemReader },
};

const readGeneration = (row: Row): { generation: number } => ({
  generation: parseInteger(row, 'generation_id'),
});

function createItemReader({
  texts,
  wanted,
  icons,
}: ReaderContext): (row: Row) => KindFields<'item'> {
  const indexRows = groupById(texts, 'item_game_indices', 'item_id', wanted);
  return (row) => {
    const id = parseInteger(row, 'id');
    const gameIndices: KindFields<'item'>['gameIndices'][number][] = [];
    for (const indexRow of indexRows.get(id) ?? []) {
      const { generation } = readGeneration(indexRow);
      gameIndices.push({ generation, index: parseInteger(indexRow, 'game_index') });
    }
    const slug = sanitizeSlug(readIdentifier(row));
    const sprite = icons.choose(slug, deriveSpritePath(slug));
    return { gameIndices, sprite };
  };
}

/** Lists the columns to read from each table. A table may have more columns. */
function listColumns(): Record<string, readonly string[]> {
  const columns: Record<string, readonly string[]> = {};
  for (const kind of kindNames) {
    columns[pluralize(kind)] = ['id', 'identifier', ...kinds[kind].columns];
    columns[`${kind}_names`] = [`${kind}_id`, 'local_language_id', 'name'];
  }
  columns.languages = ['id', 'identifier'];
  columns.item_game_indices = ['item_id', 'generation_id', 'game_index'];
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

function createResult(
  context: SourceContext,
  { texts, icons, upstream, captured }: Tables,
): SourceResult {
  const { skip } = context;
  const chooser = createIconChooser(icons, context);
  const failed = createFailedRecords(skip);
  const parsed = parseRecords(texts, chooser, failed, skip);
  const provenance = {
    source: 'csv',
    upstream,
    captured,
    edition: null,
    skipped: skip,
  } as const;
  return {
    dataSet: normalize(parsed.records, provenance, failed),
    source: 'csv',
    isCopy: false,
    notices: [...parsed.notices, ...chooser.notices()],
  };
}

interface ParsedRecords {
  readonly records: RawRecords;
  readonly notices: readonly string[];
}

/**
 * Joins each kind's table with its name table and with the tables that contain its
 * other fields. Rows of skipped records are dropped before their cells are parsed. Rows
 * that belong to no record are ignored with one notice, because the tables may be from
 * slightly different times.
 */
function parseRecords(
  texts: TableTexts,
  icons: IconChooser,
  failed: FailedRecords,
  skip: SourceContext['skip'],
): ParsedRecords {
  const languages = parseLanguages(texts);
  const orphanRows: string[] = [];
  const listed = mapKinds((): { readonly id: number }[] => []);
  const records = mapKinds((kind) => {
    const rows = new Map<Row, number>();
    for (const row of parseTable(texts, pluralize(kind))) {
      rows.set(row, parseInteger(row, 'id'));
    }
    const ids = new Set(rows.values());
    for (const id of ids) listed[kind].push({ id });
    const skippedIds = skip?.[kind] ?? [];
    const wanted: WantedRecords = { ids, skippedIds, orphanRows };
    const nameRows = groupById(texts, `${kind}_names`, `${kind}_id`, wanted);
    const readFields = kinds[kind].createReader({ texts, wanted, icons });
    const rawRecords: RawRecord[] = [];
    for (const [row, id] of rows) {
      if (skippedIds.includes(id)) continue;
      try {
        const names = splitNames(readNames(nameRows.get(id) ?? [], languages));
        const slug = readIdentifier(row);
        rawRecords.push({ id, slug, ...names, ...readFields(row) });
      } catch (error) {
        failed.add(kind, id, error);
      }
    }
    return rawRecords;
  });
  return {
    // Each reader returns the fields of its own kind, which TypeScript cannot infer.
    records: records as unknown as RawRecords,
    notices: [...describeUnknownSkips(skip, listed), ...describeOrphans(orphanRows)],
  };
}

function describeOrphans(rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  const count = formatCount(rows.length, 'row');
  return [`ignored ${count} for records that do not exist: ${listFirst(rows)}`];
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
  readonly record: string;
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

function findColumnProblem(text: string, table: string): string | undefined {
  const [header = []] = splitCells(text, 1).data;
  const missingColumn = columnsByTable[table]?.find(
    (column) => !header.includes(column),
  );
  if (missingColumn === undefined) return undefined;
  return `got columns ${formatValue(header)}, expected a column called ${missingColumn}`;
}

/**
 * Parses a table with any type of line ending. Rows of empty cells are skipped.
 *
 * @throws GamedataError
 */
function parseTable(texts: TableTexts, table: string): Row[] {
  const nameRow = (at: number): string => `${table}.csv row ${at + 1}`;
  const { data, errors } = splitCells(texts[table] ?? '');
  const [error] = errors;
  if (error) {
    throw new GamedataError(
      'data',
      `${nameRow(error.row ?? 0)}: ${error.message}, expected CSV`,
    );
  }
  const [header = [], ...contentRows] = data;
  const rows: Row[] = [];
  for (const [at, cells] of contentRows.entries()) {
    const isEmpty = cells.every((cell) => cell.trim() === '');
    if (isEmpty) continue;
    // The header is the first row, so we add 1.
    const record = nameRow(at + 1);
    if (cells.length !== header.length) {
      throw new GamedataError(
        'data',
        `${record}: got ${cells.length} cells, expected ${header.length}`,
      );
    }
    rows.push({ record, get: (column) => cells[header.indexOf(column)] ?? '' });
  }
  return rows;
}

/** Groups the rows of wanted records by id. */
function groupById(
  texts: TableTexts,
  table: string,
  column: string,
  { ids, skippedIds, orphanRows }: WantedRecords,
): ReadonlyMap<number, readonly Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of parseTable(texts, table)) {
    const id = parseInteger(row, column);
    if (skippedIds.includes(id)) continue;
    if (!ids.has(id)) {
      orphanRows.push(row.record);
      continue;
    }
    const group = groups.get(id);
    if (group) group.push(row);
    else groups.set(id, [row]);
  }
  return groups;
}

function parseInteger({ record, get }: Row, field: string): number {
  const text = get(field);
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new GamedataError(
    'data',
    `${record} › ${field}: got ${formatValue(text)}, expected an integer`,
  );
}

function readIdentifier({ record, get }: Row): string {
  const identifier = get('identifier');
  if (identifier !== '') return identifier;
  throw new GamedataError(
    'data',
    `${record} › identifier: got "", expected an identifier`,
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
  isPastCaches: boolean,
): Promise<string> {
  const options = { isPastCaches, maxBytes: responseLimits.table };
  const accept = ({ body }: AcceptableResponse): string => {
    const text = decodeText(body);
    const problem = findColumnProblem(text, name);
    if (problem !== undefined) throw new GamedataError('data', problem);
    return text;
  };
  return client.get(`${upstream}/${name}.csv`, accept, options);
}
