/** The client and the cache combined: loads the value of a URL with the cheapest correct request. */

import type { Edition } from '../contract/meta.ts';
import { UpstreamError } from '../errors.ts';
import { type Cache, noCache, openCache } from './cache.ts';
import type { ClientOptions, GetOptions, HttpClient, Revalidation } from './client.ts';

/** How a response becomes a value, and whether a cached value is still valid. */
export interface Codec<T> {
  decode(body: Buffer): T;
  /** Returns undefined if the cached value is not what `decode` would make today. */
  revive(cached: unknown): T | undefined;
}

/** A value, and the edition of the upstream that it is from, if that is known. */
export interface Loaded<T> {
  readonly value: T;
  readonly edition: Edition | null;
}

export type Fetcher = ReturnType<typeof createFetcher>;
export type FetcherStats = Fetcher['stats'];

export interface LoadOptions<T> extends Pick<GetOptions<T>, 'retries' | 'maxBytes'> {
  readonly revalidate?: boolean | undefined;
  /** The URL to request instead, for a response that no cache on the way has yet; unconditionally, unless `revalidate` is set. */
  readonly at?: string | undefined;
  /** The value used (and cached) on 404 or 410. Without it, these are failures, once they were asked for past the caches on the way. */
  readonly absent?: { readonly value: T };
  /** What to do about such a failure. */
  readonly hint?: string | undefined;
}

/** An address of the same response that no cache on the way has seen yet. */
export const cacheBustingUrl = (url: string, edition: string | number): string =>
  `${url}${url.includes('?') ? '&' : '?'}edition=${edition}`;

/** A run that is resumed later than this revalidates what the interrupted one has fetched. */
const RESUMABLE_MS = 3_600_000;

export function createFetcher({ client, cache }: { client: HttpClient; cache: Cache }) {
  /** Totals, counted on as the work goes on. `cacheHits` are values from the cache, with or without revalidation. */
  const stats = Object.assign(client.stats, { cacheHits: 0 });
  return {
    stats: stats as Readonly<typeof stats>,
    waiting: client.waiting,
    /** The edition that the last run has read, if it was complete and of one; otherwise null. */
    lastEdition: cache.lastRun?.edition ?? null,
    recallRun(): unknown {
      stats.cacheHits += cache.lastRun?.urls ?? 0;
      return cache.lastRun?.value;
    },
    noteRun: cache.noteRun,
    async load<T>(
      url: string,
      codec: Codec<T>,
      { revalidate = false, at, absent, hint, ...limits }: LoadOptions<T> = {},
    ): Promise<Loaded<T>> {
      const entry = cache.get(url);
      const known = entry && codec.revive(entry.value);
      const isKnown = entry !== undefined && known !== undefined && (at === undefined || revalidate);
      const now = Date.now();
      // An entry from the future was written before the clock was set back, and proves nothing.
      if (isKnown && !revalidate && entry.storedAt <= now && now < entry.freshUntil) {
        stats.cacheHits++;
        return { value: known, edition: entry.edition ?? null };
      }
      const revalidation = isKnown ? { etag: entry.etag, lastModified: entry.lastModified } : {};
      const put = (value: T, edition: Edition | null, freshForMs = 0, next: Revalidation = {}): Loaded<T> => {
        const storedAt = Date.now();
        const freshUntil = storedAt + Math.min(freshForMs, RESUMABLE_MS);
        cache.put({ url, ...next, storedAt, freshUntil, ...(edition && { edition }), value });
        return { value, edition };
      };
      const again = absent ? undefined : { at: cacheBustingUrl(url, now), hint };
      try {
        const response = await client.get(at ?? url, codec.decode, { revalidation, known, again, ...limits });
        const isConfirmed = response.status === 304;
        if (isConfirmed) stats.cacheHits++;
        // A response that confirms the cached one, and names no edition, leaves it in its own.
        const edition = response.edition ?? (isConfirmed ? (entry?.edition ?? null) : null);
        return put(response.value, edition, response.freshForMs, response.revalidation);
      } catch (error) {
        const status = error instanceof UpstreamError ? error.request.status : undefined;
        if (absent && (status === 404 || status === 410)) return put(absent.value, null);
        throw error;
      }
    },
    /** The cached value, however old; undefined if there is none. */
    recall<T>(url: string, codec: Codec<T>): T | undefined {
      const known = codec.revive(cache.get(url)?.value);
      if (known !== undefined) stats.cacheHits++;
      return known;
    },
    /** Sends a request past the cache. */
    ask: async (url: string, options?: Pick<GetOptions<Buffer>, 'retries'>): Promise<Buffer> =>
      (await client.get(url, (body) => body, options)).value,
  };
}

export interface FetcherOptions extends ClientOptions {
  readonly cacheFolder: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Work with the fetcher of one upstream. Its cache keeps what was fetched, even if the work fails or is aborted. */
export async function withFetcher<T>(
  { cacheFolder, signal, ...options }: FetcherOptions,
  { upstream, version }: { upstream: string; version: string },
  work: (fetcher: Fetcher) => Promise<T>,
): Promise<T> {
  // A build from local files does without undici, which is most of the code.
  const { closeOnAbort, createClient } = await import('./client.ts');
  return closeOnAbort(createClient(options), signal, async (client) => {
    const cache = cacheFolder === undefined ? noCache : openCache(cacheFolder, { upstream, version });
    let complete = false;
    try {
      const result = await work(createFetcher({ client, cache }));
      complete = true;
      return result;
    } finally {
      cache.close({ complete });
    }
  });
}
