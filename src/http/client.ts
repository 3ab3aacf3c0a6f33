/** The HTTP client: bounded connections, time-outs, a proxy if the environment names one, retries that honor `Retry-After`, no redirects. */

import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { errorCode, UpstreamError, UsageError } from '../errors.ts';
import { USER_AGENT } from '../package.ts';
import { ACCEPT_ENCODING, decompress, MAX_BODY_BYTES } from './body.ts';
import {
  AttemptError,
  editionOf,
  type Headers,
  isGateway,
  isRefused,
  retryDelay,
  toAttemptError,
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
  /** The URL, past the caches on the way, to request once more if the response is 403, 404 or 410; and what to do if that is no better. */
  readonly again?: { readonly at: string; readonly hint: string | undefined } | undefined;
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
  const { dispatcher, proxyOf } = createDispatcher(concurrency, timeouts);
  /** Whether any response has ever arrived from the upstream itself. */
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
    const { statusCode: status, headers } = response;
    hasResponded ||= !isGateway(status);
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

  /** Sends a request once, and reads the complete response. Rejects with `AttemptError`. */
  function request(url: string, options: RequestOptions): ReturnType<typeof receive> {
    const over = new AbortController();
    // undici rejects an aborted request that still waits for a connection only once it gets one, and then does not send it.
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const problem = `no complete response within ${timeouts.total / 1000} s`;
        reject(new AttemptError(problem, { retryable: true }));
        over.abort();
      }, timeouts.total);
      const told = (error: unknown): never => {
        throw toAttemptError(error, proxyOf(url));
      };
      const settled = receive(url, options, over.signal).catch(told).then(resolve, reject);
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
    // Through a tunnel, the response is not the proxy's.
    const proxy = url.startsWith('http:') ? proxyOf(url) : undefined;
    const refused = toAttemptError(unexpectedStatus(status, headers), proxy);
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
     * Sends a GET, with retries. `decode` turns the body into a value; it throws `InvalidBodyError` if a retry may help, and
     * any other error if not. Rejects with `UpstreamError`.
     */
    async get<T>(url: string, decode: (body: Buffer) => T, options: GetOptions<T> = {}) {
      const maxAttempts = 1 + (options.retries ?? retries);
      const { again } = options;
      let at = url;
      for (let attempts = 1; ; attempts++) {
        try {
          return await attempt(at, decode, at === url ? options : { ...options, revalidation: {} });
        } catch (error) {
          const failed = toAttemptError(error);
          const { retryable, retryAfterMs = 0, hint, ...failure } = failed.failure;
          const asksPast = again && at === url && isRefused(failed);
          if (!asksPast && (!retryable || attempts >= maxAttempts)) {
            const unreachable = failure.unreachable === true && !hasResponded;
            const request = { ...failure, method: 'GET', url, attempts, unreachable };
            const advice = at === url ? hint : (again?.hint ?? hint);
            throw new UpstreamError(failed.message, request, { cause: failed.cause, hint: advice });
          }
          if (asksPast) at = again.at;
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

/** How long one of several addresses may take to connect, in milliseconds: Node's 250 are too few for a slow network. */
const ADDRESS_TIMEOUT = 1000;

function createDispatcher(connections: number, { connect: timeout, headers, body }: Timeouts) {
  const perAddress = Math.max(ADDRESS_TIMEOUT, getDefaultAutoSelectFamilyAttemptTimeout());
  const connect = { timeout, autoSelectFamilyAttemptTimeout: perAddress };
  const direct = new Set<string>();
  // undici hands on no limits to connections to a proxy, which are made by a function.
  const factory = (origin: string | URL, { connect = {}, ...options }: Pool.Options): Pool => {
    if (typeof connect !== 'function') direct.add(String(origin));
    const limits = { connections, headersTimeout: headers, bodyTimeout: body };
    const made = typeof connect === 'function' ? endingOnce(connect) : connect;
    return new Pool(origin, { ...options, ...limits, connect: made });
  };
  try {
    const proxies = { proxyTls: connect, proxyTunnel: false, clientFactory: factory };
    const dispatcher = new EnvHttpProxyAgent({ connect, factory, ...proxies });
    const proxyOf = (url: string) => (direct.has(new URL(url).origin) ? undefined : environmentProxy(url));
    return { dispatcher, proxyOf };
  } catch (cause) {
    // The value may contain a password, and is not shown.
    const problem = 'expected the URL of a proxy, such as http://127.0.0.1:8080';
    throw new UsageError(`HTTP_PROXY or HTTPS_PROXY: ${problem}`, { cause });
  }
}

/** undici repeats for ever what ends with this code: a connection that the proxy closes instead of making a tunnel. */
const endingOnce =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...result) => {
      if (errorCode(result[0]) === 'UND_ERR_SOCKET') Object.assign(result[0] ?? {}, { code: 'ECONNRESET' });
      done(...result);
    });

/** The proxy of a URL that NO_PROXY does not list, without its password. */
function environmentProxy(url: string): string | undefined {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const secure = url.startsWith('https:') && (https_proxy ?? HTTPS_PROXY);
  const used = secure || (http_proxy ?? HTTP_PROXY);
  return used ? new URL(used).href.replace(/[^/]*@|\/$/g, '') : undefined;
}

/** Closes the client after the work, or at once when a signal aborts it, whose reason is then thrown whatever error that causes. */
export async function closeOnAbort<C extends { close(): Promise<void> }, T>(
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
