/** The REST source: reads every record from PokeAPI v2 or a mirror of it. */

import pLimit from 'p-limit';
import type { Edition } from '../contract/edition.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { parse, show } from '../contract/parse.ts';
import type { Skipped } from '../contract/records.ts';
import { DataError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import type { Codec, Fetcher } from '../http/fetcher.ts';
import {
  RAW_VERSION,
  type RawOf,
  type RawRecords,
  rawSchemas,
  refuseRepeatedIds,
  refuseUnknownSkips,
} from './normalize.ts';
import { checkCachedEdition, type EditionReader, readOneEdition } from './one-edition.ts';
import { type ListAnswer, listSchema, readRecordAnswer } from './rest-answers.ts';
import type { Progress } from './source.ts';

export const REST_CACHE_VERSION = `rest-${RAW_VERSION}`;

export interface RestOptions {
  /** The base URL without a trailing slash, such as `https://pokeapi.co/api/v2`. */
  readonly upstream: string;
  readonly fetcher: Fetcher;
  readonly concurrency: number;
  /** Overrides the number of retries of the very first request. */
  readonly firstRetries?: number | undefined;
  /** The records to leave out: they are not even asked for, as they may be what cannot be read. */
  readonly skip?: Skipped | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Every record, and the edition of the upstream that all of them are of. */
export interface RestRecords {
  readonly raw: RawRecords;
  readonly edition: Edition | null;
  /** True if the cache has this edition, and nothing but that was asked for. */
  readonly isCached: boolean;
  /** What was doubtful and ignored. */
  readonly notices: readonly string[];
}

/** A record on a list, and its URL. */
interface Listed {
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

/** Kind → its list, and the answer for each record on it; undefined if there was none. */
type Answers = { readonly [K in Kind]: readonly (readonly [Listed, RawOf<K> | undefined])[] };

/**
 * Reads both lists, then every record on them, all of one edition. If the cache is complete and of the present edition,
 * only that is asked for.
 *
 * @throws UpstreamError if there is no valid response, or only a mixture of editions
 * @throws DataError if a list contradicts itself, or a record contradicts its list or its schema
 */
export async function readRest(options: RestOptions): Promise<RestRecords> {
  const { fetcher, upstream } = options;
  const { isPresent, notices } = await checkCachedEdition(fetcher, upstream, options.firstRetries);
  // Of this version's shape, as the journal's checksums and version say.
  if (isPresent) {
    const raw = fetcher.recallRun() as RawRecords;
    refuseUnknownSkips(options.skip, raw);
    return { raw, edition: fetcher.lastEdition, isCached: true, notices };
  }
  const { value, edition } = await readOneEdition(options, (reader) => readAll(reader, options));
  const matched = <K extends Kind>(kind: K): RawOf<K>[] =>
    value[kind].map(([listed, record]) => matchList(kind, listed, record));
  const raw = { move: matched('move'), item: matched('item') };
  if (edition && !options.skip) fetcher.noteRun({ edition, value: raw });
  return { raw, edition, isCached: false, notices };
}

async function readAll(reader: EditionReader, options: RestOptions): Promise<Answers> {
  const { fetcher, concurrency, firstRetries, skip, onProgress } = options;
  let [done, total] = [0, 0];
  const report = (): void => onProgress?.({ done, total, requests: fetcher.stats, waiting: fetcher.waiting });
  report();
  const listed = {
    move: await readList(reader, options, 'move', firstRetries),
    item: await readList(reader, options, 'item'),
  };
  refuseUnknownSkips(skip, listed);
  const lists = mapKinds((kind) => listed[kind].filter(({ id }) => !skip?.[kind].includes(id)));
  total = lists.move.length + lists.item.length;
  report();
  // More than there are connections: the next requests are sent while responses are decoded.
  const limit = pLimit(2 * concurrency);
  const readKind = <K extends Kind>(kind: K): Promise<(readonly [Listed, RawOf<K> | undefined])[]> =>
    limit.map(lists[kind], async (listed) => {
      const record = await reader.read(listed.url, recordCodec(kind, listed));
      done++;
      report();
      return [listed, record] as const;
    });
  const [move, item] = await Promise.all([readKind('move'), readKind('item')]);
  return { move, item };
}

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
    return { id: Number(id), slug: name, url: `${base.origin}${base.pathname}${id}/` };
  });
}

const nameOf = ({ id, slug }: Listed): string => `${slug} (${id})`;

const recordCodec = <K extends Kind>(kind: K, listed: Listed): Codec<RawOf<K>> => ({
  decode: (body) => readRecordAnswer[kind](decodeJson(body), nameOf(listed)),
  revive(cached) {
    const record = rawSchemas[kind].safeParse(cached).data as RawOf<K> | undefined;
    // One that contradicts its list has been renamed.
    return record?.id === listed.id && record.slug === listed.slug ? record : undefined;
  },
});

/** A record has to be what its list says. */
function matchList<K extends Kind>(kind: K, listed: Listed, record: RawOf<K> | undefined): RawOf<K> {
  const { id, slug } = listed;
  if (record?.id === id && record.slug === slug) return record;
  const problem = `got id ${record?.id}, name ${show(record?.slug)}: expected ${id}, ${show(slug)}, as in the list`;
  throw new DataError(problem, { kind, record: nameOf(listed) });
}
