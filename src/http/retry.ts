/** What follows a failed attempt. Pure, except for the random part of a delay. */

import type { Failure } from './failures.ts';
import { resolveRedirect } from './redirects.ts';

/** What a request may do. */
export interface RetryRules {
  /** Including the first attempt. */
  readonly maxAttempts: number;
  /** Whether 403, 404 and 410 are requested once more past caches, regardless of `maxAttempts`. */
  readonly retriesMissing: boolean;
  /** Whether any redirect within the origin is followed, instead of only one that adds or removes the trailing slash. */
  readonly followsRedirects: boolean;
}

/** What a request has done so far, including the failed attempt. */
export interface RequestProgress {
  /** The URL of the failed attempt. */
  readonly url: string;
  readonly attempts: number;
  /** The number of redirects that were followed. They do not count as attempts. */
  readonly redirects: number;
  readonly isPastCaches: boolean;
}

export type Decision =
  | { readonly action: 'redirect'; readonly url: string }
  | { readonly action: 'retry' | 'retryPastCaches' | 'fail' };

/** Caches may still return these statuses although the upstream has the record. */
const MISSING_STATUS = [403, 404, 410];

/** `serve` and other hosts redirect `/index.html` to `/`. */
const MAX_REDIRECTS = 3;

/**
 * Decides what follows a failed attempt. Redirects come first, because they are not failures of the upstream. A missing or
 * rejected response is requested once more past caches, even if no retries are allowed, because it may come from a cache. Any
 * other failure is retried as often as allowed.
 */
export function decide(failure: Failure, progress: RequestProgress, rules: RetryRules): Decision {
  const redirectUrl = resolveRedirect(progress.url, failure.location, rules.followsRedirects);
  const maxRedirects = rules.followsRedirects ? MAX_REDIRECTS : 1;
  if (redirectUrl !== undefined && progress.redirects < maxRedirects) {
    return { action: 'redirect', url: redirectUrl };
  }

  const isMissing = rules.retriesMissing && MISSING_STATUS.includes(failure.status ?? 0);
  if (isMissing || failure.remedy === 'bypassCachesOnce') {
    return { action: progress.isPastCaches ? 'fail' : 'retryPastCaches' };
  }

  if (failure.remedy === 'none') return { action: 'fail' };
  if (progress.attempts >= rules.maxAttempts) return { action: 'fail' };
  if (failure.remedy === 'bypassCaches') return { action: 'retryPastCaches' };
  return { action: 'retry' };
}

/** Adds a query parameter that the upstream ignores, so that caches miss. */
export function bustCaches(url: string, edition: string | number): string {
  const plainUrl = url.replace(/[?&]edition=\w+$/, '');
  const separator = plainUrl.includes('?') ? '&' : '?';
  return `${plainUrl}${separator}edition=${edition}`;
}

const MAX_BACKOFF_MS = 30_000;

/** Returns the delay in milliseconds: exponential with jitter over the upper half, and at least `Retry-After`. */
export function retryDelay(failures: number, baseMs: number, retryAfterMs = 0): number {
  const backoffMs = Math.min(MAX_BACKOFF_MS, baseMs * 2 ** (failures - 1));
  // Random, so that clients that failed together do not all return together.
  const jitter = 0.5 + Math.random() / 2;
  return Math.max(retryAfterMs, backoffMs * jitter);
}
