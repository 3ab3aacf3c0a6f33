import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { errorCode, type FailedRequest, UpstreamError, UsageError } from '../errors.ts';
import { USER_AGENT } from '../package.ts';
import { ACCEPT_ENCODING, decompress, InvalidBodyError, MAX_BODY_BYTES } from './body.ts';
import {
  AttemptError,
  bustCaches,
  GATEWAY_STATUS,
  type Headers,
  readEdition,
  retryDelay,
  toAttemptError,
  tooLarge,
  unexpectedStatus,
} from './retry.ts';

/** In milliseconds. `headers` and `body` limit each wait for data, and `total` limits the whole response. */
const defaultTimeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 60_000 };

export interface ClientOptions {
  readonly concurrency: number;
  readonly retries: number;
  /** Applies until the upstream has responded. Default: `retries`. */
  readonly firstRetries?: number | undefined;
  readonly retryBaseMs?: number | undefined;
  readonly timeouts?: Partial<typeof defaultTimeouts> | undefined;
}

export interface Revalidation {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export interface GetOptions<T> {
  readonly revalidation?: Revalidation;
  readonly cachedValue?: T | undefined;
  readonly maxBytes?: number;
  readonly retriesMissing?: boolean | undefined;
  /** Whether to follow any redirect within the origin. Default: only redirects that add or remove the trailing slash. */
  readonly followsRedirects?: boolean | undefined;
  readonly hint?: string | undefined;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Headers;
  readonly maxBytes: number;
}

/** Declared here, because published types cannot refer to undici. The body may be compressed. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const COMPRESSION_OVERHEAD_BYTES = 4096;

/** Caches may still return these statuses although the upstream has the record. */
const MISSING_STATUS = [403, 404, 410];
const THROTTLED_HINT = 'Try again with --concurrency 1 --retries 20.';
/** `serve` and other hosts redirect `/index.html` to `/`. */
const MAX_REDIRECTS = 3;

export type HttpClient = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  const { concurrency, retries, firstRetries = retries, retryBaseMs = 500 } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const { dispatcher, findProxy } = createDispatcher(concurrency, timeouts);
  let hasResponded = false;
  const stats = { requests: 0, bodies: 0, notModified: 0, retries: 0, bytes: 0, cacheHits: 0 };
  /** No request is sent before this time, because the upstream requested a pause. */
  let pausedUntil = 0;
  const sending = pLimit(concurrency);
  const closed = new AbortController();
  setMaxListeners(0, closed.signal);
  const resumptions = new Set<{ readonly at: number }>();
  const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: closed.signal });

  async function receive(
    url: string,
    options: RequestOptions,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const { method = 'GET', maxBytes } = options;
    const { origin, pathname, search } = new URL(url);
    const sent = { 'user-agent': USER_AGENT, ...options.headers };
    const target = { origin, path: pathname + search, method: method as Dispatcher.HttpMethod };
    const response = await dispatcher.request({ ...target, headers: sent, signal });
    const { statusCode: status, headers } = response;
    hasResponded ||= !GATEWAY_STATUS.includes(status);
    const allowed =
      maxBytes + (headers['content-encoding'] === undefined ? 0 : COMPRESSION_OVERHEAD_BYTES);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response.body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > allowed) throw tooLarge(maxBytes, new RangeError('body too large'));
      parts.push(part);
    }
    return { status, headers, body: Buffer.concat(parts) };
  }

  async function request(url: string, options: RequestOptions): ReturnType<typeof receive> {
    const late = AbortSignal.timeout(timeouts.total);
    // We reject the request ourselves, because undici would wait for a connection first.
    const rejected = new Promise<never>((_, reject) => {
      const problem = `no complete response within ${timeouts.total / 1000} s`;
      late.addEventListener('abort', () => reject(new AttemptError(problem, { retryable: true })));
    });
    try {
      return await Promise.race([rejected, receive(url, options, late)]);
    } catch (error) {
      throw toAttemptError(error, findProxy(url));
    }
  }

  async function send(
    url: string,
    attempts: number,
    { revalidation: { etag, lastModified } = {}, maxBytes = MAX_BODY_BYTES }: GetOptions<unknown>,
  ) {
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
    const encoding = [received['content-encoding']].flat().join(',');
    stats.bytes += body.length;
    const isConditional = (etag ?? lastModified) !== undefined;
    if (status === 200 || (status === 304 && isConditional))
      return { status, headers, encoding, body };
    // The proxy may have responded itself, unless a tunnel carries TLS.
    const proxy = url.startsWith('http:') ? findProxy(url) : undefined;
    const refused = toAttemptError(unexpectedStatus(status, headers), proxy);
    const { retryable, retryAfterMs = 0 } = refused.failure;
    const pause = status === 429 ? retryDelay(attempts, retryBaseMs, retryAfterMs) : retryAfterMs;
    if (retryable) pausedUntil = Math.max(pausedUntil, Date.now() + pause);
    throw refused;
  }

  async function attempt<T>(
    url: string,
    attempts: number,
    decode: (body: Buffer) => T,
    options: GetOptions<T>,
  ) {
    const { revalidation = {}, cachedValue, maxBytes } = options;
    const { status, headers, encoding, body } = await sending(send, url, attempts, options);
    const isNew = status === 200;
    const value = isNew ? decode(decompress(body, encoding, maxBytes)) : (cachedValue as T);
    stats[isNew ? 'bodies' : 'notModified']++;
    const own = { etag: headers.etag, lastModified: headers['last-modified'] };
    return {
      ...{ status, value, revalidation: isNew ? own : revalidation, edition: readEdition(headers) },
      freshForMs: freshness(headers['cache-control'], headers.age),
    };
  }

  return {
    stats,
    request,
    /**
     * Sends a GET request with retries. After an invalid body, the retry bypasses caches. `decode` throws `InvalidBodyError` if a
     * retry may help, and any other error if not. Rejects with `UpstreamError`.
     */
    async get<T>(url: string, decode: (body: Buffer) => T, given: GetOptions<T> = {}) {
      let [target, bypassed, redirects] = [url, false, 0];
      for (let attempts = 1; ; ) {
        try {
          const options = bypassed ? { ...given, revalidation: {} } : given;
          return await attempt(target, attempts, decode, options);
        } catch (error) {
          const failed = toAttemptError(error);
          const { status = 0, location, retryable, retryAfterMs } = failed.failure;
          const redirect = resolveRedirect(target, location, given.followsRedirects);
          if (redirect && redirects++ < (given.followsRedirects ? MAX_REDIRECTS : 1)) {
            target = redirect;
            continue;
          }
          const maxAttempts = 1 + (hasResponded ? retries : firstRetries);
          const isMissing = given.retriesMissing === true && MISSING_STATUS.includes(status);
          const isInvalid = failed instanceof InvalidBodyError;
          if (isMissing ? bypassed : !retryable || attempts >= maxAttempts) {
            const unreachable = failed.failure.unreachable === true && !hasResponded;
            throw toUpstreamError(
              failed,
              { method: 'GET', url, attempts, unreachable },
              given.hint,
            );
          }
          if (isMissing || isInvalid) {
            target = bustCaches(target, Date.now());
            bypassed = true;
          }
          stats.retries++;
          const delay = retryDelay(attempts++, retryBaseMs, retryAfterMs);
          const resumption = { at: Date.now() + delay };
          resumptions.add(resumption);
          await wait(delay).finally(() => resumptions.delete(resumption));
        }
      }
    },
    getRetryStatus() {
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

function toUpstreamError(
  failed: AttemptError,
  request: FailedRequest,
  hint?: string,
): UpstreamError {
  const { message, cause, failure } = failed;
  const { retryable: _, retryAfterMs: __, hint: own, ...response } = failure;
  const isResponse =
    failed instanceof InvalidBodyError || (failure.status !== undefined && !request.unreachable);
  const isThrottled = isResponse && [429, 503].includes(failure.status ?? 0);
  const hints = [own, isThrottled ? THROTTLED_HINT : isResponse && hint];
  return new UpstreamError(
    message,
    { ...response, ...request },
    { cause, hint: hints.filter(Boolean).join(' ') || undefined },
  );
}

/** Returns the target of a redirect within the origin, by default only if it adds or removes the trailing slash. */
function resolveRedirect(url: string, location = '', isAny = false): string | undefined {
  if (location === '' || !URL.canParse(location, url)) return undefined;
  const [from, to] = [new URL(url), new URL(location, url)];
  const [before, after] = [from, to].map(
    ({ pathname, search }) => pathname.replace(/\/$/, '') + search,
  );
  return from.origin === to.origin && (isAny || before === after) ? to.href : undefined;
}

const firstValues = (headers: RawResponse['headers']): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]));

// https://httpwg.org/specs/rfc9111.html#calculating.freshness.lifetime
function freshness(control = '', age = ''): number {
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/i.exec(control)?.[1] ?? 0);
  const elapsed = Number.isFinite(Number(age)) ? Number(age) : 0;
  return Math.max(0, maxAge - elapsed) * 1000;
}

/** Connection timeout for each of a host's addresses. Node's default of 250 ms is too short for slow networks. */
const ADDRESS_TIMEOUT_MS = 1000;

function createDispatcher(
  connections: number,
  { connect: timeout, headers, body }: typeof defaultTimeouts,
) {
  const perAddress = Math.max(ADDRESS_TIMEOUT_MS, getDefaultAutoSelectFamilyAttemptTimeout());
  const connect = { timeout, autoSelectFamilyAttemptTimeout: perAddress };
  const direct = new Set<string>();
  // undici does not pass its limits to proxy connections, whose `connect` is a function.
  const factory = (origin: string | URL, { connect = {}, ...options }: Pool.Options): Pool => {
    if (typeof connect !== 'function') direct.add(String(origin));
    const limits = { connections, headersTimeout: headers, bodyTimeout: body };
    const connector = typeof connect === 'function' ? failOnClose(connect) : connect;
    return new Pool(origin, { ...options, ...limits, connect: connector });
  };
  try {
    const proxies = { proxyTls: connect, proxyTunnel: false, clientFactory: factory };
    const dispatcher = new EnvHttpProxyAgent({ connect, factory, ...proxies });
    const findProxy = (url: string) =>
      direct.has(new URL(url).origin) ? undefined : environmentProxy(url);
    return { dispatcher, findProxy };
  } catch (cause) {
    // The value is not shown, because it may contain a password.
    const problem = 'expected a proxy URL, such as http://127.0.0.1:8080';
    throw new UsageError(`HTTP_PROXY or HTTPS_PROXY: ${problem}`, { cause });
  }
}

/** Replaces the error code, because undici would retry indefinitely if a proxy closes the connection instead of opening a tunnel. */
const failOnClose =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...result) => {
      if (errorCode(result[0]) === 'UND_ERR_SOCKET')
        Object.assign(result[0] ?? {}, { code: 'ECONNRESET' });
      done(...result);
    });

/** Returns the proxy for a URL, without the proxy's password. Callers exclude hosts in `NO_PROXY`. */
function environmentProxy(url: string): string | undefined {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const secure = url.startsWith('https:') && (https_proxy ?? HTTPS_PROXY);
  const used = secure || (http_proxy ?? HTTP_PROXY);
  return used ? new URL(used).href.replace(/[^/]*@|\/$/g, '') : undefined;
}

/** Closes the client after the work or when the signal aborts. After an abort, rejects with the signal's reason. */
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
