import pLimit from 'p-limit';
import * as z from 'zod';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import {
  estimateBytes,
  type KeepBytes,
  limitMemory,
  responseLimits,
} from '../contract/limits.ts';
import type { Edition } from '../contract/meta.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { idSchema, MAX_RECORDS } from '../contract/records.ts';
import { DataError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import { type Codec, type Fetcher, withFetcher } from '../http/fetcher.ts';
import {
  assertUniqueIds,
  type KindFields,
  normalize,
  type RawRecord,
  type RawRecords,
  splitNames,
} from './normalize.ts';
import { checkCachedEdition, type Read, readOneEdition } from './one-edition.ts';
import {
  assertSkipsExist,
  hintAtSkip,
  type Source,
  type SourceContext,
} from './source.ts';

export const DEFAULT_UPSTREAM = 'https://pokeapi.co/api/v2';

/**
 * The version of the raw records in the disk cache. Increment it whenever the format
 * of raw records changes. A test fails if you forget.
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
 * Creates a schema that accepts any value, and replaces values that do not match the
 * given schema. A missing key is still an error.
 */
function lenient<S extends z.ZodType>(
  schema: S,
  replace: (value: unknown) => z.output<S>,
) {
  const anyValue = z
    .unknown()
    .refine((value) => value !== undefined, 'expected a value');
  return anyValue.transform((value): z.output<S> => {
    const { success, data } = schema.safeParse(value);
    return success ? data : replace(value);
  });
}

const anyObject = z.looseObject({});

const gameIndexSchema = z
  .object({ game_index: z.int().min(0), generation })
  .transform(({ generation, game_index: index }) => ({ generation, index }));

/**
 * In some responses, `sprites` is an empty list:
 * https://github.com/PokeAPI/pokeapi/issues/71
 */
const spritesSchema = lenient(anyObject, (value) => ({
  default: formatValue(value),
})).pipe(z.object({ default: lenient(z.string().nullable(), formatValue) }));

/**
 * The fields that we read from a response, by kind: https://pokeapi.co/docs/v2#moves,
 * https://pokeapi.co/docs/v2#item
 */
const fieldSchemas: { readonly [K in Kind]: z.ZodType<KindFields<K>> } = {
  move: z.object({ generation }),
  item: z
    .object({ game_indices: z.array(gameIndexSchema), sprites: spritesSchema })
    .transform(({ game_indices: gameIndices, sprites }) => ({
      gameIndices,
      sprite: sprites.default,
    })),
};

const nameSchema = lenient(z.string(), () => '');
const languageSchema = lenient(anyObject, () => ({ name: '' })).pipe(
  z.object({ name: nameSchema }),
);

const commonSchema = z.object({
  id: idSchema,
  name: z.string().min(1),
  names: z.array(z.object({ name: nameSchema, language: languageSchema })),
});

/**
 * Parses the response for a record.
 *
 * @throws DataError that names the kind and the record
 */
export function parseRecord<K extends Kind>(
  kind: K,
  json: unknown,
  record: string,
  hint?: string,
): RawRecord<K> {
  const location = { kind, record };
  const { id, name: slug, names } = parse(commonSchema, json, location, { hint });
  const fields = parse(fieldSchemas[kind], json, location, { hint });
  const firstNames = new Map<string, string>();
  // If a language has several names, the first one wins. We iterate in reverse
  // order, so that it is set last.
  for (const { language, name } of names.toReversed()) {
    firstNames.set(language.name, name);
  }
  return { id, slug, ...splitNames(Object.fromEntries(firstNames)), ...fields };
}

/**
 * Reads all records from a PokéAPI v2 server.
 *
 * If the cache contains a complete run, we first ask whether the upstream still has
 * the same edition (deployment). If it does, all records come from the cache.
 * Otherwise, we read every list and then every listed record, all from one edition.
 */
export const restSource: Source = (context) => {
  const { upstream = DEFAULT_UPSTREAM, today, skip, hasNames } = context;
  const cacheKey = { upstream, version: `rest-${RAW_VERSION}` };
  return withFetcher(context, cacheKey, async (fetcher) => {
    const { isCurrent, notices } = await checkCachedEdition(fetcher, upstream);
    const { raw, edition } = isCurrent
      ? reuseCachedRun(fetcher, skip)
      : await fetchRecords(fetcher, upstream, context);
    const provenance = {
      source: 'rest',
      upstream,
      captured: today,
      edition,
      skipped: skip,
    } as const;
    const dataSet = normalize(raw, provenance, hasNames);
    return {
      dataSet,
      source: 'rest',
      isCopy: false,
      isCached: isCurrent,
      requests: fetcher.stats,
      notices,
    };
  });
};

interface RawDataSet {
  readonly raw: RawRecords;
  readonly edition: Edition | null;
}

function reuseCachedRun(fetcher: Fetcher, skip: SourceContext['skip']): RawDataSet {
  // This cast is safe, because the cache checks the version and the checksums of its
  // journal.
  const raw = fetcher.reuseRun() as RawRecords;
  assertSkipsExist(skip, raw);
  return { raw, edition: fetcher.lastEdition };
}

/**
 * Fetches all records. If the run is complete, stores it in the cache, so that the
 * next build may reuse it.
 */
async function fetchRecords(
  fetcher: Fetcher,
  upstream: string,
  context: SourceContext,
): Promise<RawDataSet> {
  const report: ReportProgress = (done, total) => {
    const waiting = fetcher.getRetryStatus;
    context.onProgress?.({ done, total, requests: fetcher.stats, waiting });
  };
  const { value: answers, edition } = await readOneEdition(
    { fetcher, upstream },
    (read) => readAll(read, upstream, context, report),
  );
  const raw = groupRecords(answers);
  if (edition && !context.skip) fetcher.finishRun({ edition, value: raw });
  return { raw, edition };
}

/** An entry of a list, with a link to the record. */
interface ListEntry {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

interface Answer {
  readonly entry: ListEntry;
  /**
   * Undefined if this edition does not have the record. All records are then read
   * again.
   */
  readonly record: RawRecord | undefined;
}

type ReportProgress = (done: number, total: number) => void;

/**
 * Reads every list, and then every listed record that is not skipped.
 *
 * @throws DataError if a list or record is invalid, or if the data is too large to
 * keep in memory
 */
async function readAll(
  read: Read,
  upstream: string,
  { concurrency, skip, maxMemoryBytes }: SourceContext,
  report: ReportProgress,
): Promise<Answer[]> {
  const keep = limitMemory(upstream, maxMemoryBytes);
  report(0, 0);
  const lists = mapKinds((): readonly ListEntry[] => []);
  for (const kind of kindNames) {
    lists[kind] = await readList(read, upstream, kind, keep);
  }
  assertSkipsExist(skip, lists);
  const wantedEntries: ListEntry[] = [];
  for (const kind of kindNames) {
    for (const entry of lists[kind]) {
      const isSkipped = skip?.[kind].includes(entry.id) ?? false;
      if (!isSkipped) wantedEntries.push(entry);
    }
  }

  let done = 0;
  report(done, wantedEntries.length);
  const readEntry = async (entry: ListEntry): Promise<Answer> => {
    const hint = hintAtSkip(entry.kind, entry.id);
    const options = { hint, maxBytes: responseLimits.record };
    const record = await read(entry.url, createRecordCodec(entry, hint), options);
    if (record) keep(estimateBytes(record));
    done++;
    report(done, wantedEntries.length);
    return { entry, record };
  };
  // This limit is higher than the number of connections, so that more requests are
  // sent while responses are being decoded.
  const limit = pLimit(2 * concurrency);
  const answers = limit.map(wantedEntries, readEntry);
  // After a failure, hundreds of thousands of requests may still be waiting, so we
  // discard them.
  return answers.finally(() => limit.clearQueue());
}

/**
 * Groups the records by kind, in the order of their lists.
 *
 * @throws DataError if the response for a record does not match its entry in the
 * list
 */
function groupRecords(answers: readonly Answer[]): RawRecords {
  const records = mapKinds((): RawRecord[] => []);
  for (const { entry, record } of answers) {
    assertListed(entry, record);
    records[entry.kind].push(record);
  }
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
type ListPage = z.infer<typeof listSchema>;

/**
 * Reads a list, which may have several pages if the upstream limits their size.
 *
 * We always request the list, even if the cached list is still fresh, so that new
 * records appear immediately. The number of entries must match the count in the
 * list. Otherwise, a truncated list would look as if records had been removed.
 */
async function readList(
  read: Read,
  upstream: string,
  kind: Kind,
  keep: KeepBytes,
): Promise<ListEntry[]> {
  const location = { kind, record: 'list' };
  const base = new URL(`${upstream}/${kind}/`);
  const codec = createListCodec(base, kind);
  const hint =
    'Try again later, or check the address in --upstream: for PokéAPI, it ends in /api/v2. Lists cannot be skipped.';
  const options = { revalidate: true, hint, maxBytes: responseLimits.list };
  const entries: ListEntry[] = [];
  let query = '?limit=100000&offset=0';
  while (query !== '') {
    const page = await read(`${upstream}/${kind}/${query}`, codec, options);
    // This edition does not have the list. If another edition may have it,
    // everything is read again.
    if (!page) return [];
    keep(estimateBytes(page));
    for (const entry of resolveEntries(page, base, kind)) entries.push(entry);
    const isLast = page.results.length === 0 || entries.length >= page.count;
    query = isLast ? '' : findNextQuery(page, base);
    if (query === '' && entries.length !== page.count) {
      const expected = `expected ${page.count} (the list's count)`;
      throw new DataError(`got ${entries.length} results, ${expected}`, location);
    }
  }
  assertUniqueIds(entries, location);
  return entries;
}

function createListCodec(base: URL, kind: Kind): Codec<ListPage> {
  return {
    decode(body) {
      const page = parse(listSchema, decodeJson(body), { kind, record: 'list' });
      // We check the links before the list is cached. Otherwise, an invalid list in
      // the cache would break every later build.
      resolveEntries(page, base, kind);
      return page;
    },
    revive: (cached) => listSchema.safeParse(cached).data,
  };
}

const resolveEntries = ({ results }: ListPage, base: URL, kind: Kind): ListEntry[] =>
  results.map(({ name, url }) => resolveLink(base, kind, name, url));

/**
 * Returns the query from the link to the next page, or `''` if there is no next
 * page. We ignore the origin and path of the link, because a mirror may not have
 * adapted them.
 */
function findNextQuery({ next }: ListPage, base: URL): string {
  const link = parseUrl(next ?? '', base);
  return link?.search ?? '';
}

const parseUrl = (url: string, base: URL): URL | undefined =>
  URL.canParse(url, base.href) ? new URL(url, base) : undefined;

/**
 * Parses a link to a record. Only the path of the link is used, and the origin is
 * always the configured one.
 *
 * @throws DataError
 */
function resolveLink(base: URL, kind: Kind, slug: string, url: string): ListEntry {
  const link = parseUrl(url, base);
  const isBelow =
    link?.host === base.host && link.pathname.startsWith(base.pathname);
  const rest = isBelow ? link.pathname.slice(base.pathname.length) : '';
  const id = /^[1-9]\d{0,15}(?=\/?$)/.exec(rest)?.[0];
  const start = base.origin + base.pathname;
  if (id === undefined) {
    const problem = `got ${formatValue(url)}, expected a link to ${start}<id>/`;
    throw new DataError(problem, { kind, record: slug, field: 'url' });
  }
  return { kind, id: Number(id), slug, url: `${start}${id}/` };
}

const describeEntry = ({ id, slug }: ListEntry): string => `${slug} (${id})`;

const isListed = ({ id, slug }: ListEntry, record: RawRecord | undefined): boolean =>
  record?.id === id && record.slug === slug;

function createRecordCodec(entry: ListEntry, hint: string): Codec<RawRecord> {
  return {
    decode: (body) =>
      parseRecord(entry.kind, decodeJson(body), describeEntry(entry), hint),
    /**
     * Returns the cached record, but only if its id and slug are still the same in
     * the list.
     */
    revive(cached) {
      const record = (cached ?? undefined) as RawRecord | undefined;
      return isListed(entry, record) ? record : undefined;
    },
  };
}

/**
 * Checks that the response is the record in the list.
 *
 * @throws DataError
 */
function assertListed(
  entry: ListEntry,
  record: RawRecord | undefined,
): asserts record is RawRecord {
  if (isListed(entry, record)) return;
  const { kind, id, slug } = entry;
  const received = `id ${record?.id}, name ${formatValue(record?.slug)}`;
  throw new DataError(
    `got ${received}, expected ${id}, ${formatValue(slug)}, as in the list`,
    { kind, record: describeEntry(entry) },
    { hint: hintAtSkip(kind, id) },
  );
}
