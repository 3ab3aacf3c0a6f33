/** The connections of every client: bounded, with time-outs, through a proxy if the environment names one. */

import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { UsageError } from '../errors.ts';
import { USER_AGENT } from '../version.ts';
import { FailedAttempt, tooLarge } from './retry.ts';

/** In milliseconds: for a connection, for headers, between parts of a body, for a complete response. */
const defaultTimeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 60_000 };
export type Timeouts = typeof defaultTimeouts;

export interface RequestOptions {
  /** Default GET. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** The maximum size of the body; a compressed one may be a little larger. */
  readonly maxBytes: number;
}

/** The body is as it came, perhaps compressed; a repeated header has several values. */
export type RawResponse = Awaited<ReturnType<ReturnType<typeof openConnections>['request']>>;

/** By how much compression may enlarge a body: random bytes grow a little. */
const ENCODING_BYTES = 4096;

/**
 * @param count how many requests are sent at the same time, over as many connections
 * @throws UsageError if the environment names a proxy that is not a URL
 */
export function openConnections(count: number, given: Partial<Timeouts> = {}) {
  const timeouts = { ...defaultTimeouts, ...given };
  const dispatcher = createDispatcher(count, timeouts);
  let hasResponded = false;

  async function receive(url: string, options: RequestOptions, signal: AbortSignal) {
    const { method = 'GET', maxBytes } = options;
    const { origin, pathname, search } = new URL(url);
    const { statusCode, headers, body } = await dispatcher.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers: { 'user-agent': USER_AGENT, ...options.headers },
      signal,
    });
    hasResponded = true;
    const allowed = maxBytes + (headers['content-encoding'] === undefined ? 0 : ENCODING_BYTES);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > allowed) throw tooLarge(maxBytes, new RangeError('body too large'));
      parts.push(part);
    }
    return { status: statusCode, headers, body: Buffer.concat(parts) };
  }

  return {
    /** Sends a request, and reads the complete response. Rejects with undici's error, or with `FailedAttempt`. */
    request(url: string, options: RequestOptions): ReturnType<typeof receive> {
      const over = new AbortController();
      // undici rejects an aborted request that still waits for a connection only once it gets one, and then does not send it.
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const problem = `no complete response within ${timeouts.total / 1000} s`;
          reject(new FailedAttempt(problem, { retryable: true }));
          over.abort();
        }, timeouts.total);
        void receive(url, options, over.signal)
          .then(resolve, reject)
          .finally(() => clearTimeout(timer));
      });
    },
    /** Whether the headers of any response have ever arrived. */
    hasResponded: (): boolean => hasResponded,
    /** Closes every connection at once. */
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

function createDispatcher(connections: number, timeouts: Timeouts): Dispatcher {
  try {
    return new EnvHttpProxyAgent({
      connections,
      connect: { timeout: timeouts.connect },
      headersTimeout: timeouts.headers,
      bodyTimeout: timeouts.body,
    });
  } catch (cause) {
    // The value may contain a password, and is not shown.
    throw new UsageError(
      'HTTP_PROXY or HTTPS_PROXY: expected the URL of a proxy, such as http://127.0.0.1:8080',
      { cause },
    );
  }
}

/**
 * Runs work with a client, and closes the client afterwards, or at once when a signal aborts the work.
 *
 * @throws the signal's reason if it is aborted, whatever error that causes in the work
 */
export async function abortable<C extends { close(): Promise<void> }, T>(
  client: C,
  signal: AbortSignal | undefined,
  work: (client: C) => Promise<T>,
): Promise<T> {
  const stop = (): void => void client.close();
  signal?.addEventListener('abort', stop);
  try {
    signal?.throwIfAborted();
    return await work(client);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await client.close();
  }
}
