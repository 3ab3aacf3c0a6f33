/**
 * Decides on the next step after a failed attempt. The functions are pure, except
 * for the random part of a delay.
 */

import type { Failure } from './failures.ts';
import { resolveRedirect } from './redirects.ts';

/** The limits and options for a request's retries. */
export interface RetryRules {
  /** The maximum number of attempts, including the first one. */
  readonly maxAttempts: number;
  /**
   * Whether to request the URL once more past caches if the response is 403, 404 or
   * 410, regardless of `maxAttempts`.
   */
  readonly retriesMissing: boolean;
  /**
   * Whether to follow all redirects within the origin instead of only redirects that
   * add or remove a trailing slash.
   */
  readonly followsRedirects: boolean;
}

/** The progress of a request at the time of a failed attempt. */
export interface RequestProgress {
  /** The URL of the last attempt. */
  readonly url: string;
  readonly attempts: number;
  /**
   * The number of redirects that were followed. Redirects do not count as attempts.
   */
  readonly redirects: number;
  readonly isPastCaches: boolean;
}

export type Decision =
  | { readonly action: 'redirect'; readonly url: string }
  | { readonly action: 'retry' | 'retryPastCaches' | 'fail' };

/**
 * Some caches still return one of these statuses even though the upstream has the
 * record.
 */
const MISSING_STATUS = [403, 404, 410];

/**
 * Several redirects may follow each other, because `serve` and other hosts also
 * redirect `/index.html` to `/`.
 */
const MAX_REDIRECTS = 3;

/**
 * Decides on the next step after a failed attempt. Redirects are checked first,
 * because they are not failures of the upstream. A missing or rejected response may
 * come from a cache, so it is requested once more past caches, even if no retries
 * are allowed. Any other failure is retried up to the allowed number of attempts.
 */
export function decide(
  failure: Failure,
  progress: RequestProgress,
  rules: RetryRules,
): Decision {
  const redirectUrl = resolveRedirect(
    progress.url,
    failure.location,
    rules.followsRedirects,
  );
  const maxRedirects = rules.followsRedirects ? MAX_REDIRECTS : 1;
  if (redirectUrl !== undefined && progress.redirects < maxRedirects) {
    return { action: 'redirect', url: redirectUrl };
  }

  const isMissing =
    rules.retriesMissing && MISSING_STATUS.includes(failure.status ?? 0);
  if (isMissing || failure.remedy === 'bypassCachesOnce') {
    return { action: progress.isPastCaches ? 'fail' : 'retryPastCaches' };
  }

  if (failure.remedy === 'none') return { action: 'fail' };
  if (progress.attempts >= rules.maxAttempts) return { action: 'fail' };
  if (failure.remedy === 'bypassCaches') return { action: 'retryPastCaches' };
  return { action: 'retry' };
}

/**
 * Adds a query parameter that the upstream ignores, so that caches have no response
 * for the URL.
 */
export function bustCaches(url: string, edition: string | number): string {
  const plainUrl = url.replace(/[?&]edition=\w+$/, '');
  const separator = plainUrl.includes('?') ? '&' : '?';
  return `${plainUrl}${separator}edition=${edition}`;
}

const MAX_BACKOFF_MS = 30_000;

/**
 * Returns the delay before a retry in milliseconds. The delay grows exponentially.
 * Up to half of it is random, and it is never shorter than `Retry-After`.
 */
export function retryDelay(
  failures: number,
  baseMs: number,
  retryAfterMs = 0,
): number {
  const backoffMs = Math.min(MAX_BACKOFF_MS, baseMs * 2 ** (failures - 1));
  // The delay is random so that clients that failed at the same time do not all
  // retry at the same time.
  const jitter = 0.5 + Math.random() / 2;
  return Math.max(retryAfterMs, backoffMs * jitter);
}
