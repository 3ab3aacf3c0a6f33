/** Why an attempt at a request failed, whether another one may succeed, and after what delay. */

import { type Edition, parseEdition } from '../contract/meta.ts';
import { errorCode, type FailedRequest, GamedataError } from '../errors.ts';

export type Headers = Readonly<Record<string, string | undefined>>;

interface Failure extends Partial<Pick<FailedRequest, 'status' | 'location' | 'edition' | 'unreachable'>> {
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly hint?: string | undefined;
}

export class FailedAttempt extends Error {
  readonly failure: Failure;

  constructor(message: string, { cause, ...failure }: Failure & { readonly cause?: unknown }) {
    super(message, { cause });
    this.failure = failure;
  }
}

export const tooLarge = (maxBytes: number, cause: unknown): FailedAttempt =>
  new FailedAttempt(`got more than ${maxBytes} bytes`, { retryable: false, cause });

/** The edition that a response of PokeAPI names: https://github.com/PokeAPI/pokeapi */
export const editionOf = (headers: Headers): Edition | null =>
  parseEdition(headers['x-pokeapi-hash'], headers['x-pokeapi-deploy-date'], Date.now());

/** Responses that a retry may improve. */
const RETRYABLE_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The longest `Retry-After` that is honored. Beyond it the build fails, and can be run again later. */
const MAX_RETRY_AFTER_MS = 120_000;

export function unexpectedStatus(status: number, headers: Headers): FailedAttempt {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    return new FailedAttempt(`got ${status}, a redirect to ${JSON.stringify(location)}, expected 200`, {
      status,
      location,
      retryable: false,
      hint: 'Redirects are not followed: use the URL that they lead to.',
    });
  }
  const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
  const wait = retryAfterMs > 0 ? ` with Retry-After ${Math.ceil(retryAfterMs / 1000)} s` : '';
  return new FailedAttempt(`got ${status}${wait}, expected 200`, {
    status,
    retryable: RETRYABLE_STATUS.has(status) && retryAfterMs <= MAX_RETRY_AFTER_MS,
    retryAfterMs,
    edition: editionOf(headers),
  });
}

/** Failures before any response. */
const UNREACHABLE_CODES = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** Failures in transit: the response started or the connection broke. */
const BROKEN_CODES = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Turns what undici throws into a failed attempt. Throws anything else. */
export function asFailedAttempt(error: unknown): FailedAttempt {
  if (error instanceof FailedAttempt) return error;
  if (error instanceof GamedataError || !(error instanceof Error)) throw error;
  const code = errorCode(error);
  // Most parser errors have a code of their own, some have none.
  if (error.name === 'HTTPParserError')
    return new FailedAttempt(`invalid HTTP response: ${error.message}`, { retryable: true, cause: error });
  // undici has no code of its own for a proxy that refuses CONNECT.
  const refusal = code === 'UND_ERR_ABORTED' && /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  if (refusal)
    return new FailedAttempt(`the proxy refused to connect, with status ${refusal}`, {
      retryable: RETRYABLE_STATUS.has(Number(refusal)),
      unreachable: true,
      hint: 'The proxy is the one that HTTP_PROXY or HTTPS_PROXY names; NO_PROXY lists hosts that need none.',
      cause: error,
    });
  if (code === '') throw error;
  const message = error.message.includes(code)
    ? error.message
    : `${error.message || 'connection failed'} (${code})`;
  const unreachable = UNREACHABLE_CODES.has(code);
  const retryable = unreachable || BROKEN_CODES.has(code);
  return new FailedAttempt(message, { retryable, unreachable, cause: error });
}

const MAX_BACKOFF_MS = 30_000;

/** In milliseconds: doubling from `baseMs`, with jitter over the upper half to spread requests, and never less than `Retry-After`. */
export function retryDelay(
  failures: number,
  { baseMs, retryAfterMs = 0, random }: { baseMs: number; retryAfterMs?: number; random: () => number },
): number {
  const backoff = Math.min(MAX_BACKOFF_MS, baseMs * 2 ** (failures - 1));
  return Math.max(retryAfterMs, backoff * (0.5 + random() / 2));
}

/** A `Retry-After` header (seconds or an HTTP date) in milliseconds; 0 if there is no valid one. */
export function parseRetryAfter(header = '', now: number): number {
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
