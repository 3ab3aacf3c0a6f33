/** The HTTP client of builds: bounded connections, time-outs, retries that honor `Retry-After`, no redirects. */

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Edition } from '../contract/edition.ts';
import { USER_AGENT } from '../version.ts';
import { ACCEPT_ENCODING, decompress, MAX_BODY_BYTES } from './body.ts';
import { dispatch, type Headers, type RawResponse } from './dispatch.ts';
import { createDispatcher, defaultTimeouts, type Timeouts } from './dispatcher.ts';
import {
  asFailedAttempt,
  asUpstreamError,
  editionOf,
  FailedAttempt,
  single,
  unexpectedStatus,
} from './failed-attempt.ts';
import { MAX_RETRY_AFTER_MS, retryDelay } from './retry.ts';

export interface ClientOptions {
  /** The maximum number of concurrent requests and connections; more calls than that wait. */
  readonly concurrency: number;
  /** How often a failed request is retried. */
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

/** A response with its body decoded. 304 occurs only in response to a conditional request. */
export type Fetched<T> = ({ readonly status: 200; readonly value: T } | { readonly status: 304 }) & {
  readonly revalidation: Revalidation;
  /** For how many more milliseconds the response is fresh. */
  readonly freshForMs: number;
  /** The edition that the response names. */
  readonly edition: Edition | null;
};

export interface GetOptions {
  readonly revalidation?: Revalidation;
  /** Overrides the number of retries for this request. */
  readonly retries?: number | undefined;
  /** The maximum size of the decompressed body. */
  readonly maxBytes?: number;
}

/** By how much compression may enlarge a body: random bytes grow a little. */
const ENCODING_BYTES = 4096;

/** Totals over the life of a client. `bytes` counts bodies on the wire, before decompression. */
export interface ClientStats {
  requests: number;
  bodies: number;
  notModified: number;
  retries: number;
  bytes: number;
}

export interface Waiting {
  readonly requests: number;
  /** Until the first of them is sent again; 0 if there is none. */
  readonly nextInMs: number;
}

export interface HttpClient {
  readonly stats: Readonly<ClientStats>;
  /**
   * Sends a GET, with retries. `decode` turns the body into a value; it throws `MalformedBody` if a retry may help, and
   * any other error if not. Rejects with `UpstreamError`.
   */
  get<T>(url: string, decode: (body: Buffer) => T, options?: GetOptions): Promise<Fetched<T>>;
  /** Closes every connection and ends every delay at once. */
  close(): Promise<void>;
  /** The failed requests that wait for another attempt. */
  waiting(): Waiting;
}

/** @throws UsageError if the environment names an invalid proxy */
export function createClient(options: ClientOptions): HttpClient {
  const { concurrency, retries, retryBaseMs: baseMs = 500 } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const dispatcher = createDispatcher(concurrency, timeouts);
  const stats: ClientStats = { requests: 0, bodies: 0, notModified: 0, retries: 0, bytes: 0 };
  /** No request is sent before this time, because the upstream asked for a pause. */
  let pausedUntil = 0;
  /** True once there has been any response. */
  let responded = false;
  /** Calls take turns until their responses are complete. */
  const sending = pLimit(concurrency);
  const closed = new AbortController();
  // Every waiting request listens.
  setMaxListeners(0, closed.signal);
  /** When each failed request will be sent again. */
  const resumptions = new Set<{ readonly at: number }>();
  const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: closed.signal });

  /** A pause that the response asks for is noted before the next request gets its turn. */
  async function send(url: string, revalidation: Revalidation, maxBytes: number): Promise<RawResponse> {
    const pause = pausedUntil - Date.now();
    if (pause > 0) await wait(pause);
    stats.requests++;
    const response = await dispatch(url, {
      dispatcher,
      headers: requestHeaders(revalidation),
      maxBytes: (received) => maxBytes + (encodingOf(received) === undefined ? 0 : ENCODING_BYTES),
      totalMs: timeouts.total,
      onStart: () => {
        responded = true;
      },
    });
    stats.bytes += response.body.length;
    const isConditional = (revalidation.etag ?? revalidation.lastModified) !== undefined;
    if (response.status === 200 || (response.status === 304 && isConditional)) return response;
    const refused = unexpectedStatus(response.status, response.headers);
    const { retryAfterMs = 0 } = refused.failure;
    if (mayRetry(refused)) pausedUntil = Math.max(pausedUntil, Date.now() + retryAfterMs);
    throw refused;
  }

  async function attempt<T>(
    url: string,
    decode: (body: Buffer) => T,
    { revalidation = {}, maxBytes = MAX_BODY_BYTES }: GetOptions,
  ): Promise<Fetched<T>> {
    try {
      const { status, headers, body } = await sending(send, url, revalidation, maxBytes);
      const freshForMs = freshness(headers);
      const edition = editionOf(headers);
      if (status === 304) {
        stats.notModified++;
        return { status: 304, revalidation, freshForMs, edition };
      }
      const value = decode(decompress(body, encodingOf(headers), maxBytes));
      stats.bodies++;
      return { status: 200, value, revalidation: revalidationOf(headers), freshForMs, edition };
    } catch (error) {
      throw asFailedAttempt(error, maxBytes);
    }
  }

  return {
    stats,
    async get(url, decode, options = {}) {
      const maxAttempts = 1 + (options.retries ?? retries);
      for (let attempts = 0; ; ) {
        try {
          return await attempt(url, decode, options);
        } catch (error) {
          if (!(error instanceof FailedAttempt)) throw error;
          attempts++;
          const { retryAfterMs = 0 } = error.failure;
          if (!mayRetry(error) || attempts === maxAttempts)
            throw asUpstreamError(error, { method: 'GET', url, attempts, responded });
          stats.retries++;
          const delay = retryDelay(attempts, { baseMs, retryAfterMs, random: Math.random });
          const resumption = { at: Date.now() + delay };
          resumptions.add(resumption);
          await wait(delay).finally(() => resumptions.delete(resumption));
        }
      }
    },
    waiting() {
      const first = Math.min(...[...resumptions].map(({ at }) => at));
      return {
        requests: resumptions.size,
        nextInMs: resumptions.size > 0 ? Math.max(0, first - Date.now()) : 0,
      };
    },
    close() {
      closed.abort();
      return dispatcher.destroy();
    },
  };
}

const mayRetry = ({ failure: { retryable, retryAfterMs = 0 } }: FailedAttempt): boolean =>
  retryable && retryAfterMs <= MAX_RETRY_AFTER_MS;

function requestHeaders({ etag, lastModified }: Revalidation): Record<string, string> {
  return {
    'user-agent': USER_AGENT,
    accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
    'accept-encoding': ACCEPT_ENCODING,
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

const encodingOf = (headers: Headers): string | undefined => single(headers['content-encoding']);

function revalidationOf(headers: Headers): Revalidation {
  return { etag: single(headers.etag), lastModified: single(headers['last-modified']) };
}

/** No response is believed to be fresh for longer than a day. */
const MAX_AGE_SECONDS = 86_400;

/** https://httpwg.org/specs/rfc9111.html#calculating.freshness.lifetime, as far as a private cache needs it. */
function freshness(headers: Headers): number {
  const control = single(headers['cache-control']) ?? '';
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/i.exec(control)?.[1] ?? 0);
  const age = Number(single(headers.age) ?? 0);
  return Math.max(0, Math.min(maxAge, MAX_AGE_SECONDS) - (Number.isFinite(age) ? age : 0)) * 1000;
}
