import type { Edition } from '../contract/meta.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { ACCEPT_ENCODING, decompress, MAX_BODY_BYTES } from './body.ts';
import {
  type AttemptError,
  type HeaderFields,
  RejectedBodyError,
  readEdition,
  toAttemptError,
  unexpectedStatus,
} from './failures.ts';
import { createPacing, type RetryStatus } from './pacing.ts';
import { bustCaches, decide, type RequestProgress, type RetryRules, retryDelay } from './retry.ts';
import { createStats, type RequestStats } from './stats.ts';
import { createTransport, type RawResponse, type TransportOptions } from './transport.ts';

export interface ClientOptions extends TransportOptions {
  readonly retries: number;
  /** At most so many retries are sent until the upstream has responded. Default: `retries`. */
  readonly firstRetries?: number | undefined;
  /** The delay before the first retry, in milliseconds. */
  readonly retryBaseMs?: number | undefined;
}

/** The validators of a stored response. */
export interface Revalidation {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export interface GetOptions<T> {
  /** Sent to ask whether the stored response is still valid. */
  readonly revalidation?: Revalidation;
  /** The value of the stored response, for a 304. */
  readonly cachedValue?: T | undefined;
  /** Of the decompressed body. */
  readonly maxBytes?: number | undefined;
  /** Whether 403, 404 and 410 are requested once more past caches. */
  readonly retriesMissing?: boolean | undefined;
  /** Whether to follow any redirect within the origin. Default: only redirects that add or remove the trailing slash. */
  readonly followsRedirects?: boolean | undefined;
  /** Shown if the upstream's response is the problem. */
  readonly hint?: string | undefined;
}

export interface GetResponse<T> {
  readonly status: 200 | 304;
  readonly value: T;
  readonly revalidation: Revalidation;
  readonly edition: Edition | null;
  /** How long caches may use the response without asking again, in milliseconds. */
  readonly freshForMs: number;
}

export interface HttpClient {
  readonly stats: RequestStats;
  /**
   * Sends a GET request with retries. After an invalid body, the retry bypasses caches. `decode` throws `InvalidBodyError` if
   * retries may help, `DataError` if the body is valid but not what was asked for, which is requested once more past caches,
   * and any other error if no retry can help. Rejects with `UpstreamError`, or with the `DataError`.
   */
  get<T>(
    url: string,
    decode: (body: Buffer) => T,
    options?: GetOptions<T>,
  ): Promise<GetResponse<T>>;
  getRetryStatus(): RetryStatus;
  /** Aborts all requests. */
  close(): Promise<void>;
}

const THROTTLED_HINT = 'Try again with --concurrency 1 --retries 20.';

/**
 * Creates a client for one upstream. Each GET is a loop: send one attempt when the pacing allows it, decode its body, and, if
 * that failed, follow the decision of `decide`. All requests of a client share its connections, pauses and statistics.
 */
export function createClient(options: ClientOptions): HttpClient {
  const { retries, firstRetries = retries, retryBaseMs = 500 } = options;
  const transport = createTransport(options);
  const pacing = createPacing(options.concurrency);
  const stats = createStats();

  /** Sends one request, and delays the later ones if the upstream wants a pause. Returns only a 200 or a requested 304. */
  async function send(
    { url, attempts }: RequestProgress,
    revalidation: Revalidation,
    maxBytes: number,
  ): Promise<RawResponse> {
    stats.requests++;
    const conditions = createConditions(revalidation);
    const headers = { ...ACCEPTED, ...conditions };
    const response = await transport.request(url, { headers, maxBytes });
    const { status } = response;
    stats.bytes += response.body.length;
    const isConditional = Object.keys(conditions).length > 0;
    if (USABLE_STATUS.includes(status) || (status === 304 && isConditional)) return response;

    // The proxy may have responded itself, unless a tunnel carries TLS.
    const proxy = url.startsWith('http:') ? transport.findProxy(url) : undefined;
    const refused = unexpectedStatus(status, selectFirstValues(response.headers), url);
    const { remedy, retryAfterMs = 0 } = refused.failure;
    const pauseMs = status === 429 ? retryDelay(attempts, retryBaseMs, retryAfterMs) : retryAfterMs;
    if (remedy === 'retry') pacing.pause(pauseMs);
    throw toAttemptError(refused, proxy);
  }

  /** Decodes outside of the slot, so that the next request is sent in the meantime. */
  async function attempt<T>(
    progress: RequestProgress,
    decode: (body: Buffer) => T,
    options: GetOptions<T>,
  ): Promise<GetResponse<T>> {
    const { maxBytes = MAX_BODY_BYTES } = options;
    const revalidation = (!progress.isPastCaches && options.revalidation) || {};
    const response = await pacing.send(() => send(progress, revalidation, maxBytes));
    const headers = selectFirstValues(response.headers);
    const edition = readEdition(headers);
    const freshForMs = calculateFreshness(headers['cache-control'], headers.age);
    if (response.status === 304) {
      stats.notModified++;
      const value = options.cachedValue as T;
      return { status: 304, value, revalidation, edition, freshForMs };
    }
    const encoding = [response.headers['content-encoding']].flat().join(',');
    const value = decodeOrReject(decode, decompress(response.body, encoding, maxBytes));
    stats.bodies++;
    const received = { etag: headers.etag, lastModified: headers['last-modified'] };
    return { status: 200, value, revalidation: received, edition, freshForMs };
  }

  async function get<T>(
    url: string,
    decode: (body: Buffer) => T,
    options: GetOptions<T> = {},
  ): Promise<GetResponse<T>> {
    let progress: RequestProgress = { url, attempts: 1, redirects: 0, isPastCaches: false };
    for (;;) {
      try {
        return await attempt(progress, decode, options);
      } catch (error) {
        const failed = toAttemptError(error);
        progress = await prepareNext(failed, progress, url, options);
      }
    }
  }

  /** Waits until the next attempt. @throws UpstreamError if there is none */
  async function prepareNext(
    failed: AttemptError,
    progress: RequestProgress,
    originalUrl: string,
    options: GetOptions<unknown>,
  ): Promise<RequestProgress> {
    const { url, attempts, redirects } = progress;
    const hasResponded = transport.hasResponded();
    const rules: RetryRules = {
      maxAttempts: 1 + (hasResponded ? retries : Math.min(retries, firstRetries)),
      retriesMissing: options.retriesMissing === true,
      followsRedirects: options.followsRedirects === true,
    };
    const decision = decide(failed.failure, progress, rules);
    if (decision.action === 'redirect')
      return { ...progress, url: decision.url, redirects: redirects + 1 };
    if (decision.action === 'fail') {
      if (failed instanceof RejectedBodyError) throw failed.reason;
      const unreachable = failed.failure.unreachable === true && !hasResponded;
      const request = { method: 'GET', url: originalUrl, attempts, unreachable };
      throw toUpstreamError(failed, request, options.hint);
    }
    stats.retries++;
    await pacing.waitToRetry(retryDelay(attempts, retryBaseMs, failed.failure.retryAfterMs));
    const next = { ...progress, attempts: attempts + 1 };
    if (decision.action === 'retry') return next;
    return { ...next, url: bustCaches(url, Date.now()), isPastCaches: true };
  }

  return {
    stats,
    get,
    getRetryStatus: pacing.getRetryStatus,
    close() {
      pacing.stop();
      return transport.close();
    },
  };
}

/** A transforming proxy sends 203: https://www.rfc-editor.org/rfc/rfc9110#status.203 */
const USABLE_STATUS = [200, 203];

const ACCEPTED: HeaderFields = {
  accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
  'accept-encoding': ACCEPT_ENCODING,
};

/** Nix, Bazel and buildpacks date every file 1970 or 1980, so that such a date says nothing about the content. */
const EARLIEST_DATE = Date.UTC(1990, 0);

/**
 * Creates the headers that ask whether a stored response is still valid. A date is sent only if there is no ETag, because
 * some servers go by the date, which may stay the same although the content changes.
 */
function createConditions({ etag, lastModified = '' }: Revalidation): HeaderFields {
  if (etag !== undefined) return { 'if-none-match': etag };
  if (Date.parse(lastModified) >= EARLIEST_DATE) return { 'if-modified-since': lastModified };
  return {};
}

function decodeOrReject<T>(decode: (body: Buffer) => T, body: Buffer): T {
  try {
    return decode(body);
  } catch (error) {
    if (error instanceof DataError) throw new RejectedBodyError(error);
    throw error;
  }
}

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly attempts: number;
  readonly unreachable: boolean;
}

/** @param hint shown only if the upstream has responded, because otherwise no option of the request matters */
function toUpstreamError(
  { message, cause, failure }: AttemptError,
  request: SentRequest,
  hint: string | undefined,
): UpstreamError {
  const { status, location, edition } = failure;
  const isResponse =
    failure.remedy === 'bypassCaches' || (status !== undefined && !request.unreachable);
  const isThrottled = status === 429 || status === 503;
  const hints = [failure.hint];
  if (isResponse) hints.push(isThrottled ? THROTTLED_HINT : hint);
  const text = hints.filter(Boolean).join(' ');
  return new UpstreamError(
    message,
    { ...request, status, location, edition },
    { cause, hint: text || undefined },
  );
}

/** Proxies repeat headers. */
function selectFirstValues(headers: RawResponse['headers']): HeaderFields {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]]);
  return Object.fromEntries(entries);
}

/** @see https://httpwg.org/specs/rfc9111.html#calculating.freshness.lifetime */
function calculateFreshness(control = '', age = ''): number {
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/i.exec(control)?.[1] ?? 0);
  const elapsed = Number.isFinite(Number(age)) ? Number(age) : 0;
  return Math.max(0, maxAge - elapsed) * 1000;
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
