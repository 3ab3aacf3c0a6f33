import pLimit from 'p-limit';
import * as z from 'zod';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { estimateBytes, type KeepBytes, limitMemory, responseLimits } from '../contract/limits.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { idSchema, MAX_RECORDS } from '../contract/records.ts';
import { DataError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import { type Codec, withFetcher } from '../http/fetcher.ts';
import {
  assertUniqueIds,
  type KindFields,
  normalize,
  type RawRecord,
  type RawRecords,
  splitNames,
} from './normalize.ts';
import { checkCachedEdition, type Read, readOneEdition } from './one-edition.ts';
import { assertSkipsExist, hintAtSkip, type Source, type SourceContext } from './source.ts';

export const DEFAULT_UPSTREAM = 'https://pokeapi.co/api/v2';

/** The version of the raw records in the disk cache. Increment it whenever raw records change, or a test fails. */
export const RAW_VERSION = 3;

/** `/api/v2/generation/4/` → 4. */
const generation = z
  .object({ url: z.string().regex(/\/generation\/\d+\/?$/, 'expected a link to a generation') })
  .transform(({ url }) => Number(url.split('/').findLast((part) => part !== '')));

/** Replaces an invalid value of an optional field. A missing key is an error. */
const lenient = <S extends z.ZodType>(schema: S, replace: (value: unknown) => z.output<S>) =>
  z
    .unknown()
    .refine((value) => value !== undefined, 'expected a value')
    .transform((value): z.output<S> => {
      const { success, data } = schema.safeParse(value);
      return success ? data : replace(value);
    });

const anyObject = z.looseObject({});

/** Kind → its fields in a response: https://pokeapi.co/docs/v2#moves, https://pokeapi.co/docs/v2#item */
const fieldSchemas: { readonly [K in Kind]: z.ZodType<KindFields<K>> } = {
  move: z.object({ generation }),
  item: z
    .object({
      game_indices: z.array(
        z
          .object({ game_index: z.int().min(0), generation })
          .transform(({ generation, game_index: index }) => ({ generation, index })),
      ),
      // Some `sprites` are an empty list: https://github.com/PokeAPI/pokeapi/issues/71
      sprites: lenient(anyObject, (value) => ({ default: formatValue(value) })).pipe(
        z.object({ default: lenient(z.string().nullable(), formatValue) }),
      ),
    })
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

export function parseRecord<K extends Kind>(
  kind: K,
  json: unknown,
  record: string,
  hint?: string,
): RawRecord<K> {
  const { id, name: slug, names } = parse(commonSchema, json, { kind, record }, { hint });
  const fields = parse(fieldSchemas[kind], json, { kind, record }, { hint });
  // The first of several names in a language wins.
  const first = Object.fromEntries(
    names.toReversed().map(({ language, name }) => [language.name, name]),
  );
  return { id, slug, ...splitNames(first), ...fields };
}

/** Reads every list, then every listed record. If the cache has the current edition, requests only the edition. */
export const rest: Source = (context) => {
  const { upstream = DEFAULT_UPSTREAM, today, skip, hasNames, onProgress } = context;
  return withFetcher(context, { upstream, version: `rest-${RAW_VERSION}` }, async (fetcher) => {
    const { isCurrent, notices } = await checkCachedEdition(fetcher, upstream);
    const report = (done: number, total: number) =>
      onProgress?.({ done, total, requests: fetcher.stats, waiting: fetcher.getRetryStatus });
    let raw: RawRecords;
    let edition = fetcher.lastEdition;
    if (isCurrent) {
      // The journal's version and checksums guarantee the type.
      raw = fetcher.reuseRun() as RawRecords;
      assertSkipsExist(skip, raw);
    } else {
      const found = await readOneEdition({ fetcher, upstream }, (read) =>
        readAll(read, upstream, context, report),
      );
      edition = found.edition;
      raw = mapKinds((kind) =>
        found.value.filter(([listed]) => listed.kind === kind).map(matchList),
      ) as RawRecords;
      if (edition && !skip) fetcher.finishRun({ edition, value: raw });
    }
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

interface Listed {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

type Answer = readonly [Listed, RawRecord | undefined];

/**
 * Reads every list, then every listed record that is not skipped.
 *
 * @throws DataError if the lists or records are invalid, or too large to be kept in memory
 */
async function readAll(
  read: Read,
  upstream: string,
  { concurrency, skip, maxMemoryBytes }: SourceContext,
  report: (done: number, total: number) => void,
): Promise<Answer[]> {
  const keep = limitMemory(upstream, maxMemoryBytes);
  report(0, 0);
  const lists = mapKinds((): readonly Listed[] => []);
  for (const kind of kindNames) lists[kind] = await readList(read, upstream, kind, keep);
  assertSkipsExist(skip, lists);
  const wanted = kindNames.flatMap((kind) =>
    lists[kind].filter(({ id }) => !skip?.[kind].includes(id)),
  );
  const total = wanted.length;
  let done = 0;
  report(done, total);
  // The limit exceeds the number of connections, so that requests are sent while responses are decoded.
  const limit = pLimit(2 * concurrency);
  const answers = limit.map(wanted, async (listed) => {
    const hint = hintAtSkip(listed.kind, listed.id);
    const options = { hint, maxBytes: responseLimits.record };
    const record = await read(listed.url, createCodec(listed, hint), options);
    if (record) keep(estimateBytes(record));
    report(++done, total);
    return [listed, record] as const;
  });
  // After a failure, hundreds of thousands of requests may be waiting.
  return answers.finally(() => limit.clearQueue());
}

/** https://pokeapi.co/docs/v2#resource-listspagination-section */
const listSchema = z.object({
  count: z.int().min(0).max(MAX_RECORDS),
  next: z.string().nullish(),
  results: z.array(z.object({ name: z.string(), url: z.string() })),
});
type List = z.infer<typeof listSchema>;

/** Reads a list, in pages if the upstream caps the limit. Always revalidates, so that new records appear immediately. */
async function readList(
  read: Read,
  upstream: string,
  kind: Kind,
  keep: KeepBytes,
): Promise<Listed[]> {
  const location = { kind, record: 'list' };
  const base = new URL(`${upstream}/${kind}/`);
  const resolve = ({ results }: List): Listed[] =>
    results.map(({ name, url }) => resolveLink(base, kind, name, url));
  const codec: Codec<List> = {
    decode(body) {
      const list = parse(listSchema, decodeJson(body), location);
      // Links are checked before the list is cached, because a cached invalid list would break every later build.
      resolve(list);
      return list;
    },
    revive: (cached) => listSchema.safeParse(cached).data,
  };
  const hint = 'Try again later, or choose another --upstream. --skip cannot skip a list.';
  const options = { revalidate: true, hint, maxBytes: responseLimits.list };
  const listed: Listed[] = [];
  let query = '?limit=100000&offset=0';
  while (query !== '') {
    const list = await read(`${upstream}/${kind}/${query}`, codec, options);
    if (!list) return [];
    keep(estimateBytes(list));
    for (const one of resolve(list)) listed.push(one);
    const isLast = list.results.length === 0 || listed.length >= list.count;
    // The link's origin and path are ignored.
    query = (!isLast && parseUrl(list.next ?? '', base)?.search) || '';
    if (query === '' && listed.length !== list.count)
      throw new DataError(
        `got ${listed.length} results, expected ${list.count} (the list's count)`,
        location,
      );
  }
  assertUniqueIds(listed, location);
  return listed;
}

const parseUrl = (url: string, base: URL): URL | undefined =>
  URL.canParse(url, base.href) ? new URL(url, base) : undefined;

/** Resolves a link to a record by its path, on the configured origin. */
function resolveLink(base: URL, kind: Kind, slug: string, url: string): Listed {
  const link = parseUrl(url, base);
  const isBelow = link?.host === base.host && link.pathname.startsWith(base.pathname);
  const [id] =
    /^[1-9]\d{0,15}(?=\/?$)/.exec(isBelow ? link.pathname.slice(base.pathname.length) : '') ?? [];
  const start = base.origin + base.pathname;
  if (id !== undefined) return { kind, id: Number(id), slug, url: `${start}${id}/` };
  const problem = `got ${formatValue(url)}, expected a link to ${start}<id>/`;
  throw new DataError(problem, { kind, record: slug, field: 'url' });
}

const describeListed = ({ id, slug }: Listed): string => `${slug} (${id})`;

const isListed = ({ id, slug }: Listed, record: RawRecord | undefined): boolean =>
  record?.id === id && record.slug === slug;

const createCodec = (listed: Listed, hint: string): Codec<RawRecord> => ({
  decode: (body) => parseRecord(listed.kind, decodeJson(body), describeListed(listed), hint),
  revive(cached) {
    const record = (cached ?? undefined) as RawRecord | undefined;
    return isListed(listed, record) ? record : undefined;
  },
});

function matchList([listed, record]: Answer): RawRecord {
  if (record && isListed(listed, record)) return record;
  const { kind, id, slug } = listed;
  const problem = `got id ${record?.id}, name ${formatValue(record?.slug)}, expected ${id}, ${formatValue(slug)}, as in the list`;
  throw new DataError(
    problem,
    { kind, record: describeListed(listed) },
    { hint: hintAtSkip(kind, id) },
  );
}
