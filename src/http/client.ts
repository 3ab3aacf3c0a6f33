/** The polite client: bounded connections, time-outs, retries that honour `Retry-After`, and no redirects. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, errors } from 'undici';
import { errorCode, GamedataError, UpstreamError, UsageError } from '../errors.ts';
import { USER_AGENT } from '../version.ts';
import { ACCEPT_ENCODING, decompress, MAX_BODY_BYTES, MalformedBody } from './body.ts';
import { exchange, type Headers, Overdue } from './exchange.ts';
import {
  isRetryableCode,
  isRetryableStatus,
  isUnreachable,
  MAX_RETRY_AFTER_MS,
  parseRetryAfter,
  retryDelay,
} from './retry.ts';

export interface ClientOptions {
  /** The most requests, and so connections, at one time. */
  readonly concurrency: number;
  /** How often a failed request is sent again. */
  readonly retries: number;
  /** The wait before the first retry; it doubles with each further one. */
  readonly retryBaseMs?: number | undefined;
  /** Longest waits, in milliseconds: for a connection, for headers, between parts of a body, for all of one answer. */
  readonly timeouts?: Partial<Timeouts> | undefined;
}

interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  readonly body: number;
  readonly total: number;
}
const defaultTimeouts: Timeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 60_000 };

/** What a cache knows of the last answer, sent along so that an unchanged one costs no body. */
export interface Validator {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** An answer, its body already decoded. 304 comes only where a validator was sent, and says that nothing changed. */
export type Answer<T> = ({ readonly status: 200; readonly value: T } | { readonly status: 304 }) & {
  readonly validator: Validator;
  /** For how many more milliseconds the answer need not be asked for again. */
  readonly freshForMs: number;
};

export interface GetOptions {
  readonly validator?: Validator;
  /** How often this request is sent again, if not as often as any other. */
  readonly retries?: number;
  /** The largest body that is read, decompressed. */
  readonly maxBytes?: number;
}

/** How much longer than its content a body may become by compression: random bytes do, a little. */
const ENCODING_BYTES = 4096;

/** Counts over the life of a client. `bytes` is what travelled, before decompression. */
export interface ClientStats {
  requests: number;
  bodies: number;
  notModified: number;
  retries: number;
  bytes: number;
}

export interface HttpClient {
  readonly stats: Readonly<ClientStats>;
  /**
   * Sends a GET until it is answered or hopeless. `decode` turns the body into a value; it throws `MalformedBody` where
   * asking again may help, and any other error where not. Rejects with `UpstreamError`.
   */
  get<T>(url: string, decode: (body: Buffer) => T, options?: GetOptions): Promise<Answer<T>>;
  /** Ends every connection and every wait at once. */
  close(): Promise<void>;
}

/** Why an attempt failed, and whether another one may do better. */
class FailedAttempt extends Error {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number;
  readonly hint: string | undefined;

  constructor(
    message: string,
    details: {
      retryable: boolean;
      status?: number;
      location?: string;
      retryAfterMs?: number;
      hint?: string;
      cause?: unknown;
    },
  ) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.location = details.location;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs ?? 0;
    this.hint = details.hint;
  }
}

/** @throws UsageError where the environment names a proxy that is none */
export function createClient({
  concurrency,
  retries,
  retryBaseMs = 500,
  timeouts: given,
}: ClientOptions): HttpClient {
  const timeouts = { ...defaultTimeouts, ...given };
  const dispatcher = createDispatcher(concurrency, timeouts);
  const stats: ClientStats = { requests: 0, bodies: 0, notModified: 0, retries: 0, bytes: 0 };
  /** Until when nobody sends anything, because the upstream asked for a pause. */
  let pausedUntil = 0;
  /** True once anything has come back. */
  let answered = false;
  const closed = new AbortController();
  const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: closed.signal });

  async function attempt<T>(
    url: string,
    decode: (body: Buffer) => T,
    { validator = {}, maxBytes = MAX_BODY_BYTES }: GetOptions,
  ): Promise<Answer<T>> {
    stats.requests++;
    try {
      const { status, headers, body } = await exchange(url, {
        dispatcher,
        headers: requestHeaders(validator),
        maxBytes: (headers) =>
          maxBytes + (single(headers['content-encoding']) === undefined ? 0 : ENCODING_BYTES),
        totalMs: timeouts.total,
        onStart: () => {
          answered = true;
        },
      });
      const encoding = single(headers['content-encoding']);
      stats.bytes += body.length;
      const freshForMs = freshness(headers);
      if (status === 304 && (validator.etag ?? validator.lastModified) !== undefined) {
        stats.notModified++;
        return { status: 304, validator, freshForMs };
      }
      if (status !== 200) throw refused(status, headers);
      const value = decode(decompress(body, encoding, maxBytes));
      stats.bodies++;
      return { status: 200, value, validator: validatorOf(headers), freshForMs };
    } catch (error) {
      throw asFailedAttempt(error, maxBytes);
    }
  }

  return {
    stats,
    async get(url, decode, options = {}) {
      const attempts = 1 + (options.retries ?? retries);
      for (let failures = 0; ; ) {
        const pause = pausedUntil - Date.now();
        if (pause > 0) await wait(pause);
        try {
          return await attempt(url, decode, options);
        } catch (error) {
          if (!(error instanceof FailedAttempt)) throw error;
          failures++;
          const tooLong = error.retryAfterMs > MAX_RETRY_AFTER_MS;
          if (!error.retryable || tooLong || failures === attempts)
            throw hopeless(url, error, { attempts: failures, answered });
          stats.retries++;
          if (error.retryAfterMs > 0) pausedUntil = Math.max(pausedUntil, Date.now() + error.retryAfterMs);
          await wait(
            retryDelay(failures, {
              baseMs: retryBaseMs,
              retryAfterMs: error.retryAfterMs,
              random: Math.random,
            }),
          );
        }
      }
    },
    close() {
      closed.abort();
      return dispatcher.destroy();
    },
  };
}

/** Goes by way of a proxy where the environment names one. */
function createDispatcher(connections: number, timeouts: Timeouts): Dispatcher {
  try {
    return new EnvHttpProxyAgent({
      connections,
      connect: { timeout: timeouts.connect },
      headersTimeout: timeouts.headers,
      bodyTimeout: timeouts.body,
    });
  } catch (cause) {
    // Its value may hold a password, and is not shown.
    throw new UsageError(
      'HTTP_PROXY or HTTPS_PROXY: got no address of a proxy, expected one such as http://127.0.0.1:8080',
      { cause },
    );
  }
}

function requestHeaders({ etag, lastModified }: Validator): Record<string, string> {
  return {
    'user-agent': USER_AGENT,
    accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
    'accept-encoding': ACCEPT_ENCODING,
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function validatorOf(headers: Headers): Validator {
  return { etag: single(headers.etag), lastModified: single(headers['last-modified']) };
}

/** https://httpwg.org/specs/rfc9111.html#calculating.freshness.lifetime, as far as a private cache needs it. */
function freshness(headers: Headers): number {
  const control = single(headers['cache-control']) ?? '';
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/i.exec(control)?.[1] ?? 0);
  const age = Number(single(headers.age) ?? 0);
  return Math.max(0, maxAge - (Number.isFinite(age) ? age : 0)) * 1000;
}

function refused(status: number, headers: Headers): FailedAttempt {
  const location = single(headers.location);
  if (status >= 300 && status < 400 && location !== undefined) {
    return new FailedAttempt(`answered ${status}, a redirect to ${JSON.stringify(location)}, expected 200`, {
      status,
      location,
      retryable: false,
      hint: 'Redirects are never followed: name the address that answers itself.',
    });
  }
  const retryAfterMs = parseRetryAfter(single(headers['retry-after']), Date.now());
  const asked = retryAfterMs > 0 ? ` and asked to wait ${Math.ceil(retryAfterMs / 1000)} s` : '';
  return new FailedAttempt(`answered ${status}${asked}, expected 200`, {
    status,
    retryable: isRetryableStatus(status),
    retryAfterMs,
  });
}

/** Sorts what undici, zlib and `decode` throw into failed attempts; what is none of them goes on as it is. */
function asFailedAttempt(error: unknown, maxBytes: number): unknown {
  if (error instanceof FailedAttempt || error instanceof GamedataError) return error;
  if (error instanceof MalformedBody || error instanceof Overdue)
    return new FailedAttempt(error.message, { retryable: true, cause: error });
  // The parser's errors have a code for most of what is no HTTP, and none for the rest.
  if (error instanceof errors.HTTPParserError)
    return new FailedAttempt(`answered what is no HTTP: ${error.message}`, { retryable: true, cause: error });
  const code = errorCode(error);
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new FailedAttempt(`answered more than ${maxBytes} bytes`, {
      retryable: false,
      cause: error,
    });
  }
  if (code === '' || !(error instanceof Error)) return error;
  const message = error.message.includes(code)
    ? error.message
    : `${error.message || 'connection failed'} (${code})`;
  return new FailedAttempt(message, { retryable: isRetryableCode(code), cause: error });
}

function hopeless(
  url: string,
  failure: FailedAttempt,
  { attempts, answered }: { attempts: number; answered: boolean },
): UpstreamError {
  return new UpstreamError(
    failure.message,
    {
      method: 'GET',
      url,
      status: failure.status,
      location: failure.location,
      attempts,
      unreachable: !answered && isUnreachable(errorCode(failure.cause)),
    },
    { cause: failure, hint: failure.hint },
  );
}
