/** Provides the fetcher of one upstream: a client, and a disk cache of its own. */

import { abortable } from './abortable.ts';
import { noCache, openCache } from './cache.ts';
import { type ClientOptions, createClient } from './client.ts';
import { createFetcher, type Fetcher } from './fetcher.ts';

export interface FetcherOptions extends ClientOptions {
  /** The folder of the cache; undefined for none. */
  readonly cacheFolder: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs work with a fetcher. The cache keeps what was fetched, even if the work fails or is aborted. */
export async function withFetcher<T>(
  options: FetcherOptions,
  { upstream, version }: { upstream: string; version: string },
  work: (fetcher: Fetcher) => Promise<T>,
): Promise<T> {
  const { cacheFolder, signal } = options;
  const name = upstream.replace(/^https?:\/\//, '');
  signal?.throwIfAborted();
  const client = createClient(options);
  const cache = cacheFolder === undefined ? noCache : openCache(cacheFolder, { name, version });
  let complete = false;
  try {
    return await abortable(client, signal, async () => {
      const result = await work(createFetcher({ client, cache }));
      complete = true;
      return result;
    });
  } finally {
    cache.close({ complete });
  }
}
