import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { errorCode, GamedataError, isExpected } from '../errors.ts';
import { ACCEPT_ENCODING, MAX_BODY_BYTES } from './body.ts';
import {
  ConnectionError,
  createTransport,
  type ReceivedResponse,
  type RequestStats,
  type TransportOptions,
} from './transport.ts';

export interface ClientOptions extends TransportOptions {
  /**
   * The maximum number of attempts per URL until the upstream has responded for the
   * first time. The default is the same number as afterward.
   */
  readonly firstAttempts?: number | undefined;
  /** The delay before the second attempt, in milliseconds. */
  readonly retryBaseMs?: number | undefined;
  /** Aborts all work with the client. */
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions {
  /** The maximum size of the decompressed body. */
  readonly maxBytes?: number | undefined;
  /**
   * Whether the first attempt must bypass caches. All further attempts bypass them
   * anyway.
   */
  readonly mustBypassCaches?: boolean;
  /** More headers for this request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the file may be missing. If so, 403, 404 and 410 are not retried. */
  readonly isOptional?: boolean;
  readonly maxAttempts?: number;
}

/** A response with a success status, and its decompressed body. */
export interface AcceptableResponse {
  readonly body: Buffer;
  /** Returns a header's value, or undefined. Repeated values are joined. */
  header(name: string): string | undefined;
}

/** Requests URLs of one upstream. */
export interface Client {
  readonly stats: RequestStats;
  /**
   * Requests a URL until `accept` returns a value. `accept` throws a `GamedataError` to
   * reject a response.
   *
   * @throws GamedataError if the last attempt fails as well
   */
  get<T>(
    url: string,
    accept: (response: AcceptableResponse) => T,
    options?: GetOptions,
  ): Promise<T>;
  /** Aborts all requests and pauses, and closes all connections. */
  close(): Promise<void>;
}

const MAX_ATTEMPTS = 5;
const MAX_BACKOFF_MS = 30_000;
const MAX_RETRY_AFTER_MS = 900_000;

/** Some caches still send one of these statuses even if the upstream has the record. */
const MISSING_STATUS = [403, 404, 410];
const BUSY_STATUS = [408, 421, 425, 429];

/** A 203 comes from a proxy that transforms responses. */
const SUCCESS_STATUS = [200, 203];

/**
 * Creates a client for one upstream. All requests share its connections, pauses and
 * statistics.
 *
 * The client retries failed connections, statuses that may be temporary, and rejected
 * bodies. Each retry bypasses caches, after an increasing delay. All other statuses are
 * final. If the upstream asks for a pause, all requests wait.
 */
export function createClient(options: ClientOptions): Client {
  const { concurrency, firstAttempts = MAX_ATTEMPTS, retryBaseMs = 500 } = options;
  const transport = createTransport(options);
  const limit = pLimit(concurrency);
  const closing = new AbortController();
  // Hundreds of requests may wait at the same time, which would otherwise trigger
  // Node's warning about a memory leak.
  setMaxListeners(0, closing.signal);
  let pausedUntil = 0;

  const wait = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: closing.signal });

  /**
   * Sends one request as soon as every pause is over. If the response redirects to the
   * same URL with or without its trailing slash, sends a second request there.
   */
  async function send(
    url: string,
    { maxBytes = MAX_BODY_BYTES, headers }: GetOptions,
  ): Promise<ReceivedResponse> {
    let leftMs = pausedUntil - Date.now();
    while (leftMs > 0) {
      await wait(leftMs);
      // Another response may have extended the pause in the meantime.
      leftMs = pausedUntil - Date.now();
    }
    const request = { headers: { ...ACCEPTED, ...headers }, maxBytes };
    const response = await transport.request(url, request);
    const target = findSlashRedirect(url, response);
    if (target === undefined) return response;
    return transport.request(target, request);
  }

  /**
   * Sends one request, and throws an error unless the status is a success. The error says
   * whether another attempt makes sense: only after a temporary failure, and not if the
   * upstream asks for a pause that is too long.
   */
  async function sendAttempt(
    url: string,
    attempt: number,
    getOptions: GetOptions,
  ): Promise<ReceivedResponse> {
    const response = await send(url, getOptions);
    const { status, header } = response;
    if (SUCCESS_STATUS.includes(status)) return response;
    const retryAfterMs = parseRetryAfter(header('retry-after'));
    const isPauseTooLong = retryAfterMs > MAX_RETRY_AFTER_MS;
    const isFinal = isPauseTooLong || !isTemporary(status, getOptions.isOptional);
    // A 429 always requires a pause, even if it does not state how long.
    const mustPause = !isFinal && (retryAfterMs > 0 || status === 429);
    if (mustPause) {
      const pauseMs = Math.max(retryAfterMs, calculateBackoff(attempt, retryBaseMs));
      // From now on, `send` delays all requests, not only the next attempt of this one.
      pausedUntil = Math.max(pausedUntil, Date.now() + pauseMs);
    }
    const got = describeStatus(response, retryAfterMs);
    const details = { hasResponse: true, status, isFinal };
    throw new AttemptError(`got ${got}, expected 200`, details);
  }

  function findMaxAttempts({ maxAttempts = MAX_ATTEMPTS }: GetOptions): number {
    if (transport.hasResponded()) return maxAttempts;
    return Math.min(maxAttempts, firstAttempts);
  }

  /**
   * Requests a URL until a response is accepted. Waits after each failure, and then
   * tries again, bypassing caches, because a cache may have caused the failure.
   */
  async function get<T>(
    url: string,
    accept: (response: AcceptableResponse) => T,
    getOptions: GetOptions = {},
  ): Promise<T> {
    const { mustBypassCaches = false } = getOptions;
    for (let attempt = 1; ; attempt++) {
      const isPastCaches = mustBypassCaches || attempt > 1;
      const sentUrl = isPastCaches ? bypassCaches(url) : url;
      try {
        // The limit applies only to the request, not to the delay before the next
        // attempt.
        const response = await limit(sendAttempt, sentUrl, attempt, getOptions);
        const { header, decodeBody } = response;
        return accept({ header, body: decodeBody() });
      } catch (error) {
        const failure = toAttemptErrorOrThrow(error);
        const { isFinal = false } = failure.details;
        const isLastAttempt = attempt >= findMaxAttempts(getOptions);
        const isClosed = closing.signal.aborted;
        if (isFinal || isLastAttempt || isClosed) {
          throw createError(url, attempt, failure);
        }
      }
      await wait(calculateBackoff(attempt, retryBaseMs));
    }
  }

  return {
    stats: transport.stats,
    get,
    close() {
      closing.abort();
      return transport.close();
    },
  };
}

const ACCEPTED = {
  accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
  'accept-encoding': ACCEPT_ENCODING,
};

/** Adds a query parameter that the upstream ignores and that no cache has seen. */
function bypassCaches(url: string): string {
  const separator = url.includes('?') ? '&' : '?';
  return `${url}${separator}uncached=${Date.now()}`;
}

/**
 * Returns the target of a redirect that only adds or removes the trailing slash, as
 * some servers do. No other redirect is followed, because it could lead to another
 * host.
 */
function findSlashRedirect(
  url: string,
  { status, header }: ReceivedResponse,
): string | undefined {
  const location = header('location');
  const isRedirect = status >= 300 && status < 400;
  if (!isRedirect || location === undefined) return undefined;
  if (!URL.canParse(location, url)) return undefined;
  const target = new URL(location, url).href;
  const isSame = omitTrailingSlash(target) === omitTrailingSlash(url);
  return isSame ? target : undefined;
}

function omitTrailingSlash(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return origin + pathname.replace(/\/$/, '') + search;
}

export interface AttemptDetails {
  /** Whether a response has arrived, even if it was then rejected. */
  readonly hasResponse: boolean;
  /** The unexpected status, if that is why the attempt failed. */
  readonly status?: number;
  /** Whether further attempts are pointless. */
  readonly isFinal?: boolean;
}

/**
 * Thrown if a single attempt fails. The message describes the reason. The error of the
 * last attempt is the cause of the error that `get` throws.
 */
class AttemptError extends Error {
  readonly details: AttemptDetails;

  constructor(message: string, details: AttemptDetails, options?: ErrorOptions) {
    super(message, options);
    this.details = details;
  }
}

/**
 * Returns how the last attempt of a request failed. Returns undefined for any other
 * error.
 */
export function findFailure(error: unknown): AttemptDetails | undefined {
  if (!isExpected(error, 'upstream')) return undefined;
  return error.cause instanceof AttemptError ? error.cause.details : undefined;
}

/** Returns whether the upstream has answered that it does not have a file. */
export function isMissing(error: unknown): boolean {
  const status = findFailure(error)?.status;
  return status !== undefined && MISSING_STATUS.includes(status);
}

/** Returns whether another attempt may get a different status. */
function isTemporary(status: number, isOptional = false): boolean {
  if (status >= 500 || BUSY_STATUS.includes(status)) return true;
  // A file that must exist can be missing only from a cache.
  if (MISSING_STATUS.includes(status)) return !isOptional;
  // The upstream sends no success status other than 200, and we never send conditional
  // requests, so the response must come from a cache or a firewall.
  return status < 300 || status === 304;
}

/** Describes a response: `302, a redirect to "/login" with Retry-After 60 s`. */
function describeStatus(
  { status, header }: ReceivedResponse,
  retryAfterMs: number,
): string {
  let text = String(status);
  const location = header('location');
  if (location !== undefined) text += `, a redirect to ${JSON.stringify(location)}`;
  if (retryAfterMs > 0) text += ` with Retry-After ${retryAfterMs / 1000} s`;
  return text;
}

/**
 * Parses a `Retry-After` header, which contains a number of seconds or a date. Returns
 * the delay in milliseconds, rounded up to whole seconds, or 0 if the header is invalid
 * or the date is in the past.
 */
function parseRetryAfter(header = ''): number {
  const isSeconds = /^\d+(?:\.\d+)?$/.test(header);
  const waitMs = isSeconds ? Number(header) * 1000 : Date.parse(header) - Date.now();
  // If the date is invalid, the difference is not a number.
  return waitMs > 0 ? Math.ceil(waitMs / 1000) * 1000 : 0;
}

/** Converts an expected error. Rethrows any other error, because it is a bug. */
function toAttemptErrorOrThrow(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error;
  // An error about the data means that a response arrived and was rejected.
  const hasResponse = isExpected(error, 'data');
  if (!hasResponse && !(error instanceof ConnectionError)) throw error;
  return new AttemptError(error.message, { hasResponse }, { cause: error });
}

/**
 * Returns the delay before the next attempt. It grows exponentially. Up to half of it
 * is random, so that clients that failed at the same time do not retry at the same
 * time.
 */
function calculateBackoff(attempt: number, baseMs: number): number {
  const longest = Math.min(MAX_BACKOFF_MS, baseMs * 2 ** (attempt - 1));
  return longest * (0.5 + Math.random() / 2);
}

/** Creates the error for a URL whose last attempt has failed. */
function createError(
  url: string,
  attempts: number,
  attempt: AttemptError,
): GamedataError {
  const { message, details } = attempt;
  const { hasResponse } = details;
  const tries = attempts === 1 ? '' : ` (${attempts} attempts)`;
  return new GamedataError('upstream', `GET ${url}: ${message}${tries}`, {
    cause: attempt,
    hint: hasResponse ? undefined : findConnectionHint(attempt.cause),
  });
}

const OWN_CA =
  'If your network inspects TLS or has its own CA, add the CA certificate (PEM) with NODE_EXTRA_CA_CERTS=<file>.';
const PROXY = 'Check HTTP_PROXY and HTTPS_PROXY, or add the host to NO_PROXY.';

const UNKNOWN_CA = /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF/;

/**
 * Returns a hint if the user's network may have caused the failure: a certificate of an
 * unknown CA, or a proxy.
 */
export function findConnectionHint(cause: unknown): string | undefined {
  let error = cause;
  while (error instanceof Error) {
    if (UNKNOWN_CA.test(errorCode(error))) return OWN_CA;
    // Through a proxy, undici wraps the error that describes the certificate.
    error = error.cause;
  }
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const proxy = http_proxy || HTTP_PROXY || https_proxy || HTTPS_PROXY;
  return proxy ? PROXY : undefined;
}

/** Creates a client for the duration of `work`. `options.signal` aborts the work. */
export function withClient<T>(
  options: ClientOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return closeOnAbort(createClient(options), options.signal, work);
}

/**
 * Calls `work` with a client, and closes the client afterward. If the signal aborts,
 * closes the client at once, so that its requests fail and `work` ends. Then throws the
 * signal's reason instead of a request's error.
 */
export async function closeOnAbort<C extends { close(): Promise<void> }, T>(
  client: C,
  signal: AbortSignal | undefined,
  work: (client: C) => Promise<T>,
): Promise<T> {
  const stop = (): void => void client.close();
  signal?.addEventListener('abort', stop);
  try {
    // A signal that aborted before we listened sends no event.
    signal?.throwIfAborted();
    return await work(client);
  } catch (error) {
    // After an abort, `work` fails only because its client is closed.
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    // After an abort, the client is already closed. Closing it again has no effect.
    await client.close();
  }
}
