/** The client and the cache as one: loads what an address answers, by way of the cheapest request that is still right. */

import type { Cache } from './cache.ts';
import type { ClientStats, HttpClient } from './client.ts';

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
  /** `revalidate` asks the upstream even where the cached answer is still fresh. */
  load<T>(url: string, codec: Codec<T>, options?: { revalidate?: boolean; retries?: number }): Promise<T>;
}

export function createFetcher({ client, cache }: { client: HttpClient; cache: Cache }): Fetcher {
  let cacheHits = 0;
  return {
    get stats() {
      return { ...client.stats, cacheHits };
    },
    async load(url, codec, { revalidate = false, ...retries } = {}) {
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
      const answer = await client.get(url, codec.decode, { validator, ...retries });
      if (answer.status === 304) cacheHits++;
      const storedAt = Date.now();
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
  };
}
