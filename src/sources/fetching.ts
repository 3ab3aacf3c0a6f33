/** Fetching: lends a source the client and the cache that it reads one upstream with. */

import { noCache, openCache } from '../http/cache.ts';
import { type ClientOptions, createClient } from '../http/client.ts';
import { createFetcher, type Fetcher } from '../http/fetcher.ts';

export interface FetchingOptions extends ClientOptions {
  /** Where the cache is kept; undefined for none. */
  readonly cacheFolder: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lends a client and a cache for one upstream; ends both whatever happens, at once where the signal says so. */
export async function fetching<T>(
  options: FetchingOptions,
  { upstream, version }: { upstream: string; version: string },
  read: (fetcher: Fetcher) => Promise<T>,
): Promise<T> {
  const { cacheFolder, signal } = options;
  signal?.throwIfAborted();
  const name = upstream.replace(/^https?:\/\//, '');
  const client = createClient(options);
  const cache = cacheFolder === undefined ? noCache : openCache(cacheFolder, { name, version });
  const stop = (): void => void client.close();
  signal?.addEventListener('abort', stop);
  let complete = false;
  try {
    const result = await read(createFetcher({ client, cache }));
    complete = true;
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await client.close();
    cache.close({ complete });
  }
}
