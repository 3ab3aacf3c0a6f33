import pLimit from 'p-limit';
import * as z from 'zod';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { idSchema, MAX_RECORDS, MAX_SLUG_LENGTH } from '../contract/records.ts';
import { GamedataError, isExpected } from '../errors.ts';
import { decodeJson } from './body.ts';
import { findFailure } from './client.ts';
import { createFailedRecords, type FailedRecords } from './failed-records.ts';
import {
  collectNames,
  type KindFields,
  normalize,
  type RawRecord,
  type RawRecords,
} from './normalize.ts';
import { type EditionReader, readOneEdition } from './one-edition.ts';
import {
  describeUnknownSkips,
  omitSkipped,
  type Source,
  type SourceContext,
  type SourceResult,
} from './source.ts';

export const DEFAULT_UPSTREAM = 'https://pokeapi.co/api/v2';

/**
 * The version of the lists and raw records in the disk cache. Increment it whenever
 * their format changes. For raw records, a test fails if you forget.
 */
export const RAW_VERSION = 4;

/** Converts a link such as `/api/v2/generation/4/` to the number 4. */
const generation = z
  .object({
    url: z
      .string()
      .regex(/\/generation\/\d+\/?$/, 'expected a link to a generation'),
  })
  .transform(({ url }) => Number(url.split('/').findLast((part) => part !== '')));

/**
 * The maximum number of names or indices of a record. We limit them, because each
 * unusable name and each repeated index adds a warning.
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
  name: z.string().min(1).max(MAX_SLUG_LENGTH),
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
 * that is not skipped, all from one edition. The run continues after a record that
 * cannot be read, so that one error can name all such records.
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

/** Adds a hint to read the tables instead if the upstream blocks this network. */
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
 * Reads every listed record that is not skipped. The records of a kind are in the order
 * in which they arrive.
 *
 * @throws GamedataError if a connection fails in every attempt, or if too many records
 * fail
 */
async function readRecords(
  reader: EditionReader,
  lists: Lists,
  failed: FailedRecords,
  { concurrency, skip, onProgress }: SourceContext,
): Promise<RawRecords> {
  const entries = Object.values(omitSkipped(lists, skip)).flat();
  const records = mapKinds((): RawRecord[] => []);
  let done = 0;

  function reportProgress(): void {
    // Reading from the cache takes no time worth reporting.
    if (reader.isCached()) return;
    onProgress?.({ done, total: entries.length, requests: reader.stats });
  }
  reportProgress();

  async function readEntry(entry: ListEntry): Promise<void> {
    const decode = (body: Buffer): RawRecord => decodeRecord(entry, body);
    try {
      const record = await reader.read(entry.url, decode, responseLimits.record);
      records[entry.kind].push(record);
      done++;
      reportProgress();
    } catch (error) {
      // Any other error affects all records, for example if the data is too large.
      if (!isExpected(error, 'upstream')) throw error;
      failed.add(entry.kind, entry.id, error);
    }
  }
  // This limit is higher than the number of connections, so that no connection is idle
  // while responses are being decoded.
  const limit = pLimit(2 * concurrency);
  const reading = limit.map(entries, readEntry);
  // After a failure, hundreds of thousands of requests may still be waiting, so we
  // discard them.
  await reading.finally(() => limit.clearQueue());
  // This cast is safe, because each record was parsed with the schema of its kind.
  return records as unknown as RawRecords;
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
  readonly entries: readonly ListEntry[];
  /** The query of the next page, or `''` on the last page. */
  readonly nextQuery: string;
}

const FIRST_QUERY = '?limit=100000&offset=0';

/**
 * Reads a list, which has several pages if the upstream limits their size.
 *
 * @throws GamedataError if the list is not complete after its last page, because then it
 * would look as if records had been removed
 */
async function readList(
  reader: EditionReader,
  upstream: string,
  kind: Kind,
): Promise<ListEntry[]> {
  const base = new URL(`${upstream}/${kind}/`);
  const entries: ListEntry[] = [];
  let query = FIRST_QUERY;
  while (query !== '') {
    // The number of entries is checked while the page is decoded, because a page that
    // is rejected there is requested again, bypassing caches.
    const decode = (body: Buffer): ListPage =>
      decodePage(base, kind, body, entries.length);
    const url = `${upstream}/${kind}/${query}`;
    const page = await reader.read(url, decode, responseLimits.list);
    for (const entry of page.entries) entries.push(entry);
    query = page.nextQuery;
  }
  return entries;
}

/**
 * Decodes a page of a list. After the last page, checks that all pages together have as
 * many entries as the list says.
 *
 * @param listed the number of entries on the previous pages
 * @throws GamedataError if the page is invalid
 */
function decodePage(base: URL, kind: Kind, body: Buffer, listed: number): ListPage {
  const location = { kind, record: 'list' };
  const { count, next, results } = parse(listSchema, decodeJson(body), location);
  const entries = results.map(({ name, url }) => resolveLink(base, kind, name, url));
  const total = listed + entries.length;
  const nextQuery = findNextQuery(next, base);
  // An empty page also ends the list, so that a wrong link to the next page cannot lead to
  // the same page forever.
  const isLastPage = nextQuery === '' || entries.length === 0 || total >= count;
  if (!isLastPage) return { entries, nextQuery };
  if (total === count) return { entries, nextQuery: '' };
  const problem = `got ${total} results, expected ${count} (the list's count)`;
  throw new GamedataError('data', `${kind} › list: ${problem}`);
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
 * Its scheme is ignored, because servers behind a proxy may link to http.
 *
 * @throws GamedataError
 */
function resolveLink(base: URL, kind: Kind, slug: string, url: string): ListEntry {
  const list = base.origin + base.pathname;
  const id = findLinkedId(base, url);
  if (id === undefined) {
    const problem = `got ${formatValue(url)}, expected a link to ${list}<id>/`;
    throw new GamedataError('data', `${kind} › ${slug} › url: ${problem}`);
  }
  return { kind, id: Number(id), slug, url: `${list}${id}/` };
}

/** Returns the id in a link to a record of the list, or undefined for any other link. */
function findLinkedId(base: URL, url: string): string | undefined {
  const link = parseUrl(url, base);
  if (link?.host !== base.host) return undefined;
  if (!link.pathname.startsWith(base.pathname)) return undefined;
  const pathInList = link.pathname.slice(base.pathname.length);
  const [, id] = /^([1-9]\d{0,15})\/?$/.exec(pathInList) ?? [];
  return id;
}

/** @throws GamedataError if the body is not the listed record */
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
