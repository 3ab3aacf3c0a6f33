/** The REST source: reads every record from PokeAPI v2 or a mirror of it. */

import pLimit from 'p-limit';
import * as z from 'zod';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { idSchema, MAX_RECORDS } from '../contract/records.ts';
import { DataError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import { type Codec, type Fetcher, withFetcher } from '../http/fetcher.ts';
import {
  normalize,
  type OwnOf,
  type RawOf,
  type RawRecords,
  rawSchemas,
  refuseRepeatedIds,
  splitNames,
} from './normalize.ts';
import { checkCachedEdition, type EditionReader, readOneEdition } from './one-edition.ts';
import { refuseUnknownSkips } from './skip.ts';
import type { Source, SourceContext } from './source.ts';

export const DEFAULT_UPSTREAM = 'https://pokeapi.co/api/v2';

/**
 * The version of the raw records in the disk cache. Increase it with every change to their schemas, or to how a response
 * is reduced to them: caches of other versions are discarded. A test fails if that is forgotten.
 */
export const RAW_VERSION = 3;

/** `/api/v2/generation/4/` → 4. */
const generation = z
  .object({ url: z.string().regex(/\/generation\/\d+\/?$/, 'expected a link to a generation') })
  .transform(({ url }) => Number(url.split('/').findLast((part) => part !== '')));

/** For what a record can do without: a value that is there, and does not fit, becomes another one. A missing key is an error. */
const lenient = <S extends z.ZodType>(schema: S, other: (value: unknown) => z.output<S>) =>
  z.unknown().transform((value, { issues }): z.output<S> => {
    const { data, error } = schema.safeParse(value);
    if (!error) return data;
    if (value !== undefined) return other(value);
    for (const issue of error.issues) issues.push({ ...issue, input: value });
    return z.NEVER;
  });

const anyObject = z.looseObject({});

/** Kind → the fields of its own in a response: https://pokeapi.co/docs/v2#moves, https://pokeapi.co/docs/v2#item */
const ownSchemas: { readonly [K in Kind]: z.ZodType<OwnOf<K>> } = {
  move: z.object({ generation }),
  item: z
    .object({
      game_indices: z.array(
        z
          .object({ game_index: z.int().min(0), generation })
          .transform((listed) => ({ generation: listed.generation, index: listed.game_index })),
      ),
      // An empty list, in some: https://github.com/PokeAPI/pokeapi/issues/71
      sprites: lenient(anyObject, (value) => ({ default: formatValue(value) })).pipe(
        z.object({ default: lenient(z.string().nullable(), formatValue) }),
      ),
    })
    .transform(({ game_indices: gameIndices, sprites }) => ({ gameIndices, sprite: sprites.default })),
};

const nameSchema = lenient(z.string(), () => '');
const languageSchema = lenient(anyObject, () => ({ name: '' })).pipe(z.object({ name: nameSchema }));

const commonSchema = z.object({
  id: idSchema,
  name: z.string().min(1),
  names: z.array(z.object({ name: nameSchema, language: languageSchema })),
});

export function readAnswer<K extends Kind>(kind: K, json: unknown, record: string): RawOf<K> {
  const { id, name: slug, names } = parse(commonSchema, json, { kind, record });
  const own = parse(ownSchemas[kind], json, { kind, record });
  // Of several names in a language, the first counts.
  const first = Object.fromEntries(names.toReversed().map(({ language, name }) => [language.name, name]));
  return { id, slug, ...splitNames(first), ...own };
}

/** Every list, then every record on them. If the cache is complete and of the present edition, only that is asked for. */
export const rest: Source = (context) => {
  const { upstream = DEFAULT_UPSTREAM, today, skip, hasNames, firstRetries } = context;
  return withFetcher(context, { upstream, version: `rest-${RAW_VERSION}` }, async (fetcher) => {
    const { isPresent, notices } = await checkCachedEdition(fetcher, upstream, firstRetries);
    let raw: RawRecords;
    let edition = fetcher.lastEdition;
    if (isPresent) {
      // Of this version's shape, as the journal's checksums and version say.
      raw = fetcher.recallRun() as RawRecords;
      refuseUnknownSkips(skip, raw);
    } else {
      const read = (reader: EditionReader) => readAll(reader, { ...context, upstream, fetcher });
      const found = await readOneEdition({ fetcher, upstream }, read);
      edition = found.edition;
      raw = mapKinds((kind) =>
        found.value.filter(([listed]) => listed.kind === kind).map(matchList),
      ) as RawRecords;
      if (edition && !skip) fetcher.noteRun({ edition, value: raw });
    }
    const provenance = { source: 'rest', upstream, captured: today, edition, skipped: skip } as const;
    const dataSet = normalize(raw, provenance, hasNames);
    return { dataSet, source: 'rest', requests: fetcher.stats, isCached: isPresent, notices };
  });
};

interface RestOptions extends SourceContext {
  readonly upstream: string;
  readonly fetcher: Fetcher;
}

interface Listed {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

/** What a list names, and the answer for it; undefined if there was none. */
type Answer = readonly [Listed, RawOf<Kind> | undefined];

async function readAll(reader: EditionReader, options: RestOptions): Promise<Answer[]> {
  const { fetcher, upstream, concurrency, firstRetries, skip, onProgress } = options;
  let [done, total] = [0, 0];
  const report = (): void => onProgress?.({ done, total, requests: fetcher.stats, waiting: fetcher.waiting });
  report();
  const lists: Listed[][] = [];
  for (const [at, kind] of kindNames.entries())
    lists.push(await readList(reader, upstream, kind, at === 0 ? firstRetries : undefined));
  const all = lists.flat();
  refuseUnknownSkips(
    skip,
    mapKinds((kind) => all.filter((listed) => listed.kind === kind)),
  );
  const wanted = all.filter(({ kind, id }) => !skip?.[kind].includes(id));
  total = wanted.length;
  report();
  // More than there are connections: the next requests are sent while responses are decoded.
  const limit = pLimit(2 * concurrency);
  const answers = limit.map(wanted, async (listed) => {
    const hint = `If ${listed.url} stays like that: to build without this record, add --skip ${listed.kind}/${listed.id}.`;
    const record = await reader.read(listed.url, recordCodec(listed), {
      hint,
      maxBytes: responseLimits.record,
    });
    done++;
    report();
    return [listed, record] as const;
  });
  // After a failure, hundreds of thousands of requests may be waiting.
  return answers.finally(() => limit.clearQueue());
}

/** https://pokeapi.co/docs/v2#resource-listspagination-section */
const listSchema = z.object({
  count: z.int().min(0).max(MAX_RECORDS),
  results: z.array(z.object({ name: z.string(), url: z.string() })),
});

/** One request with a limit beyond any count. Always revalidated, so that additions show at once. */
async function readList(reader: EditionReader, upstream: string, kind: Kind, retries?: number | undefined) {
  const location = { kind, record: 'list' };
  const codec: Codec<z.infer<typeof listSchema>> = {
    decode: (body) => parse(listSchema, decodeJson(body), location),
    revive(cached) {
      const list = listSchema.safeParse(cached).data;
      // A list of another kind would be rejected in every future build.
      return list?.results.every(({ url }) => url.includes(`/${kind}/`)) ? list : undefined;
    },
  };
  const url = `${upstream}/${kind}/?limit=100000&offset=0`;
  const hint = `If ${url} stays like that, name another --upstream: --skip leaves out records, not lists.`;
  const answer = await reader.read(url, codec, {
    revalidate: true,
    retries,
    hint,
    maxBytes: responseLimits.list,
  });
  if (!answer) return [];
  const { count, results } = answer;
  if (results.length !== count)
    throw new DataError(`got ${results.length} results: expected ${count}, its count`, location);
  const base = new URL(`${upstream}/${kind}/`);
  const listed = results.map(({ name, url }) => resolveLink(base, kind, name, url));
  refuseRepeatedIds(listed, location);
  return listed;
}

/** A record of a list, on the configured origin; a link to another host is an error. */
function resolveLink(base: URL, kind: Kind, slug: string, url: string): Listed {
  const link = URL.canParse(url, base.href) ? new URL(url, base) : undefined;
  const isBelow = link?.host === base.host && link.pathname.startsWith(base.pathname);
  const [id] = /^[1-9]\d{0,15}(?=\/?$)/.exec(isBelow ? link.pathname.slice(base.pathname.length) : '') ?? [];
  const start = base.origin + base.pathname;
  if (id !== undefined) return { kind, id: Number(id), slug, url: `${start}${id}/` };
  const problem = `got ${formatValue(url)}: expected a link to ${start}<id>/`;
  throw new DataError(problem, { kind, record: slug, field: 'url' });
}

const nameOf = ({ id, slug }: Listed): string => `${slug} (${id})`;

const recordCodec = (listed: Listed): Codec<RawOf<Kind>> => ({
  decode: (body) => readAnswer(listed.kind, decodeJson(body), nameOf(listed)),
  revive(cached) {
    const record = rawSchemas[listed.kind].safeParse(cached).data as RawOf<Kind> | undefined;
    // One that contradicts its list has been renamed.
    return record?.id === listed.id && record.slug === listed.slug ? record : undefined;
  },
});

function matchList([listed, record]: Answer): RawOf<Kind> {
  const { kind, id, slug } = listed;
  if (record?.id === id && record.slug === slug) return record;
  const problem = `got id ${record?.id}, name ${formatValue(record?.slug)}: expected ${id}, ${formatValue(slug)}, as in the list`;
  throw new DataError(problem, { kind, record: nameOf(listed) });
}
