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
import { pluralize } from '../contract/words.ts';
import {
  DataError,
  describeReadFailure,
  OutputError,
  UpstreamError,
} from '../errors.ts';
import { readFile } from '../files.ts';
import { decodeText, InvalidBodyError } from '../http/body.ts';
import {
  type Codec,
  type Fetcher,
  type FetcherStats,
  withFetcher,
} from '../http/fetcher.ts';
import { bustCaches } from '../http/retry.ts';
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
  type RawRecords,
  sanitizeSlug,
  splitNames,
} from './normalize.ts';
import {
  assertSkipsExist,
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
  /** The ids of all records of this kind. */
  readonly ids: ReadonlySet<number>;
  readonly icons: IconChooser;
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
  ids,
  icons,
}: ReaderContext): (row: Row) => KindFields<'item'> {
  const indexRows = groupById(texts, 'item_game_indices', 'item_id', ids);
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
    icons: readIconFolder(upstream, context),
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
  const { today, onProgress } = context;
  const cacheKey = { upstream, version: 'csv' };
  const { texts, stats } = await withFetcher(context, cacheKey, async (fetcher) => {
    const fetchedTexts = await fetchTables(fetcher, upstream, onProgress);
    return { texts: fetchedTexts, stats: fetcher.stats };
  });
  const icons = await fetchIconList(upstream, context);
  const result = createResult(context, { texts, icons, upstream, captured: today });
  return { ...result, requests: addStats(stats, icons.requests) };
}

function addStats(
  first: FetcherStats,
  second: FetcherStats | undefined,
): FetcherStats {
  if (second === undefined) return first;
  return {
    requests: first.requests + second.requests,
    bodies: first.bodies + second.bodies,
    notModified: first.notModified + second.notModified,
    retries: first.retries + second.retries,
    bytes: first.bytes + second.bytes,
    cacheHits: first.cacheHits + second.cacheHits,
  };
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
  const { skip, hasNames } = context;
  const chooser = createIconChooser(icons, context);
  const raw = parseRecords(texts, chooser);
  assertSkipsExist(skip, raw);
  const provenance = {
    source: 'csv',
    upstream,
    captured,
    edition: null,
    skipped: skip,
  } as const;
  const dataSet = normalize(raw, provenance, hasNames);
  return { dataSet, source: 'csv', isCopy: false, notices: chooser.notices() };
}

/**
 * Joins each kind's table with its name table and with the tables that contain its
 * other fields.
 */
function parseRecords(texts: TableTexts, icons: IconChooser): RawRecords {
  const languages = parseLanguages(texts);
  const records = mapKinds((kind) => {
    const rows = parseTable(texts, pluralize(kind));
    const ids = new Set(rows.map((row) => parseInteger(row, 'id')));
    const nameRows = groupById(texts, `${kind}_names`, `${kind}_id`, ids);
    const readFields = kinds[kind].createReader({ texts, ids, icons });
    return rows.map((row) => {
      const id = parseInteger(row, 'id');
      const names = readNames(nameRows.get(id) ?? [], languages);
      return {
        id,
        slug: readIdentifier(row),
        ...splitNames(names),
        ...readFields(row),
      };
    });
  });
  // Each reader returns the fields of its own kind, which TypeScript cannot infer.
  return records as unknown as RawRecords;
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
 * @throws DataError
 */
function parseTable(texts: TableTexts, table: string): Row[] {
  const nameRow = (at: number): string => `${table}.csv row ${at + 1}`;
  const { data, errors } = splitCells(texts[table] ?? '');
  const [error] = errors;
  if (error) {
    throw new DataError(`${error.message}, expected CSV`, {
      record: nameRow(error.row ?? 0),
    });
  }
  const [header = [], ...contentRows] = data;
  const rows: Row[] = [];
  for (const [at, cells] of contentRows.entries()) {
    const isEmpty = cells.every((cell) => cell.trim() === '');
    if (isEmpty) continue;
    // The header is the first row, so we add 1.
    const record = nameRow(at + 1);
    if (cells.length !== header.length) {
      throw new DataError(`got ${cells.length} cells, expected ${header.length}`, {
        record,
      });
    }
    rows.push({ record, get: (column) => cells[header.indexOf(column)] ?? '' });
  }
  return rows;
}

/**
 * Groups rows by record id. If a row belongs to an unknown record, the tables are
 * from different commits.
 */
function groupById(
  texts: TableTexts,
  table: string,
  column: string,
  ids: ReadonlySet<number>,
): ReadonlyMap<number, readonly Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of parseTable(texts, table)) {
    const id = parseInteger(row, column);
    const group = groups.get(id);
    if (group) group.push(row);
    else groups.set(id, [row]);
  }
  const unknownIds = [...groups.keys()].filter((id) => !ids.has(id));
  if (unknownIds.length === 0) return groups;
  unknownIds.sort((a, b) => a - b);
  const examples = unknownIds.slice(0, 10).join(', ');
  throw new DataError(
    `got rows for unknown ids: ${examples}, expected tables from the same date`,
    {
      record: `${table}.csv`,
    },
  );
}

function parseInteger({ record, get }: Row, field: string): number {
  const text = get(field);
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new DataError(`got ${formatValue(text)}, expected an integer`, {
    record,
    field,
  });
}

function readIdentifier({ record, get }: Row): string {
  const identifier = get('identifier');
  if (identifier !== '') return identifier;
  throw new DataError('got "", expected an identifier', {
    record,
    field: 'identifier',
  });
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
    if (problem !== undefined) throw new OutputError(problem, file);
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
    throw new OutputError(problem, file, { cause });
  }
}

/**
 * Matches a URL that contains a commit hash. The tables in a commit never change.
 */
const COMMIT = /\/[0-9a-f]{40}\//;

const MAX_PASSES = 4;

/**
 * Creates a codec that rejects error pages, which do not have the expected columns.
 */
const createCodec = (table: string): Codec<string> => ({
  decode(body) {
    const text = decodeText(body);
    const problem = findColumnProblem(text, table);
    if (problem !== undefined) throw new InvalidBodyError(problem);
    return text;
  },
  revive: (cached) => (typeof cached === 'string' ? cached : undefined),
});

/**
 * Fetches all tables from one commit.
 *
 * A branch may move while its tables are being fetched, and caches may return older
 * tables. So we bypass the caches and fetch the tables again until two passes return
 * the same tables. If the URL contains a commit, one pass is enough.
 *
 * @throws UpstreamError if all four passes return different tables
 */
async function fetchTables(
  fetcher: Fetcher,
  upstream: string,
  onProgress: SourceContext['onProgress'],
): Promise<TableTexts> {
  const { stats: requests, getRetryStatus: waiting } = fetcher;
  const total = tableNames.length;
  const namesCommit = COMMIT.test(`${upstream}/`);
  let previousTexts: TableTexts = {};
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const texts: Record<string, string> = {};
    for (const [at, name] of tableNames.entries()) {
      texts[name] = await fetchTable(fetcher, upstream, name, pass);
      if (pass === 1) onProgress?.({ done: at + 1, total, requests, waiting });
    }
    const isRepeated = tableNames.every(
      (name) => texts[name] === previousTexts[name],
    );
    if (namesCommit || isRepeated) return texts;
    previousTexts = texts;
  }
  throw new UpstreamError(
    `got different tables in each of ${MAX_PASSES} reads, expected tables from one commit`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: 'Try again later, or name a commit in the URL instead of a branch.' },
  );
}

/** Fetches a table. From the second pass on, bypasses caches. */
async function fetchTable(
  fetcher: Fetcher,
  upstream: string,
  name: string,
  pass: number,
): Promise<string> {
  const url = `${upstream}/${name}.csv`;
  const bypass = pass > 1 && {
    urlOverride: bustCaches(url, Date.now()),
    revalidate: true,
  };
  const options = { ...bypass, maxBytes: responseLimits.table };
  const { value } = await fetcher.load(url, createCodec(name), options);
  return value;
}
