/** The REST source: reads every record from PokeAPI v2 or a mirror of it. */

import pLimit from 'p-limit';
import type { Kind } from '../contract/kinds.ts';
import { parse, show } from '../contract/parse.ts';
import { DataError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import type { Fetcher } from '../http/fetcher.ts';
import { refuseRepeatedIds } from './normalize.ts';
import { RAW_VERSION, type RawOf, type RawRecords, rawSchemas } from './raw.ts';
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
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A record on a list, and its URL. */
interface Listed {
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

/**
 * Reads both lists, then every record on them.
 *
 * @throws UpstreamError if there is no valid response
 * @throws DataError if a list contradicts itself, or a record contradicts its list or its schema
 */
export async function readRest(options: RestOptions): Promise<RawRecords> {
  const { fetcher, concurrency, firstRetries, onProgress } = options;
  const lists = {
    move: await readList(options, 'move', firstRetries),
    item: await readList(options, 'item'),
  };
  const total = lists.move.length + lists.item.length;
  let done = 0;
  const report = (): void => onProgress?.({ done, total, requests: fetcher.stats });
  report();
  const limit = pLimit(concurrency);
  const readAll = <K extends Kind>(kind: K): Promise<RawOf<K>[]> =>
    limit.map(lists[kind], async (entry) => {
      const record = await readRecord(fetcher, kind, entry);
      done++;
      report();
      return record;
    });
  const [move, item] = await Promise.all([readAll('move'), readAll('item')]);
  return { move, item };
}

/** One request with a limit beyond any count. Always revalidated, so that additions show at once. */
async function readList(
  { upstream, fetcher }: RestOptions,
  kind: Kind,
  retries?: number | undefined,
): Promise<Listed[]> {
  const url = `${upstream}/${kind}/?limit=100000&offset=0`;
  const location = { kind, record: 'list' };
  const answer = await fetcher.load(
    url,
    {
      decode: (body) => parse(listSchema, decodeJson(body), location),
      revive(cached) {
        const list = listSchema.safeParse(cached).data;
        // A list of another kind would be rejected in every future build.
        return list?.results.every(({ url }) => url.includes(`/${kind}/`)) ? list : undefined;
      },
    },
    { revalidate: true, retries },
  );
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

async function readRecord<K extends Kind>(
  fetcher: Fetcher,
  kind: K,
  { id, slug, url }: Listed,
): Promise<RawOf<K>> {
  const name = `${slug} (${id})`;
  const isListed = (record: { id: number; slug: string }): boolean =>
    record.id === id && record.slug === slug;
  const record = await fetcher.load<RawOf<K>>(url, {
    decode: (body) => readRecordAnswer[kind](decodeJson(body), name),
    revive(cached) {
      const record = rawSchemas[kind].safeParse(cached).data as RawOf<K> | undefined;
      // The list is always up to date: a record that contradicts it has been renamed.
      return record && isListed(record) ? record : undefined;
    },
  });
  if (isListed(record)) return record;
  const problem = `got id ${record.id}, name ${show(record.slug)}: expected ${id}, ${show(slug)}, as in the list`;
  throw new DataError(problem, { kind, record: name });
}
