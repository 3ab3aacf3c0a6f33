import pLimit from 'p-limit';
import * as z from 'zod';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { idSchema, MAX_RECORDS } from '../contract/records.ts';
import { GamedataError, isExpected } from '../errors.ts';
import { decodeJson } from './body.ts';
import { findFailure } from './client.ts';
import { createFailedRecords, type FailedRecords } from './failed-records.ts';
import {
  assertUniqueIds,
  collectNames,
  type KindFields,
  normalize,
  type RawRecord,
  type RawRecords,
} from './normalize.ts';
import { type EditionReader, readOneEdition } from './one-edition.ts';
import {
  describeUnknownSkips,
  type Source,
  type SourceContext,
  type SourceResult,
} from './source.ts';

export const DEFAULT_UPSTREAM = 'https://pokeapi.co/api/v2';

/**
 * The version of the lists and raw records in the disk cache. Increment it whenever
 * their format changes. For raw records, a test fails if you forget.
 */
export const RAW_VERSION = 3;

/** Converts a link such as `/api/v2/generation/4/` to the number 4. */
const generation = z
  .object({
    url: z
      .string()
      .regex(/\/generation\/\d+\/?$/, 'expected a link to a generation'),
  })
  .transform(({ url }) => Number(url.split('/').findLast((part) => part !== '')));

/**
 * The maximum number of names or indices of a record. Each unusable name and each
 * repeated index needs a warning.
 */
const MAX_ENTRIES = 1000;

const gameIndexSchema = z
  .object({ game_index: z.int().min(0), generation })
  .transform(({ generation, game_index: index }) => ({ generation, index }));

/**
 * The fields that we read from a response, by kind: https://pokeapi.co/docs/v2#moves,
 * https://pokeapi.co/docs/v2#item
 */
const fieldSchemas: { readonly [K in Kind]: z.ZodType<KindFields<K>> } = {
  move: z.object({ generation }),
  item: z
    .object({
      game_indices: z.array(gameIndexSchema).max(MAX_ENTRIES),
      sprites: z.object({ default: z.string().nullable() }),
    })
    .transform(({ game_indices: gameIndices, sprites }) => ({
      gameIndices,
      sprite: sprites.default,
    })),
};

const nameSchema = z
  .object({ name: z.string(), language: z.object({ name: z.string() }) })
  .transform(({ name, language }) => ({ name, language: language.name }));

const commonSchema = z.object({
  id: idSchema,
  name: z.string().min(1),
  names: z.array(nameSchema).max(MAX_ENTRIES),
});

/**
 * Parses the response for a record.
 *
 * @throws GamedataError that names the kind and the record
 */
export function parseRecord<K extends Kind>(
  kind: K,
  json: unknown,
  record: string,
): RawRecord<K> {
  const location = { kind, record };
  const { id, name: slug, names } = parse(commonSchema, json, location);
  const fields = parse(fieldSchemas[kind], json, location);
  return { id, slug, ...collectNames(names), ...fields };
}

/**
 * Reads all records from a PokéAPI v2 server: every list, and then every listed record
 * that is not skipped, all from one edition. A record that cannot be read does not end
 * the run at once, so that one error names all of them.
 */
export const restSource: Source = (context) => {
  const { upstream = DEFAULT_UPSTREAM, today, skip } = context;
  const options = {
    ...context,
    upstream,
    firstUrl: `${upstream}/${kindNames[0]}/${FIRST_QUERY}`,
    version: `rest-${RAW_VERSION}`,
  };
  const reading = readOneEdition<SourceResult>(options, async (reader) => {
    const lists = await readLists(reader, upstream, context);
    const failed = createFailedRecords(skip);
    const raw = await readRecords(reader, lists, failed, context);
    const provenance = {
      source: 'rest',
      upstream,
      captured: today,
      edition: reader.findEdition(),
      skipped: skip,
    } as const;
    return {
      dataSet: normalize(raw, provenance, failed),
      source: 'rest',
      isCopy: false,
      isCached: reader.isCached(),
      requests: reader.stats,
      notices: describeUnknownSkips(skip, lists),
    };
  });
  return reading.catch((error) => {
    throw suggestTables(error);
  });
};

/** Adds a hint if the upstream blocks this network. */
function suggestTables(error: unknown): unknown {
  if (!(error instanceof GamedataError)) return error;
  if (findFailure(error)?.status !== 403) return error;
  const hint = 'The upstream may block this network: try --source csv.';
  return new GamedataError('upstream', error.message, { cause: error, hint });
}

/** An entry of a list, with a link to the record. */
interface ListEntry {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

type Lists = Readonly<Record<Kind, readonly ListEntry[]>>;

/** Reads the list of all moves, the list of all items, and so on. */
async function readLists(
  reader: EditionReader,
  upstream: string,
  { onProgress, onListRead }: SourceContext,
): Promise<Lists> {
  onProgress?.({ done: 0, total: 0, requests: reader.stats });
  const lists = mapKinds((): readonly ListEntry[] => []);
  for (const kind of kindNames) {
    lists[kind] = await readList(reader, upstream, kind);
    onListRead?.();
  }
  return lists;
}

/**
 * Reads every listed record that is not skipped: first those in the journal, and then
 * all others concurrently.
 *
 * @throws GamedataError if a connection fails to the end, or if too many records fail
 */
async function readRecords(
  reader: EditionReader,
  lists: Lists,
  failed: FailedRecords,
  { concurrency, skip, onProgress }: SourceContext,
): Promise<RawRecords> {
  const wantedEntries = listWanted(lists, skip);
  const records = recallRecords(reader, wantedEntries);
  const missingEntries = wantedEntries.filter((entry) => !records.has(entry));
  // Progress is reported only if there is something to wait for.
  if (missingEntries.length === 0) return groupRecords(wantedEntries, records);

  function report(): void {
    const done = records.size;
    const total = wantedEntries.length;
    onProgress?.({ done, total, requests: reader.stats });
  }
  report();

  async function readEntry(entry: ListEntry): Promise<void> {
    const decode = (body: Buffer): RawRecord => decodeRecord(entry, body);
    try {
      const { record: maxBytes } = responseLimits;
      records.set(entry, await reader.read(entry.url, decode, maxBytes));
      report();
    } catch (error) {
      // Any other error is about all records, such as too much data.
      if (!isExpected(error, 'upstream')) throw error;
      failed.add(entry.kind, entry.id, error);
    }
  }
  // This limit is higher than the number of connections, so that more requests are
  // sent while responses are being decoded.
  const limit = pLimit(2 * concurrency);
  const reading = limit.map(missingEntries, readEntry);
  // After a failure, hundreds of thousands of requests may still be waiting, so we
  // discard them.
  await reading.finally(() => limit.clearQueue());
  return groupRecords(wantedEntries, records);
}

/** Returns the records that an earlier run has read, because they are in the journal. */
function recallRecords(
  reader: EditionReader,
  entries: readonly ListEntry[],
): Map<ListEntry, RawRecord> {
  const records = new Map<ListEntry, RawRecord>();
  for (const entry of entries) {
    const record = reader.recall<RawRecord>(entry.url);
    if (record !== undefined) records.set(entry, record);
  }
  return records;
}

/** Lists the entries of all kinds that are not skipped. */
function listWanted(lists: Lists, skip: SourceContext['skip']): ListEntry[] {
  const wanted: ListEntry[] = [];
  for (const kind of kindNames) {
    for (const entry of lists[kind]) {
      const isSkipped = skip?.[kind].includes(entry.id) ?? false;
      if (!isSkipped) wanted.push(entry);
    }
  }
  return wanted;
}

/** Groups the records by kind, in the order of their lists. */
function groupRecords(
  entries: readonly ListEntry[],
  records: ReadonlyMap<ListEntry, RawRecord>,
): RawRecords {
  const grouped = mapKinds((): RawRecord[] => []);
  for (const entry of entries) {
    const record = records.get(entry);
    // A record that has failed is missing.
    if (record !== undefined) grouped[entry.kind].push(record);
  }
  // This cast is safe, because each record was parsed with the schema of its kind.
  return grouped as unknown as RawRecords;
}

/**
 * The schema of a list page:
 * https://pokeapi.co/docs/v2#resource-listspagination-section
 */
const listSchema = z.object({
  count: z.int().min(0).max(MAX_RECORDS),
  next: z.string().nullish(),
  results: z.array(z.object({ name: z.string(), url: z.string() })),
});

/** A page of a list whose links have been checked. */
interface ListPage {
  readonly count: number;
  readonly entries: readonly ListEntry[];
  /** The query of the next page, or `''` on the last page. */
  readonly nextQuery: string;
}

/** The pages of a list that have been read so far. */
interface PartialList {
  /** The number of entries, including repeated ones. */
  readonly listed: number;
  /** The entries without repeated ones, by id and slug. */
  readonly entries: ReadonlyMap<string, ListEntry>;
}

const FIRST_QUERY = '?limit=100000&offset=0';

/**
 * Reads a list, which may have several pages if the upstream limits their size. An
 * entry that is listed twice counts once.
 */
async function readList(
  reader: EditionReader,
  upstream: string,
  kind: Kind,
): Promise<ListEntry[]> {
  const base = new URL(`${upstream}/${kind}/`);
  let list: PartialList = { listed: 0, entries: new Map() };
  let query = FIRST_QUERY;
  while (query !== '') {
    // The page is checked while it is decoded, because a page that is rejected there is
    // requested again, past caches.
    const decodeAndCheck = (body: Buffer): ListPage => {
      const page = decodeList(base, kind, body);
      assertComplete(kind, addPage(list, page), page);
      return page;
    };
    const url = `${upstream}/${kind}/${query}`;
    const page = await reader.read(url, decodeAndCheck, responseLimits.list);
    list = addPage(list, page);
    query = isLastPage(list, page) ? '' : page.nextQuery;
  }
  const entries = [...list.entries.values()];
  assertUniqueIds(entries, { kind, record: 'list' });
  return entries;
}

function addPage(list: PartialList, page: ListPage): PartialList {
  const entries = new Map(list.entries);
  for (const entry of page.entries) entries.set(`${entry.id} ${entry.slug}`, entry);
  return { listed: list.listed + page.entries.length, entries };
}

/** Returns whether the page that was added last is the last one of the list. */
function isLastPage({ listed }: PartialList, page: ListPage): boolean {
  if (page.nextQuery === '' || page.entries.length === 0) return true;
  return listed >= page.count;
}

/** @throws GamedataError if the page is invalid */
function decodeList(base: URL, kind: Kind, body: Buffer): ListPage {
  const location = { kind, record: 'list' };
  const { count, next, results } = parse(listSchema, decodeJson(body), location);
  const entries = results.map(({ name, url }) => resolveLink(base, kind, name, url));
  return { count, entries, nextQuery: findNextQuery(next, base) };
}

/**
 * Checks that a list is complete after its last page. Otherwise, a truncated list would
 * look as if records had been removed. A page that is not the last one is not checked.
 *
 * @param list the list including this page
 * @throws GamedataError if the numbers differ
 */
function assertComplete(kind: Kind, list: PartialList, page: ListPage): void {
  if (!isLastPage(list, page)) return;
  const { listed, entries } = list;
  if (entries.size === page.count) return;
  // Some counts include repeated entries. Such a list is complete if it has no next page.
  const isCountOfRepeated = listed === page.count;
  if (isCountOfRepeated && page.nextQuery === '') return;
  throw new GamedataError(
    'data',
    `${kind} › list: got ${entries.size} different results, expected ${page.count} (the list's count)`,
  );
}

/**
 * Returns the query from the link to the next page, or `''` if there is no next
 * page. We ignore the origin and path of the link, because a mirror may not have
 * adapted them.
 */
function findNextQuery(next: string | null | undefined, base: URL): string {
  const link = parseUrl(next ?? '', base);
  return link?.search ?? '';
}

const parseUrl = (url: string, base: URL): URL | undefined =>
  URL.canParse(url, base.href) ? new URL(url, base) : undefined;

/**
 * Parses a link to a record. The link must be on the configured host, below the list.
 * Its scheme is ignored, because servers behind a proxy link to http.
 *
 * @throws GamedataError
 */
function resolveLink(base: URL, kind: Kind, slug: string, url: string): ListEntry {
  const link = parseUrl(url, base);
  const isBelow =
    link?.host === base.host && link.pathname.startsWith(base.pathname);
  const pathBelow = isBelow ? link.pathname.slice(base.pathname.length) : '';
  const id = pathBelow.replace(/\/$/, '');
  const list = base.origin + base.pathname;
  if (!/^[1-9]\d{0,15}$/.test(id)) {
    const problem = `got ${formatValue(url)}, expected a link to ${list}<id>/`;
    throw new GamedataError('data', `${kind} › ${slug} › url: ${problem}`);
  }
  return { kind, id: Number(id), slug, url: `${list}${id}/` };
}

/** @throws GamedataError if the body is not the record in the list */
function decodeRecord({ kind, id, slug }: ListEntry, body: Buffer): RawRecord {
  const name = `${slug} (${id})`;
  const record = parseRecord(kind, decodeJson(body), name);
  if (record.id === id && record.slug === slug) return record;
  const received = `id ${record.id}, name ${formatValue(record.slug)}`;
  throw new GamedataError(
    'data',
    `${kind} › ${name}: got ${received}, expected ${id}, ${formatValue(slug)}, as in the list`,
  );
}
