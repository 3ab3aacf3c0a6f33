/** The REST source: reads every record from PokeAPI v2 or a mirror of it. */

import pLimit from 'p-limit';
import * as z from 'zod';
import type { Edition } from '../contract/edition.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse, show } from '../contract/parse.ts';
import { idSchema } from '../contract/records.ts';
import { DataError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import { type Codec, type Fetcher, withFetcher } from '../http/fetcher.ts';
import {
  normalize,
  type OwnOf,
  RAW_VERSION,
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

/** `/api/v2/generation/4/` → 4. */
const generation = z
  .object({ url: z.string().regex(/\/generation\/\d+\/?$/, 'expected a link to a generation') })
  .transform(({ url }) => Number(url.split('/').findLast((part) => part !== '')));

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
      sprites: z.object({ default: z.string().nullable() }),
    })
    .transform(({ game_indices: gameIndices, sprites }) => ({ gameIndices, sprite: sprites.default })),
};

const commonSchema = z.object({
  id: idSchema,
  name: z.string().min(1),
  names: z.array(z.object({ name: z.string(), language: z.object({ name: z.string() }) })),
});

/** Reduces a response to a raw record. `record` names it in errors. */
export function readAnswer<K extends Kind>(kind: K, json: unknown, record: string): RawOf<K> {
  const { id, name: slug, names } = parse(commonSchema, json, { kind, record });
  const own = parse(ownSchemas[kind], json, { kind, record });
  // Of several names in a language, the first counts.
  const first = Object.fromEntries(names.toReversed().map(({ language, name }) => [language.name, name]));
  return { id, slug, ...splitNames(first), ...own };
}

export const rest: Source = {
  name: 'rest',
  load(context) {
    const { upstream = DEFAULT_UPSTREAM, today, skip, hasNames } = context;
    const version = `rest-${RAW_VERSION}`;
    return withFetcher(context, { upstream, version }, async (fetcher) => {
      const { raw, edition, ...about } = await readRest({ ...context, upstream, fetcher });
      const provenance = {
        ...({ source: 'rest', upstream, captured: today, edition } as const),
        ...(skip && { skipped: skip }),
      };
      const dataSet = normalize(raw, provenance, hasNames);
      return { dataSet, source: 'rest', requests: fetcher.stats, ...about };
    });
  },
};

interface RestOptions extends SourceContext {
  /** The base URL without a trailing slash. */
  readonly upstream: string;
  readonly fetcher: Fetcher;
}

interface RestRecords {
  readonly raw: RawRecords;
  readonly edition: Edition | null;
  /** True if the cache has this edition, and nothing but that was asked for. */
  readonly isCached: boolean;
  readonly notices: readonly string[];
}

interface Listed {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

/** What a list names, and the answer for it; undefined if there was none. */
type Answer = readonly [Listed, RawOf<Kind> | undefined];

/**
 * Reads every list, then every record on them, all of one edition. If the cache is complete and of the present edition,
 * only that is asked for.
 *
 * @throws UpstreamError if there is no valid response, or only a mixture of editions
 * @throws DataError if a list contradicts itself, or a record contradicts its list or its schema
 */
async function readRest(options: RestOptions): Promise<RestRecords> {
  const { fetcher, upstream, skip } = options;
  const { isPresent, notices } = await checkCachedEdition(fetcher, upstream, options.firstRetries);
  // Of this version's shape, as the journal's checksums and version say.
  if (isPresent) {
    const raw = fetcher.recallRun() as RawRecords;
    refuseUnknownSkips(skip, raw);
    return { raw, edition: fetcher.lastEdition, isCached: true, notices };
  }
  const { value, edition } = await readOneEdition(options, (reader) => readAll(reader, options));
  const raw = mapKinds((kind) =>
    value.filter(([listed]) => listed.kind === kind).map(matchList),
  ) as RawRecords;
  if (edition && !skip) fetcher.noteRun({ edition, value: raw });
  return { raw, edition, isCached: false, notices };
}

async function readAll(reader: EditionReader, options: RestOptions): Promise<Answer[]> {
  const { fetcher, concurrency, firstRetries, skip, onProgress } = options;
  let [done, total] = [0, 0];
  const report = (): void => onProgress?.({ done, total, requests: fetcher.stats, waiting: fetcher.waiting });
  report();
  const all: Listed[] = [];
  for (const [at, kind] of kindNames.entries())
    all.push(...(await readList(reader, options, kind, at === 0 ? firstRetries : undefined)));
  refuseUnknownSkips(
    skip,
    mapKinds((kind) => all.filter((listed) => listed.kind === kind)),
  );
  const wanted = all.filter(({ kind, id }) => !skip?.[kind].includes(id));
  total = wanted.length;
  report();
  // More than there are connections: the next requests are sent while responses are decoded.
  return pLimit(2 * concurrency).map(wanted, async (listed) => {
    const record = await reader.read(listed.url, recordCodec(listed));
    done++;
    report();
    return [listed, record] as const;
  });
}

/** https://pokeapi.co/docs/v2#resource-listspagination-section */
const listSchema = z.object({
  count: z.int().min(0),
  results: z.array(z.object({ name: z.string(), url: z.string() })),
});
type ListAnswer = z.infer<typeof listSchema>;

/** One request with a limit beyond any count. Always revalidated, so that additions show at once. */
async function readList(
  reader: EditionReader,
  { upstream }: RestOptions,
  kind: Kind,
  retries?: number | undefined,
): Promise<Listed[]> {
  const location = { kind, record: 'list' };
  const codec: Codec<ListAnswer> = {
    decode: (body) => parse(listSchema, decodeJson(body), location),
    revive(cached) {
      const list = listSchema.safeParse(cached).data;
      // A list of another kind would be rejected in every future build.
      return list?.results.every(({ url }) => url.includes(`/${kind}/`)) ? list : undefined;
    },
  };
  const url = `${upstream}/${kind}/?limit=100000&offset=0`;
  const answer = await reader.read(url, codec, { revalidate: true, retries });
  if (!answer) return [];
  const { count, results } = answer;
  if (results.length !== count)
    throw new DataError(`got ${results.length} results: expected ${count}, its count`, location);
  const listed = resolveLinks(upstream, kind, answer);
  refuseRepeatedIds(listed, location);
  return listed;
}

/** The records of a list, each on the configured origin; a link to another host is an error. */
function resolveLinks(upstream: string, kind: Kind, { results }: ListAnswer): Listed[] {
  const base = new URL(`${upstream}/${kind}/`);
  return results.map(({ name, url }): Listed => {
    const link = URL.canParse(url, base.href) ? new URL(url, base) : undefined;
    const id = link?.pathname.startsWith(base.pathname)
      ? link.pathname.slice(base.pathname.length).replace(/\/$/, '')
      : '';
    if (link?.host !== base.host || !/^[1-9]\d{0,15}$/.test(id)) {
      throw new DataError(`got ${show(url)}: expected a link to ${base.origin}${base.pathname}<id>/`, {
        kind,
        record: name,
        field: 'url',
      });
    }
    return { kind, id: Number(id), slug: name, url: `${base.origin}${base.pathname}${id}/` };
  });
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

/** A record has to be what its list says. */
function matchList([listed, record]: Answer): RawOf<Kind> {
  const { kind, id, slug } = listed;
  if (record?.id === id && record.slug === slug) return record;
  const problem = `got id ${record?.id}, name ${show(record?.slug)}: expected ${id}, ${show(slug)}, as in the list`;
  throw new DataError(problem, { kind, record: nameOf(listed) });
}
