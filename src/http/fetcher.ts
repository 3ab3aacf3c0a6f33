import type { Edition } from '../contract/meta.ts';
import { UpstreamError } from '../errors.ts';
import { type Cache, noCache, openCache } from './cache.ts';
import type { ClientOptions, GetOptions, HttpClient, Revalidation } from './client.ts';

export interface Codec<T> {
  decode(body: Buffer): T;
  /** Returns undefined if the current `decode` could not have produced the cached value. */
  revive(cached: unknown): T | undefined;
}

export interface LoadedValue<T> {
  readonly value: T;
  readonly edition: Edition | null;
}

export type Fetcher = ReturnType<typeof createFetcher>;
export type FetcherStats = Readonly<HttpClient['stats']>;

export interface LoadOptions<T> extends Pick<GetOptions<T>, 'maxBytes' | 'hint'> {
  readonly revalidate?: boolean | undefined;
  /** A cache-busting URL to request instead, without validators unless `revalidate` is set. */
  readonly urlOverride?: string | undefined;
  readonly missing?: { readonly value: T };
}

const RESUMABLE_MS = 3_600_000;
/** Longer for responses that name an edition, because a newer edition shows in the lists. */
const RESUMABLE_EDITION_MS = 20 * 3_600_000;

export function createFetcher({ client, cache }: { client: HttpClient; cache: Cache }) {
  const { stats, getRetryStatus } = client;
  return {
    stats,
    getRetryStatus,
    /** The edition of the last run; null unless the run was complete and from one edition. */
    lastEdition: cache.lastRun?.edition ?? null,
    reuseRun(): unknown {
      stats.cacheHits += cache.lastRun?.urls ?? 0;
      return cache.lastRun?.value;
    },
    finishRun: cache.finishRun,
    async load<T>(
      url: string,
      codec: Codec<T>,
      { revalidate = false, urlOverride, missing, ...limits }: LoadOptions<T> = {},
    ): Promise<LoadedValue<T>> {
      const entry = cache.get(url);
      const cachedValue = entry && codec.revive(entry.value);
      const isUsable =
        entry !== undefined &&
        cachedValue !== undefined &&
        (urlOverride === undefined || revalidate);
      const now = Date.now();
      // An entry from the future was written before the clock was set back.
      if (isUsable && !revalidate && entry.storedAt <= now && now < entry.freshUntil) {
        stats.cacheHits++;
        return { value: cachedValue, edition: entry.edition ?? null };
      }
      const put = (value: T, edition: Edition | null, freshForMs = 0, next: Revalidation = {}) => {
        const storedAt = Date.now();
        const freshUntil =
          storedAt + (edition ? RESUMABLE_EDITION_MS : Math.min(freshForMs, RESUMABLE_MS));
        cache.put({ url, ...next, storedAt, freshUntil, ...(edition && { edition }), value });
        return { value, edition };
      };
      const revalidation = isUsable ? { etag: entry.etag, lastModified: entry.lastModified } : {};
      const options = { revalidation, cachedValue, retriesMissing: !missing, ...limits };
      try {
        const response = await client.get(urlOverride ?? url, codec.decode, options);
        const isConfirmed = response.status === 304;
        if (isConfirmed) stats.cacheHits++;
        // A 304 without an edition confirms the cached edition.
        const edition = response.edition ?? (isConfirmed ? (entry?.edition ?? null) : null);
        return put(response.value, edition, response.freshForMs, response.revalidation);
      } catch (error) {
        const status = error instanceof UpstreamError ? error.request.status : undefined;
        if (missing && (status === 404 || status === 410)) return put(missing.value, null);
        throw error;
      }
    },
    recall<T>(url: string, codec: Codec<T>): T | undefined {
      const cachedValue = codec.revive(cache.get(url)?.value);
      if (cachedValue !== undefined) stats.cacheHits++;
      return cachedValue;
    },
    request: async (url: string): Promise<Buffer> => (await client.get(url, (body) => body)).value,
  };
}

export interface FetcherOptions extends ClientOptions {
  readonly cacheFolder: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs work with a fetcher for one upstream. The cache keeps responses even if the work fails or is aborted. */
export async function withFetcher<T>(
  { cacheFolder, signal, ...options }: FetcherOptions,
  { upstream, version }: { upstream: string; version: string },
  work: (fetcher: Fetcher) => Promise<T>,
): Promise<T> {
  // Imported here, because builds from local files do not need undici.
  const { closeOnAbort, createClient } = await import('./client.ts');
  return closeOnAbort(createClient(options), signal, async (client) => {
    const cache =
      cacheFolder === undefined ? noCache : openCache(cacheFolder, { upstream, version });
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
