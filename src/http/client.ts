/** The HTTP client: bounded connections, time-outs, a proxy if the environment names one, retries that honor `Retry-After`, no redirects. */

import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { UpstreamError, UsageError } from '../errors.ts';
import { USER_AGENT } from '../version.ts';
import { ACCEPT_ENCODING, decompress, MAX_BODY_BYTES } from './body.ts';
import {
  asFailedAttempt,
  editionOf,
  FailedAttempt,
  type Headers,
  retryDelay,
  tooLarge,
  unexpectedStatus,
} from './retry.ts';

/** In milliseconds: for a connection, for headers, between parts of a body, for a complete response. */
const defaultTimeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 60_000 };
export type Timeouts = typeof defaultTimeouts;

export interface ClientOptions {
  /** The maximum number of concurrent requests and connections; more calls than that wait. */
  readonly concurrency: number;
  readonly retries: number;
  /** The delay before the first retry; it doubles with each further one. */
  readonly retryBaseMs?: number | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

/** The ETag and Last-Modified of a cached response, sent to make a request conditional. */
export interface Revalidation {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export interface GetOptions<T> {
  readonly revalidation?: Revalidation;
  /** The value of the cached response, which a 304 confirms. */
  readonly known?: T | undefined;
  readonly retries?: number | undefined;
  readonly maxBytes?: number;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Headers;
  /** The maximum size of the body; a compressed one may be a little larger. */
  readonly maxBytes: number;
}

/** A response as it came. Named, as published types cannot name those of undici. */
export interface RawResponse {
  readonly status: number;
  /** A repeated one has several values. */
  readonly headers: IncomingHttpHeaders;
  /** Perhaps compressed. */
  readonly body: Buffer;
}

/** By how much compression may enlarge a body: random bytes grow a little. */
const ENCODING_BYTES = 4096;

export type HttpClient = ReturnType<typeof createClient>;
export type Waiting = ReturnType<HttpClient['waiting']>;

/** @throws UsageError if the environment names an invalid proxy */
export function createClient(options: ClientOptions) {
  const { concurrency, retries, retryBaseMs: baseMs = 500 } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const dispatcher = createDispatcher(concurrency, timeouts);
  /** Whether the headers of any response have ever arrived. */
  let hasResponded = false;
  /** Totals over the life of the client. `bytes` counts bodies on the wire, before decompression. */
  const stats = { requests: 0, bodies: 0, notModified: 0, retries: 0, bytes: 0 };
  /** No request is sent before this time, because the upstream asked for a pause. */
  let pausedUntil = 0;
  const sending = pLimit(concurrency);
  const closed = new AbortController();
  // Every waiting request listens.
  setMaxListeners(0, closed.signal);
  /** When each failed request will be sent again. */
  const resumptions = new Set<{ readonly at: number }>();
  const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: closed.signal });

  async function receive(url: string, options: RequestOptions, signal: AbortSignal): Promise<RawResponse> {
    const { method = 'GET', maxBytes } = options;
    const { origin, pathname, search } = new URL(url);
    const sent = { 'user-agent': USER_AGENT, ...options.headers };
    const target = { origin, path: pathname + search, method: method as Dispatcher.HttpMethod };
    const response = await dispatcher.request({ ...target, headers: sent, signal });
    hasResponded = true;
    const { statusCode: status, headers } = response;
    const allowed = maxBytes + (headers['content-encoding'] === undefined ? 0 : ENCODING_BYTES);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response.body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > allowed) throw tooLarge(maxBytes, new RangeError('body too large'));
      parts.push(part);
    }
    return { status, headers, body: Buffer.concat(parts) };
  }

  /** Sends a request once, and reads the complete response. Rejects with undici's error, or with `FailedAttempt`. */
  function request(url: string, options: RequestOptions): ReturnType<typeof receive> {
    const over = new AbortController();
    // undici rejects an aborted request that still waits for a connection only once it gets one, and then does not send it.
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const problem = `no complete response within ${timeouts.total / 1000} s`;
        reject(new FailedAttempt(problem, { retryable: true }));
        over.abort();
      }, timeouts.total);
      const settled = receive(url, options, over.signal).then(resolve, reject);
      void settled.finally(() => clearTimeout(timer));
    });
  }

  /** A pause that the response asks for is noted before the next request gets its turn. */
  async function send(url: string, { etag, lastModified }: Revalidation, maxBytes: number) {
    for (let ms = pausedUntil - Date.now(); ms > 0; ms = pausedUntil - Date.now()) await wait(ms);
    stats.requests++;
    const sent = {
      accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
      'accept-encoding': ACCEPT_ENCODING,
      'if-none-match': etag,
      'if-modified-since': lastModified,
    };
    const { status, headers: received, body } = await request(url, { headers: sent, maxBytes });
    const headers = firstValues(received);
    stats.bytes += body.length;
    const isConditional = (etag ?? lastModified) !== undefined;
    if (status === 200 || (status === 304 && isConditional)) return { status, headers, body };
    const refused = unexpectedStatus(status, headers);
    const { retryable, retryAfterMs = 0 } = refused.failure;
    if (retryable) pausedUntil = Math.max(pausedUntil, Date.now() + retryAfterMs);
    throw refused;
  }

  async function attempt<T>(url: string, decode: (body: Buffer) => T, options: GetOptions<T>) {
    const { revalidation = {}, known, maxBytes = MAX_BODY_BYTES } = options;
    const { status, headers, body } = await sending(send, url, revalidation, maxBytes);
    const isNew = status === 200;
    // Only a conditional request gets a 304.
    const value = isNew ? decode(decompress(body, headers['content-encoding'], maxBytes)) : (known as T);
    stats[isNew ? 'bodies' : 'notModified']++;
    const own = { etag: headers.etag, lastModified: headers['last-modified'] };
    return {
      ...{ status, value, revalidation: isNew ? own : revalidation, edition: editionOf(headers) },
      /** For how many more milliseconds the response is fresh. */
      freshForMs: freshness(headers['cache-control'], headers.age),
    };
  }

  return {
    stats: stats as Readonly<typeof stats>,
    request,
    /**
     * Sends a GET, with retries. `decode` turns the body into a value; it throws `MalformedBody` if a retry may help, and
     * any other error if not. Rejects with `UpstreamError`.
     */
    async get<T>(url: string, decode: (body: Buffer) => T, options: GetOptions<T> = {}) {
      const maxAttempts = 1 + (options.retries ?? retries);
      for (let attempts = 1; ; attempts++) {
        try {
          return await attempt(url, decode, options);
        } catch (error) {
          const failed = asFailedAttempt(error);
          const { retryable, retryAfterMs = 0, hint, ...failure } = failed.failure;
          if (!retryable || attempts === maxAttempts) {
            const unreachable = failure.unreachable === true && !hasResponded;
            const request = { ...failure, method: 'GET', url, attempts, unreachable };
            throw new UpstreamError(failed.message, request, { cause: failed.cause, hint });
          }
          stats.retries++;
          const delay = retryDelay(attempts, { baseMs, retryAfterMs, random: Math.random });
          const resumption = { at: Date.now() + delay };
          resumptions.add(resumption);
          await wait(delay).finally(() => resumptions.delete(resumption));
        }
      }
    },
    /** The failed requests that wait for another attempt, and until the first of them is sent again (0 if there is none). */
    waiting() {
      const first = Math.min(...Array.from(resumptions, ({ at }) => at));
      const nextInMs = resumptions.size > 0 ? Math.max(0, first - Date.now()) : 0;
      return { requests: resumptions.size, nextInMs };
    },
    close(): Promise<void> {
      closed.abort();
      return dispatcher.destroy();
    },
  };
}

const firstValues = (headers: RawResponse['headers']): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]));

/** No response is believed to be fresh for longer than a day. */
const MAX_AGE_SECONDS = 86_400;

/** https://httpwg.org/specs/rfc9111.html#calculating.freshness.lifetime, as far as a private cache needs it. */
function freshness(control = '', age = ''): number {
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/i.exec(control)?.[1] ?? 0);
  const elapsed = Number.isFinite(Number(age)) ? Number(age) : 0;
  return Math.max(0, Math.min(maxAge, MAX_AGE_SECONDS) - elapsed) * 1000;
}

function createDispatcher(connections: number, { connect, headers, body }: Timeouts): Dispatcher {
  const timeouts = { connect: { timeout: connect }, headersTimeout: headers, bodyTimeout: body };
  try {
    return new EnvHttpProxyAgent({ connections, ...timeouts });
  } catch (cause) {
    // The value may contain a password, and is not shown.
    const problem = 'expected the URL of a proxy, such as http://127.0.0.1:8080';
    throw new UsageError(`HTTP_PROXY or HTTPS_PROXY: ${problem}`, { cause });
  }
}

/** Closes the client after the work, or at once when a signal aborts it, whose reason is then thrown whatever error that causes. */
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
