/** Which failures are retried, and after what delay: pure decisions, testable without waiting. */

/** Responses that a retry may improve. */
const RETRYABLE_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

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

export const isRetryableStatus = (status: number): boolean => RETRYABLE_STATUS.has(status);
export const isUnreachable = (code: string): boolean => UNREACHABLE_CODES.has(code);
export const isRetryableCode = (code: string): boolean =>
  isUnreachable(code) || BROKEN_CODES.has(code) || code.startsWith('HPE_');

/** The longest `Retry-After` that is honored. Beyond it the build fails, and can be run again later. */
export const MAX_RETRY_AFTER_MS = 120_000;
const MAX_BACKOFF_MS = 30_000;

/**
 * The delay before the next attempt in milliseconds: doubling from `baseMs`, with jitter over the upper half to spread
 * concurrent requests, and never less than `Retry-After`.
 */
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
