/** The client and the cache combined: loads the value of a URL with the cheapest correct request. */

import { UpstreamError } from '../errors.ts';
import type { Cache, CacheEntry } from './cache.ts';
import type { ClientStats, Fetched, HttpClient } from './client.ts';

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
  readonly retries?: number | undefined;
  readonly maxBytes?: number;
  /** The value used (and cached) on 404 or 410. Without it, these are failures. */
  readonly absent?: { readonly value: T };
}

type Confirmation = Pick<Fetched<unknown>, 'revalidation' | 'freshForMs'>;

export function createFetcher({ client, cache }: { client: HttpClient; cache: Cache }): Fetcher {
  let cacheHits = 0;

  return {
    get stats() {
      return { ...client.stats, cacheHits };
    },
    async load<T>(
      url: string,
      codec: Codec<T>,
      { revalidate = false, absent, ...limits }: LoadOptions<T> = {},
    ): Promise<T> {
      const entry = cache.get(url);
      const known = entry && codec.revive(entry.value);
      if (entry && known !== undefined && !revalidate && isFresh(entry, Date.now())) {
        cacheHits++;
        return known;
      }
      const revalidation =
        entry && known !== undefined ? { etag: entry.etag, lastModified: entry.lastModified } : {};
      const put = (value: unknown, { revalidation: next, freshForMs }: Confirmation): void => {
        const storedAt = Date.now();
        cache.put({ url, ...next, storedAt, freshUntil: storedAt + freshForMs, value });
      };
      try {
        const response = await client.get(url, codec.decode, { revalidation, ...limits });
        put(response.status === 304 ? entry?.value : response.value, response);
        if (response.status === 200) return response.value;
        cacheHits++;
        // Only a conditional request gets a 304.
        return known as T;
      } catch (error) {
        if (!absent || !isAbsent(error)) throw error;
        put(absent.value, { revalidation: {}, freshForMs: 0 });
        return absent.value;
      }
    },
    recall(url, codec) {
      const known = codec.revive(cache.get(url)?.value);
      if (known !== undefined) cacheHits++;
      return known;
    },
  };
}

/** The upstream says that there is nothing. */
const isAbsent = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.request.status === 404 || error.request.status === 410);

/** An entry from the future was written before the clock was set back, and proves nothing. */
const isFresh = ({ storedAt, freshUntil }: CacheEntry, now: number): boolean =>
  storedAt <= now && now < freshUntil;
