/** The CSV source: reads the upstream's own tables, a few files instead of thousands of responses. */

import { statSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import { formatValue } from '../contract/parse.ts';
import { ICONS_FOLDER, isUrl } from '../contract/paths.ts';
import { pluralize } from '../contract/words.ts';
import { DataError, errorCode, OutputError, UpstreamError } from '../errors.ts';
import { readFile } from '../files.ts';
import { decodeText, InvalidBodyError } from '../http/body.ts';
import { type Codec, type Fetcher, type FetcherStats, withFetcher } from '../http/fetcher.ts';
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
import { assertSkipsExist, type Source, type SourceContext, type SourceResult } from './source.ts';

const DEFAULT_UPSTREAM = 'https://raw.githubusercontent.com/PokeAPI/pokeapi/master/data/v2/csv';

type TableTexts = Readonly<Record<string, string>>;

const readGeneration = (row: Row) => ({ generation: parseInteger(row, 'generation_id') });

/** Kind → the columns of its table in addition to id and identifier, and a function that reads the kind's fields from a row. */
const kinds: {
  readonly [K in Kind]: {
    readonly columns: readonly string[];
    createReader(
      texts: TableTexts,
      ids: ReadonlySet<number>,
      icons: IconChooser,
    ): (row: Row) => KindFields<K>;
  };
} = {
  move: { columns: ['generation_id'], createReader: () => readGeneration },
  item: {
    columns: [],
    createReader(texts, ids, icons) {
      const indices = groupById(texts, 'item_game_indices', 'item_id', ids);
      return (row) => {
        const ownIndices = indices.get(parseInteger(row, 'id')) ?? [];
        const gameIndices = ownIndices.map((own) => ({
          ...readGeneration(own),
          index: parseInteger(own, 'game_index'),
        }));
        const slug = sanitizeSlug(readIdentifier(row));
        const sprite = icons.choose(slug, deriveSpritePath(slug));
        return { gameIndices, sprite };
      };
    },
  },
};

const columns: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    kindNames.flatMap((kind) => [
      [pluralize(kind), ['id', 'identifier', ...kinds[kind].columns]],
      [`${kind}_names`, [`${kind}_id`, 'local_language_id', 'name']],
    ]),
  ),
  languages: ['id', 'identifier'],
  item_game_indices: ['item_id', 'generation_id', 'game_index'],
};
export const tableNames = Object.keys(columns);

/**
 * Reads the tables, and then the list of icons, because the tables do not say which items have one.
 * Both come from a clone of the upstream's repository, or from URLs.
 */
export const csv: Source = async (context) => {
  const { upstream = DEFAULT_UPSTREAM, today } = context;
  if (isUrl(upstream)) return fetchDataSet(upstream, context);
  const { texts, captured } = readTables(upstream);
  return createResult(context, {
    texts,
    icons: readIconFolder(upstream, context),
    upstream: 'local files',
    // The clock that dated the files may have been ahead.
    captured: captured < today ? captured : today,
  });
};

async function fetchDataSet(upstream: string, context: SourceContext): Promise<SourceResult> {
  const { today, onProgress } = context;
  const key = { upstream, version: 'csv' };
  const { texts, stats } = await withFetcher(context, key, async (fetcher) => {
    const texts = await fetchTables(fetcher, upstream, onProgress);
    return { texts, stats: fetcher.stats };
  });
  const icons = await fetchIconList(upstream, context);
  const result = createResult(context, { texts, icons, upstream, captured: today });
  return { ...result, requests: addStats(stats, icons.requests) };
}

const addStats = (first: FetcherStats, second: FetcherStats | undefined): FetcherStats => ({
  requests: first.requests + (second?.requests ?? 0),
  bodies: first.bodies + (second?.bodies ?? 0),
  notModified: first.notModified + (second?.notModified ?? 0),
  retries: first.retries + (second?.retries ?? 0),
  bytes: first.bytes + (second?.bytes ?? 0),
  cacheHits: first.cacheHits + (second?.cacheHits ?? 0),
});

interface Tables {
  readonly texts: TableTexts;
  readonly icons: IconList;
  readonly upstream: string;
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
  const provenance = { source: 'csv', upstream, captured, edition: null, skipped: skip } as const;
  const dataSet = normalize(raw, provenance, hasNames);
  return { dataSet, source: 'csv', isCopy: false, notices: chooser.notices() };
}

function parseRecords(texts: TableTexts, icons: IconChooser): RawRecords {
  const languages = new Map(
    parseTable(texts, 'languages').map((row) => [row.get('id'), readIdentifier(row)]),
  );
  return mapKinds((kind) => {
    const rows = parseTable(texts, pluralize(kind));
    const ids = new Set(rows.map((row) => parseInteger(row, 'id')));
    const names = groupById(texts, `${kind}_names`, `${kind}_id`, ids);
    const readFields = kinds[kind].createReader(texts, ids, icons);
    return rows.map((row) => {
      const id = parseInteger(row, 'id');
      // The first of several names in a language wins.
      const first: Record<string, string> = Object.create(null);
      for (const named of names.get(id) ?? []) {
        const language = named.get('local_language_id');
        first[languages.get(language) ?? language] ??= named.get('name');
      }
      return { id, slug: readIdentifier(row), ...splitNames(first), ...readFields(row) };
    });
  }) as unknown as RawRecords;
}

interface Row {
  /** `items.csv row 17`, counted from the header. */
  readonly record: string;
  get(column: string): string;
}

const splitCells = (text: string, preview = 0) =>
  Papa.parse<string[]>(text.replace(/\r\n?/g, '\n'), { delimiter: ',', preview });

function findColumnProblem(text: string, table: string): string | undefined {
  const [header = []] = splitCells(text, 1).data;
  const missing = columns[table]?.find((column) => !header.includes(column));
  return missing && `got columns ${formatValue(header)}, expected a column called ${missing}`;
}

/** Parses a table with any line endings, and skips rows of empty cells. @throws DataError */
function parseTable(texts: TableTexts, table: string): Row[] {
  const nameRow = (at: number): string => `${table}.csv row ${at + 1}`;
  const { data, errors } = splitCells(texts[table] ?? '');
  for (const { message, row = 0 } of errors)
    throw new DataError(`${message}, expected CSV`, { record: nameRow(row) });
  const [header = []] = data;
  return data.flatMap((cells, at) => {
    if (at === 0 || cells.every((cell) => cell.trim() === '')) return [];
    const record = nameRow(at);
    if (cells.length !== header.length)
      throw new DataError(`got ${cells.length} cells, expected ${header.length}`, { record });
    return [{ record, get: (column: string) => cells[header.indexOf(column)] ?? '' }];
  });
}

/** Groups rows by record. A row for an unknown record shows that the tables are from different commits. */
function groupById(
  texts: TableTexts,
  table: string,
  column: string,
  ids: ReadonlySet<number>,
): ReadonlyMap<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of parseTable(texts, table)) {
    const id = parseInteger(row, column);
    const group = groups.get(id);
    if (group) group.push(row);
    else groups.set(id, [row]);
  }
  const orphans = [...groups.keys()].filter((id) => !ids.has(id)).sort((a, b) => a - b);
  if (orphans.length === 0) return groups;
  const problem = `got rows for unknown ids: ${orphans.slice(0, 10).join(', ')}, expected tables from the same date`;
  throw new DataError(problem, { record: `${table}.csv` });
}

function parseInteger({ record, get }: Row, field: string): number {
  const text = get(field);
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new DataError(`got ${formatValue(text)}, expected an integer`, { record, field });
}

function readIdentifier({ record, get }: Row): string {
  const identifier = get('identifier');
  if (identifier !== '') return identifier;
  throw new DataError('got "", expected an identifier', { record, field: 'identifier' });
}

/** Applies the upstream server's rule, because the tables contain no icons. */
const deriveSpritePath = (slug: string): string =>
  `${ICONS_FOLDER}${slug.replace(/^(data-card).*/, '$1').replace(/^([th]m)\d.*/, '$1-normal')}.png`;

function readTables(folder: string): { texts: TableTexts; captured: string } {
  let newest = 0;
  const texts = tableNames.map((name) => {
    const file = path.join(folder, `${name}.csv`);
    let text: string;
    try {
      const bytes = readFile(folder, `${name}.csv`, responseLimits.table);
      newest = Math.max(newest, statSync(file).mtimeMs);
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch (cause) {
      const reason = cause instanceof TypeError ? 'not UTF-8' : errorCode(cause);
      const problem = `cannot be read (${reason}), expected an upstream table`;
      throw new OutputError(problem, file, { cause });
    }
    const problem = findColumnProblem(text, name);
    if (problem !== undefined) throw new OutputError(problem, file);
    return [name, text];
  });
  const captured = new Date(newest).toISOString().slice(0, 10);
  return { texts: Object.fromEntries(texts), captured };
}

const COMMIT = /\/[0-9a-f]{40}\//;
const MAX_PASSES = 4;

/** Rejects error pages, which have other columns. */
const createCodec = (table: string): Codec<string> => ({
  decode(body) {
    const text = decodeText(body);
    const problem = findColumnProblem(text, table);
    if (problem !== undefined) throw new InvalidBodyError(problem);
    return text;
  },
  revive: (cached) => (typeof cached === 'string' ? cached : undefined),
});

/** Fetches all tables from one commit. Unless the URL names a commit, bypasses caches until two reads return the same tables. */
async function fetchTables(
  fetcher: Fetcher,
  upstream: string,
  onProgress: SourceContext['onProgress'],
): Promise<TableTexts> {
  const { stats: requests, getRetryStatus: waiting } = fetcher;
  let before: TableTexts = {};
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const texts: Record<string, string> = {};
    for (const [at, name] of tableNames.entries()) {
      const url = `${upstream}/${name}.csv`;
      const again = pass > 1 && { urlOverride: bustCaches(url, Date.now()), revalidate: true };
      const options = { ...again, maxBytes: responseLimits.table };
      texts[name] = (await fetcher.load(url, createCodec(name), options)).value;
      if (pass === 1) onProgress?.({ done: at + 1, total: tableNames.length, requests, waiting });
    }
    if (COMMIT.test(`${upstream}/`) || tableNames.every((name) => texts[name] === before[name]))
      return texts;
    before = texts;
  }
  throw new UpstreamError(
    `got different tables in each of ${MAX_PASSES} reads, expected tables from one commit`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: 'Try again later, or name a commit in the URL instead of a branch.' },
  );
}
