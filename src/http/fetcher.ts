/** The client and the cache as one: loads what an address answers, by way of the cheapest request that is still right. */

import { UpstreamError } from '../errors.ts';
import type { Cache } from './cache.ts';
import type { Answer, ClientStats, GetOptions, HttpClient } from './client.ts';

/** How an answer becomes a value, and how a cached value is known to be one still. */
export interface Codec<T> {
  decode(body: Buffer): T;
  /** Returns undefined where the cached value is not what `decode` would make today. */
  revive(cached: unknown): T | undefined;
}

export interface FetcherStats extends Readonly<ClientStats> {
  /** Answers taken from the cache, with or without asking whether they still hold. */
  readonly cacheHits: number;
}

export interface Fetcher {
  readonly stats: FetcherStats;
  load<T>(url: string, codec: Codec<T>, options?: LoadOptions<T>): Promise<T>;
  /** What the cache has, however old it is; undefined where it has nothing. */
  recall<T>(url: string, codec: Codec<T>): T | undefined;
}

export interface LoadOptions<T> {
  /** Ask the upstream even where the cached answer is still fresh. */
  readonly revalidate?: boolean;
  readonly retries?: number;
  readonly maxBytes?: number;
  /** What counts, and is kept, where the upstream says that there is nothing: 404 or 410. Left out, that is a failure. */
  readonly absent?: { readonly value: T };
}

export function createFetcher({ client, cache }: { client: HttpClient; cache: Cache }): Fetcher {
  let cacheHits = 0;

  /** Asks the upstream; null where it says that there is nothing, and that may be. */
  async function ask<T>(
    url: string,
    codec: Codec<T>,
    { absent, options }: { absent: boolean; options: GetOptions },
  ): Promise<Answer<T> | null> {
    try {
      return await client.get(url, codec.decode, options);
    } catch (error) {
      const status = error instanceof UpstreamError ? error.request.status : undefined;
      if (absent && (status === 404 || status === 410)) return null;
      throw error;
    }
  }

  return {
    get stats() {
      return { ...client.stats, cacheHits };
    },
    async load(url, codec, { revalidate = false, absent, ...limits } = {}) {
      const entry = cache.get(url);
      const known = entry && codec.revive(entry.value);
      const now = Date.now();
      // An entry from the future was written before the clock was set back: it proves nothing.
      if (entry && known !== undefined && !revalidate && entry.storedAt <= now && now < entry.freshUntil) {
        cacheHits++;
        return known;
      }
      const validator =
        entry && known !== undefined ? { etag: entry.etag, lastModified: entry.lastModified } : {};
      const options = { validator, ...limits };
      const answer = await ask(url, codec, { absent: absent !== undefined, options });
      const storedAt = Date.now();
      if (answer === null && absent) {
        cache.put({ url, storedAt, freshUntil: storedAt, value: absent.value });
        return absent.value;
      }
      if (answer === null) throw new Error(`${url}: nothing was taken for an answer`);
      if (answer.status === 304) cacheHits++;
      cache.put({
        url,
        ...answer.validator,
        storedAt,
        freshUntil: storedAt + answer.freshForMs,
        value: answer.status === 304 ? entry?.value : answer.value,
      });
      if (answer.status === 200) return answer.value;
      if (known === undefined) throw new Error(`${url}: a 304 without a validator got past the client`);
      return known;
    },
    recall(url, codec) {
      const known = codec.revive(cache.get(url)?.value);
      if (known !== undefined) cacheHits++;
      return known;
    },
  };
}
