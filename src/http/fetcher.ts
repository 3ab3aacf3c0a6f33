import type { Edition } from '../contract/meta.ts';
import { UpstreamError } from '../errors.ts';
import {
  type CacheEntry,
  type CacheKey,
  type CacheOptions,
  type DiskCache,
  isFresh,
  noCache,
  openCache,
} from './cache.ts';
import type {
  ClientOptions,
  GetOptions,
  GetResponse,
  HttpClient,
  Revalidation,
} from './client.ts';
import type { RetryStatus } from './pacing.ts';
import type { RequestStats } from './stats.ts';

/** Converts a response to a value, which the cache stores as JSON. */
export interface Codec<T> {
  decode(body: Buffer): T;
  /**
   * Converts the cached JSON back to a value. Returns undefined if the current
   * `decode` could not have produced this JSON.
   */
  revive(cached: unknown): T | undefined;
}

export interface LoadedValue<T> {
  readonly value: T;
  readonly edition: Edition | null;
}

export type FetcherStats = Readonly<RequestStats>;

export interface LoadOptions<T> extends Pick<GetOptions<T>, 'maxBytes' | 'hint'> {
  /** Whether to ask the upstream even if the cached response is fresh. */
  readonly revalidate?: boolean | undefined;
  /**
   * A cache-busting URL to request instead. It is requested without validators
   * unless `revalidate` is set.
   */
  readonly urlOverride?: string | undefined;
  /** The value to return if the upstream does not have the file. */
  readonly missing?: { readonly value: T };
  /**
   * Whether to request the URL once more past caches if the response is 403, 404 or
   * 410. By default, it is requested again unless `missing` is set.
   */
  readonly retriesMissing?: boolean;
}

/** Reads an upstream's responses through the disk cache. */
export interface Fetcher {
  readonly stats: FetcherStats;
  getRetryStatus(): RetryStatus;
  /**
   * The last run's edition, or null if that run was incomplete or mixed several
   * editions.
   */
  readonly lastEdition: Edition | null;
  /** Returns the result of the last run. */
  reuseRun(): unknown;
  finishRun: DiskCache['finishRun'];
  load<T>(
    url: string,
    codec: Codec<T>,
    options?: LoadOptions<T>,
  ): Promise<LoadedValue<T>>;
  /** Returns the cached value, however old it is. */
  recall<T>(url: string, codec: Codec<T>): T | undefined;
  /** Requests a URL without using the cache. */
  request(url: string): Promise<Buffer>;
}

interface CachedValue<T> {
  readonly entry: CacheEntry;
  readonly value: T;
}

const RESUMABLE_MS = 3_600_000;
/**
 * Responses with an edition stay fresh for longer, because the lists show when there
 * is a newer edition.
 */
const RESUMABLE_EDITION_MS = 20 * 3_600_000;

/**
 * Creates a fetcher from a client and a cache. A fresh value needs no request. A
 * stale value needs no new body if the upstream confirms that it is still valid. New
 * values are stored as soon as they arrive.
 */
export function createFetcher(client: HttpClient, cache: DiskCache): Fetcher {
  const { stats } = client;

  /**
   * Finds the cached value that may be used or revalidated. Returns undefined for a
   * cache-busting URL, because it must get a new response.
   */
  function findCached<T>(
    url: string,
    codec: Codec<T>,
    { revalidate, urlOverride }: LoadOptions<T>,
  ): CachedValue<T> | undefined {
    const entry = cache.get(url);
    if (entry === undefined) return undefined;
    const mustBeNew = urlOverride !== undefined && !revalidate;
    if (mustBeNew) return undefined;
    const value = codec.revive(entry.value);
    if (value === undefined) return undefined;
    return { entry, value };
  }

  /**
   * Stores a value, so that an interrupted run can resume without requesting it
   * again.
   */
  function store<T>(
    url: string,
    value: T,
    edition: Edition | null,
    response: StoredResponse,
  ): LoadedValue<T> {
    const storedAt = Date.now();
    const maxAgeMs = Math.min(response.freshForMs, RESUMABLE_MS);
    const freshForMs = edition ? RESUMABLE_EDITION_MS : maxAgeMs;
    const entry: CacheEntry = {
      url,
      ...response.revalidation,
      storedAt,
      freshUntil: storedAt + freshForMs,
      edition: edition ?? undefined,
      value,
    };
    cache.put(entry);
    return { value, edition };
  }

  /**
   * Loads a value. A fresh value is returned from the cache without a request.
   * Otherwise, the URL is requested, with the validators of a stale value if there
   * is one. The response is stored under the original URL.
   */
  async function load<T>(
    url: string,
    codec: Codec<T>,
    options: LoadOptions<T> = {},
  ): Promise<LoadedValue<T>> {
    const { revalidate = false, urlOverride, missing, maxBytes, hint } = options;
    const { retriesMissing = !missing } = options;
    const cached = findCached(url, codec, options);
    if (cached && !revalidate && isFresh(cached.entry)) {
      stats.cacheHits++;
      return { value: cached.value, edition: cached.entry.edition ?? null };
    }
    let response: GetResponse<T>;
    try {
      response = await client.get(urlOverride ?? url, codec.decode, {
        revalidation: cached ? selectValidators(cached.entry) : {},
        cachedValue: cached?.value,
        retriesMissing,
        maxBytes,
        hint,
      });
    } catch (error) {
      if (missing && isMissing(error)) {
        return store(url, missing.value, null, NO_RESPONSE);
      }
      throw error;
    }
    let { edition } = response;
    if (response.status === 304) {
      stats.cacheHits++;
      // If a 304 does not state an edition, the cached edition is still valid.
      edition ??= cached?.entry.edition ?? null;
    }
    return store(url, response.value, edition, response);
  }

  return {
    stats,
    getRetryStatus: client.getRetryStatus,
    lastEdition: cache.lastRun?.edition ?? null,
    reuseRun() {
      stats.cacheHits += cache.lastRun?.urls ?? 0;
      return cache.lastRun?.value;
    },
    finishRun: cache.finishRun,
    load,
    recall<T>(url: string, codec: Codec<T>): T | undefined {
      const value = codec.revive(cache.get(url)?.value);
      if (value !== undefined) stats.cacheHits++;
      return value;
    },
    async request(url) {
      const { value } = await client.get(url, (body) => body);
      return value;
    },
  };
}

/** The data that the cache stores about a response, in addition to its value. */
interface StoredResponse {
  readonly revalidation: Revalidation;
  readonly freshForMs: number;
}

/**
 * A missing file is requested again on each run, because the upstream may have added
 * it.
 */
const NO_RESPONSE: StoredResponse = { revalidation: {}, freshForMs: 0 };

const selectValidators = ({ etag, lastModified }: CacheEntry): Revalidation => ({
  etag,
  lastModified,
});

function isMissing(error: unknown): boolean {
  const status = error instanceof UpstreamError ? error.request.status : undefined;
  return status === 404 || status === 410;
}

export interface FetcherOptions
  extends ClientOptions,
    Pick<CacheOptions, 'onStored' | 'onNotice'> {
  /** If undefined, no cache is used. */
  readonly cacheFolder: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a function with a fetcher for one upstream. Responses stay in the cache even
 * if the function fails or is aborted.
 */
export async function withFetcher<T>(
  options: FetcherOptions,
  key: CacheKey,
  work: (fetcher: Fetcher) => Promise<T>,
): Promise<T> {
  // Builds from local files do not use undici, so we load this module as late as
  // possible.
  const { closeOnAbort, createClient } = await import('./client.ts');
  return closeOnAbort(createClient(options), options.signal, async (client) => {
    const cache = openCacheIfWanted(options, key);
    let complete = false;
    try {
      const result = await work(createFetcher(client, cache));
      complete = true;
      return result;
    } finally {
      cache.close({ complete });
    }
  });
}

function openCacheIfWanted(options: FetcherOptions, key: CacheKey): DiskCache {
  const { cacheFolder, onStored, onNotice } = options;
  if (cacheFolder === undefined) return noCache;
  return openCache(cacheFolder, key, { onStored, onNotice });
}
