import type { Edition } from '../contract/meta.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { ACCEPT_ENCODING, decompress, MAX_BODY_BYTES } from './body.ts';
import {
  type AttemptError,
  type Failure,
  type HeaderFields,
  RejectedBodyError,
  readEdition,
  toAttemptError,
  unexpectedStatus,
} from './failures.ts';
import { createPacing, type Pacing, type RetryStatus } from './pacing.ts';
import {
  bustCaches,
  decide,
  type RequestProgress,
  type RetryRules,
  retryDelay,
} from './retry.ts';
import { createStats, type RequestStats } from './stats.ts';
import {
  createTransport,
  type RawResponse,
  type Transport,
  type TransportOptions,
} from './transport.ts';

export interface ClientOptions extends TransportOptions {
  readonly retries: number;
  /**
   * The maximum number of retries per request until the upstream has responded for
   * the first time. Default: `retries`.
   */
  readonly firstRetries?: number | undefined;
  /** The delay before the first retry, in milliseconds. */
  readonly retryBaseMs?: number | undefined;
}

/** The validators of a stored response: its ETag and its modification date. */
export interface Revalidation {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export interface GetOptions<T> {
  /**
   * The validators to send. They ask the upstream whether the stored response is
   * still valid.
   */
  readonly revalidation?: Revalidation;
  /**
   * The value of the stored response, which is returned if the upstream responds
   * with 304.
   */
  readonly cachedValue?: T | undefined;
  /** The maximum size of the decompressed body. */
  readonly maxBytes?: number | undefined;
  /**
   * Whether to request the URL once more past caches if the response is 403, 404 or
   * 410.
   */
  readonly retriesMissing?: boolean | undefined;
  /**
   * Whether to follow all redirects within the origin. By default, only redirects
   * that add or remove a trailing slash are followed.
   */
  readonly followsRedirects?: boolean | undefined;
  /** A hint for the error if the upstream's response is the problem. */
  readonly hint?: string | undefined;
}

export interface GetResponse<T> {
  readonly status: 200 | 304;
  readonly value: T;
  readonly revalidation: Revalidation;
  readonly edition: Edition | null;
  /**
   * The time in milliseconds for which caches may use the response without asking
   * again.
   */
  readonly freshForMs: number;
}

export interface HttpClient {
  readonly stats: RequestStats;
  /**
   * Sends a GET request with retries. After an invalid body, the retry bypasses
   * caches. `decode` throws an `InvalidBodyError` if a retry may help. It throws a
   * `DataError` if the body is valid but has unexpected content. The URL is then
   * requested once more past caches. Any other error means that no retry can help.
   * Rejects with an `UpstreamError` or with that `DataError`.
   */
  get<T>(
    url: string,
    decode: Decode<T>,
    options?: GetOptions<T>,
  ): Promise<GetResponse<T>>;
  getRetryStatus(): RetryStatus;
  /** Aborts all requests and closes all connections. */
  close(): Promise<void>;
}

const THROTTLED_HINT = 'Try again with --concurrency 1 --retries 20.';

type Decode<T> = (body: Buffer) => T;

/** The parts that all requests from a client share. */
interface ClientContext {
  readonly transport: Transport;
  readonly pacing: Pacing;
  readonly stats: RequestStats;
  readonly retries: number;
  readonly firstRetries: number;
  readonly retryBaseMs: number;
}

/** The arguments of a call to `get`. They stay the same for every attempt. */
interface GetRequest<T> {
  readonly url: string;
  readonly decode: Decode<T>;
  readonly options: GetOptions<T>;
}

/**
 * Creates a client for one upstream. All requests from a client share its
 * connections, pauses and statistics.
 */
export function createClient(clientOptions: ClientOptions): HttpClient {
  const { retries, firstRetries = retries, retryBaseMs = 500 } = clientOptions;
  const transport = createTransport(clientOptions);
  const pacing = createPacing(clientOptions.concurrency);
  const stats = createStats();
  const context: ClientContext = {
    transport,
    pacing,
    stats,
    retries,
    firstRetries,
    retryBaseMs,
  };
  return {
    stats,
    get: (url, decode, options = {}) => load(context, { url, decode, options }),
    getRetryStatus: pacing.getRetryStatus,
    close() {
      pacing.stop();
      return transport.close();
    },
  };
}

/**
 * Attempts a request until an attempt succeeds. After each failed attempt,
 * `prepareNext` determines the next step, or throws the final error.
 */
async function load<T>(
  context: ClientContext,
  request: GetRequest<T>,
): Promise<GetResponse<T>> {
  let progress: RequestProgress = {
    url: request.url,
    attempts: 1,
    redirects: 0,
    isPastCaches: false,
  };
  for (;;) {
    try {
      return await attempt(context, request, progress);
    } catch (error) {
      const failed = toAttemptError(error);
      progress = await prepareNext(context, request, progress, failed);
    }
  }
}

/**
 * Sends one request as soon as the pacing allows it, and decodes its response. Only
 * sending occupies a pacing slot, so the next request can be sent while this body is
 * being decoded.
 */
async function attempt<T>(
  context: ClientContext,
  { decode, options }: GetRequest<T>,
  progress: RequestProgress,
): Promise<GetResponse<T>> {
  const { pacing, stats } = context;
  const { maxBytes = MAX_BODY_BYTES, revalidation: storedValidators = {} } = options;
  // A request past caches must not be conditional, because a 304 might only confirm
  // the copy that a cache has stored.
  const revalidation = progress.isPastCaches ? {} : storedValidators;
  const response = await pacing.send(() =>
    send(context, progress, revalidation, maxBytes),
  );
  const headers = selectFirstValues(response.headers);
  const edition = readEdition(headers);
  const freshForMs = calculateFreshness(headers['cache-control'], headers.age);
  if (response.status === 304) {
    stats.notModified++;
    const value = options.cachedValue as T;
    return { status: 304, value, revalidation, edition, freshForMs };
  }
  const encoding = joinValues(response.headers['content-encoding']);
  const body = decompress(response.body, encoding, maxBytes);
  const value = decodeOrReject(decode, body);
  stats.bodies++;
  const validators = {
    etag: headers.etag,
    lastModified: headers['last-modified'],
  };
  return { status: 200, value, revalidation: validators, edition, freshForMs };
}

/**
 * Sends one request. Returns only usable responses: a 200, a 203, or a 304 that was
 * requested. Before any other response is thrown as an error, all later requests are
 * delayed if the upstream asks for a pause.
 */
async function send(
  context: ClientContext,
  progress: RequestProgress,
  revalidation: Revalidation,
  maxBytes: number,
): Promise<RawResponse> {
  const { transport, stats } = context;
  const { url } = progress;
  stats.requests++;
  const conditions = createConditions(revalidation);
  const headers = { ...ACCEPTED, ...conditions };
  const response = await transport.request(url, { headers, maxBytes });
  const { status } = response;
  stats.bytes += response.body.length;
  const isConditional = Object.keys(conditions).length > 0;
  if (USABLE_STATUS.includes(status)) return response;
  if (status === 304 && isConditional) return response;

  const responseHeaders = selectFirstValues(response.headers);
  const refused = unexpectedStatus(status, responseHeaders, url);
  pauseIfAsked(context, progress, refused.failure);
  // Without TLS, the response may be from the proxy itself, so the error mentions the
  // proxy.
  const proxy = url.startsWith('http:') ? transport.findProxy(url) : undefined;
  throw toAttemptError(refused, proxy);
}

/**
 * Delays all later requests if the upstream asks for a pause. A 429 always requires
 * a pause, even if it does not state how long.
 */
function pauseIfAsked(
  { pacing, retryBaseMs }: ClientContext,
  { attempts }: RequestProgress,
  { status, remedy, retryAfterMs = 0 }: Failure,
): void {
  if (remedy !== 'retry') return;
  const isThrottled = status === 429;
  const pauseMs = isThrottled
    ? retryDelay(attempts, retryBaseMs, retryAfterMs)
    : retryAfterMs;
  pacing.pause(pauseMs);
}

/**
 * Decides on the step after a failed attempt, and waits until it is time for that
 * step. A redirect does not count as an attempt. The first attempt past caches uses
 * a URL that no cache has seen before.
 *
 * @throws UpstreamError, or the `DataError` of the decoder, if there is no further
 * attempt
 */
async function prepareNext(
  context: ClientContext,
  request: GetRequest<unknown>,
  progress: RequestProgress,
  failed: AttemptError,
): Promise<RequestProgress> {
  const { pacing, stats, retryBaseMs } = context;
  const { url, attempts, redirects } = progress;
  const rules = createRules(context, request.options);
  const decision = decide(failed.failure, progress, rules);
  if (decision.action === 'redirect') {
    return { ...progress, url: decision.url, redirects: redirects + 1 };
  }
  if (decision.action === 'fail') {
    throw createFinalError(context, request, attempts, failed);
  }
  stats.retries++;
  const { retryAfterMs } = failed.failure;
  await pacing.waitToRetry(retryDelay(attempts, retryBaseMs, retryAfterMs));
  const nextAttempt = { ...progress, attempts: attempts + 1 };
  if (decision.action === 'retry') return nextAttempt;
  return { ...nextAttempt, url: bustCaches(url, Date.now()), isPastCaches: true };
}

/** Creates a request's rules. Until the first response, fewer retries may apply. */
function createRules(
  { transport, retries, firstRetries }: ClientContext,
  options: GetOptions<unknown>,
): RetryRules {
  const maxRetries = transport.hasResponded()
    ? retries
    : Math.min(retries, firstRetries);
  return {
    maxAttempts: 1 + maxRetries,
    retriesMissing: options.retriesMissing === true,
    followsRedirects: options.followsRedirects === true,
  };
}

function createFinalError(
  { transport }: ClientContext,
  { url, options }: GetRequest<unknown>,
  attempts: number,
  failed: AttemptError,
): Error {
  if (failed instanceof RejectedBodyError) return failed.reason;
  const unreachable =
    failed.failure.unreachable === true && !transport.hasResponded();
  const sentRequest = { method: 'GET', url, attempts, unreachable };
  return toUpstreamError(failed, sentRequest, options.hint);
}

/**
 * The statuses of usable responses. A 203 comes from a proxy that transforms
 * responses.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#status.203
 */
const USABLE_STATUS = [200, 203];

const ACCEPTED: HeaderFields = {
  accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
  'accept-encoding': ACCEPT_ENCODING,
};

/**
 * Nix, Bazel and buildpacks set the date of every file to 1970 or 1980. Such a date
 * does not show whether the content has changed.
 */
const EARLIEST_DATE = Date.UTC(1990, 0);

/**
 * Creates the headers that ask whether a stored response is still valid. The date is
 * sent only if there is no ETag, because some servers prefer the date, which may
 * stay the same even if the content changes.
 */
function createConditions({ etag, lastModified = '' }: Revalidation): HeaderFields {
  if (etag !== undefined) return { 'if-none-match': etag };
  if (Date.parse(lastModified) >= EARLIEST_DATE) {
    return { 'if-modified-since': lastModified };
  }
  return {};
}

function decodeOrReject<T>(decode: Decode<T>, body: Buffer): T {
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

/**
 * Converts the last failed attempt to the error that the client throws.
 *
 * @param hint a hint that is shown only if the upstream has responded, because
 * otherwise no request option would help
 */
function toUpstreamError(
  { message, cause, failure }: AttemptError,
  request: SentRequest,
  hint: string | undefined,
): UpstreamError {
  const { status, location, edition } = failure;
  const hasUnusableBody = failure.remedy === 'bypassCaches';
  const hasUnusableStatus = status !== undefined && !request.unreachable;
  const hints: string[] = [];
  if (failure.hint !== undefined) hints.push(failure.hint);
  if (hasUnusableBody || hasUnusableStatus) {
    const isThrottled = status === 429 || status === 503;
    const responseHint = isThrottled ? THROTTLED_HINT : hint;
    if (responseHint !== undefined) hints.push(responseHint);
  }
  const failedRequest = { ...request, status, location, edition };
  const text = hints.length > 0 ? hints.join(' ') : undefined;
  return new UpstreamError(message, failedRequest, { cause, hint: text });
}

/** Selects the first value of each header, because some proxies repeat headers. */
function selectFirstValues(headers: RawResponse['headers']): HeaderFields {
  const fields: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    fields[name] = Array.isArray(value) ? value[0] : value;
  }
  return fields;
}

/** Joins a repeated header's values as if they were in a single header. */
function joinValues(value: string | string[] | undefined): string {
  if (Array.isArray(value)) return value.join(',');
  return value ?? '';
}

/**
 * Calculates for how long a response stays fresh, in milliseconds.
 *
 * @see https://httpwg.org/specs/rfc9111.html#calculating.freshness.lifetime
 */
function calculateFreshness(control = '', age = ''): number {
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const [, maxAge = '0'] = /\bmax-age=(\d+)/i.exec(control) ?? [];
  const elapsed = Number(age);
  // An invalid `Age` header is ignored.
  const elapsedSeconds = Number.isFinite(elapsed) ? elapsed : 0;
  return Math.max(0, Number(maxAge) - elapsedSeconds) * 1000;
}

/**
 * Closes the client after the work has finished or when the signal aborts. After an
 * abort, rejects with the signal's reason.
 */
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
