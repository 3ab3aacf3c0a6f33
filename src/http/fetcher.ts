/** The client and the cache combined: loads the value of a URL with the cheapest correct request. */

import { UpstreamError } from '../errors.ts';
import type { Cache, CacheEntry } from './cache.ts';
import type { ClientStats, Fetched, GetOptions, HttpClient } from './client.ts';

/** How a response becomes a value, and whether a cached value is still valid. */
export interface Codec<T> {
  decode(body: Buffer): T;
  /** Returns undefined if the cached value is not what `decode` would make today. */
  revive(cached: unknown): T | undefined;
}

export interface FetcherStats extends Readonly<ClientStats> {
  /** Values taken from the cache, with or without revalidation. */
  readonly cacheHits: number;
}

export interface Fetcher {
  readonly stats: FetcherStats;
  load<T>(url: string, codec: Codec<T>, options?: LoadOptions<T>): Promise<T>;
  /** The cached value, however old; undefined if there is none. */
  recall<T>(url: string, codec: Codec<T>): T | undefined;
}

export interface LoadOptions<T> {
  /** Revalidate even if the cached response is still fresh. */
  readonly revalidate?: boolean;
  readonly retries?: number;
  readonly maxBytes?: number;
  /** The value used (and cached) on 404 or 410. Without it, these are failures. */
  readonly absent?: { readonly value: T };
}

export function createFetcher({ client, cache }: { client: HttpClient; cache: Cache }): Fetcher {
  let cacheHits = 0;

  /** A response; null if the upstream says that there is none, and that is allowed. */
  async function request<T>(
    url: string,
    codec: Codec<T>,
    { mayBeAbsent, options }: { mayBeAbsent: boolean; options: GetOptions },
  ): Promise<Fetched<T> | null> {
    try {
      return await client.get(url, codec.decode, options);
    } catch (error) {
      const status = error instanceof UpstreamError ? error.request.status : undefined;
      if (mayBeAbsent && (status === 404 || status === 410)) return null;
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
      if (entry && known !== undefined && !revalidate && isFresh(entry, Date.now())) {
        cacheHits++;
        return known;
      }
      const revalidation =
        entry && known !== undefined ? { etag: entry.etag, lastModified: entry.lastModified } : {};
      const options = { revalidation, ...limits };
      const response = await request(url, codec, { mayBeAbsent: absent !== undefined, options });
      const storedAt = Date.now();
      if (response === null && absent) {
        cache.put({ url, storedAt, freshUntil: storedAt, value: absent.value });
        return absent.value;
      }
      if (response === null) throw new Error(`${url}: absent, which was not allowed`);
      if (response.status === 304) cacheHits++;
      cache.put({
        url,
        ...response.revalidation,
        storedAt,
        freshUntil: storedAt + response.freshForMs,
        value: response.status === 304 ? entry?.value : response.value,
      });
      if (response.status === 200) return response.value;
      if (known === undefined) throw new Error(`${url}: got 304 for an unconditional request`);
      return known;
    },
    recall(url, codec) {
      const known = codec.revive(cache.get(url)?.value);
      if (known !== undefined) cacheHits++;
      return known;
    },
  };
}

/** An entry from the future was written before the clock was set back, and proves nothing. */
const isFresh = ({ storedAt, freshUntil }: CacheEntry, now: number): boolean =>
  storedAt <= now && now < freshUntil;
