/** The connections of every client: bounded, with time-outs, through a proxy if the environment names one. */

import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { UsageError } from '../errors.ts';
import { USER_AGENT } from '../version.ts';
import { FailedAttempt, type Headers, tooLarge } from './retry.ts';

/** In milliseconds: for a connection, for headers, between parts of a body, for a complete response. */
const defaultTimeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 60_000 };
export type Timeouts = typeof defaultTimeouts;

export interface RequestOptions {
  /** Default GET. */
  readonly method?: string | undefined;
  readonly headers?: Headers | undefined;
  /** The maximum size of the body; a compressed one may be a little larger. */
  readonly maxBytes: number;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  /** As it came, perhaps compressed. */
  readonly body: Buffer;
}

/** By how much compression may enlarge a body: random bytes grow a little. */
const ENCODING_BYTES = 4096;

/**
 * @param count how many requests are sent at the same time, over as many connections
 * @throws UsageError if the environment names a proxy that is not a URL
 */
export function openConnections(count: number, given: Partial<Timeouts> = {}) {
  const timeouts = { ...defaultTimeouts, ...given };
  const dispatcher = createDispatcher(count, timeouts);

  async function receive(url: string, options: RequestOptions, signal: AbortSignal): Promise<RawResponse> {
    const { method = 'GET', maxBytes } = options;
    const { origin, pathname, search } = new URL(url);
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers: { 'user-agent': USER_AGENT, ...options.headers },
      signal,
    });
    const headers = joined(response.headers);
    const allowed = maxBytes + (headers['content-encoding'] === undefined ? 0 : ENCODING_BYTES);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response.body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > allowed) throw tooLarge(maxBytes);
      parts.push(part);
    }
    return { status: response.statusCode, headers, body: Buffer.concat(parts) };
  }

  return {
    /** Sends a request, and reads the complete response. Rejects with undici's error, or with `FailedAttempt`. */
    async request(url: string, options: RequestOptions): Promise<RawResponse> {
      const timeout = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      // undici rejects an aborted request that still waits for a connection only once it gets one, and then does not send it.
      const expired = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const problem = `no complete response within ${timeouts.total / 1000} s`;
          reject(new FailedAttempt(problem, { retryable: true }));
          timeout.abort();
        }, timeouts.total);
      });
      try {
        return await Promise.race([receive(url, options, timeout.signal), expired]);
      } finally {
        clearTimeout(timer);
      }
    },
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

const joined = (headers: Dispatcher.ResponseData['headers']): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));

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
