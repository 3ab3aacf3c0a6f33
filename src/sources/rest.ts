/** The REST source: reads every record from a PokeAPI v2 or anything that answers like one. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import type { Kind } from '../contract/kinds.ts';
import { parse, show } from '../contract/parse.ts';
import { DataError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import type { Fetcher } from '../http/fetcher.ts';
import { PACKAGE_ROOT } from '../version.ts';
import { type RawOf, type RawRecords, rawSchemas } from './raw.ts';
import { type ListAnswer, listSchema, readRecordAnswer } from './rest-answers.ts';
import type { Progress } from './source.ts';

/** The fingerprint of what is kept of an answer: the very file that says so. */
export function restCacheVersion(): string {
  const answers = path.join(PACKAGE_ROOT, 'dist', 'sources', 'rest-answers.js');
  return createHash('sha256').update(readFileSync(answers)).digest('hex').slice(0, 16);
}

export interface RestOptions {
  /** The base address, such as `https://pokeapi.co/api/v2`, without a slash at the end. */
  readonly upstream: string;
  readonly fetcher: Fetcher;
  readonly concurrency: number;
  /** How often the very first request is sent again; left out, as often as any other. */
  readonly firstRetries?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A record that a list names, and where it is asked for. */
interface Listed {
  readonly id: number;
  readonly slug: string;
  readonly url: string;
}

/**
 * Reads both lists, then every record on them.
 *
 * @throws UpstreamError where an answer does not come or is of no use
 * @throws DataError where a list contradicts itself, or a record its list or its schema
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

/** One request with a limit past any count. Always asked for anew, so that additions show at once. */
async function readList(
  { upstream, fetcher }: RestOptions,
  kind: Kind,
  retries?: number | undefined,
): Promise<Listed[]> {
  const url = `${upstream}/${kind}/?limit=100000&offset=0`;
  const answer = await fetcher.load(
    url,
    {
      decode: (body) => parse(listSchema, decodeJson(body), { kind, record: 'list' }),
      revive(cached) {
        const list = listSchema.safeParse(cached).data;
        // Of another kind it would be refused in every build to come.
        return list?.results.every(({ url }) => url.includes(`/${kind}/`)) ? list : undefined;
      },
    },
    { revalidate: true, ...(retries !== undefined && { retries }) },
  );
  if (answer.results.length !== answer.count) {
    throw new DataError(`got ${answer.results.length} results: expected ${answer.count}, as its count says`, {
      kind,
      record: 'list',
    });
  }
  return resolveLinks(upstream, kind, answer);
}

/** The records of a list, each on the configured origin; a link to any other host is refused. */
function resolveLinks(upstream: string, kind: Kind, { results }: ListAnswer): Listed[] {
  const base = new URL(`${upstream}/${kind}/`);
  const listed = results.map(({ name, url }): Listed => {
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
  const ids = new Set(listed.map(({ id }) => id));
  if (ids.size < listed.length) {
    const repeated = listed.filter(({ id }) => !ids.delete(id)).map(({ id, slug }) => `${id} (${slug})`);
    throw new DataError(`got repeated ids: ${repeated.join(', ')}: expected each record once`, {
      kind,
      record: 'list',
    });
  }
  return listed;
}

async function readRecord<K extends Kind>(
  fetcher: Fetcher,
  kind: K,
  { id, slug, url }: Listed,
): Promise<RawOf<K>> {
  const isListed = (record: { id: number; slug: string }): boolean =>
    record.id === id && record.slug === slug;
  const record = await fetcher.load<RawOf<K>>(url, {
    decode: (body) => readRecordAnswer[kind](decodeJson(body), `${slug} (${id})`),
    revive(cached) {
      const record = rawSchemas[kind].safeParse(cached).data as RawOf<K> | undefined;
      // The list is always new: what contradicts it was renamed since.
      return record && isListed(record) ? record : undefined;
    },
  });
  if (!isListed(record)) {
    throw new DataError(
      `got id ${record.id}, name ${show(record.slug)}: expected ${id}, ${show(slug)}, as the list says`,
      {
        kind,
        record: `${slug} (${id})`,
      },
    );
  }
  return record;
}
