import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Failure } from '../../src/http/failures.ts';
import {
  type Decision,
  decide,
  type RequestProgress,
  type RetryRules,
  retryDelay,
} from '../../src/http/retry.ts';

const URL = 'https://upstream.test/a';

const progress: RequestProgress = {
  url: URL,
  attempts: 1,
  redirects: 0,
  isPastCaches: false,
};
const rules: RetryRules = {
  maxAttempts: 3,
  retriesMissing: false,
  followsRedirects: false,
};

/** The failure of a request that may be retried. Omitted fields have the values above. */
interface Case {
  readonly failure: Failure;
  readonly progress?: Partial<RequestProgress>;
  readonly rules?: Partial<RetryRules>;
}

function decideCase(given: Case): Decision {
  const allProgress = { ...progress, ...given.progress };
  const allRules = { ...rules, ...given.rules };
  return decide(given.failure, allProgress, allRules);
}

describe('decide', () => {
  const busy: Failure = { remedy: 'retry', status: 503 };
  const invalid: Failure = { remedy: 'bypassCaches' };
  const refused: Failure = { remedy: 'none', status: 400 };
  const missing: Failure = { remedy: 'none', status: 404 };
  const rejected: Failure = { remedy: 'bypassCachesOnce' };
  const isMissing = { retriesMissing: true };

  it.each<[name: string, given: Case, action: Decision['action']]>([
    ['retries after a temporary failure', { failure: busy }, 'retry'],
    [
      'retries until the last attempt',
      { failure: busy, progress: { attempts: 2 } },
      'retry',
    ],
    [
      'fails after the last attempt',
      { failure: busy, progress: { attempts: 3 } },
      'fail',
    ],
    [
      'fails at once if no retries are allowed',
      { failure: busy, rules: { maxAttempts: 1 } },
      'fail',
    ],
    ['fails at once if a retry cannot help', { failure: refused }, 'fail'],
    [
      'bypasses caches after an unusable body',
      { failure: invalid },
      'retryPastCaches',
    ],
    [
      'bypasses caches again while attempts are left',
      { failure: invalid, progress: { attempts: 2, isPastCaches: true } },
      'retryPastCaches',
    ],
    [
      'fails if the last body is unusable',
      { failure: invalid, progress: { attempts: 3, isPastCaches: true } },
      'fail',
    ],
    [
      'bypasses caches after a 404',
      { failure: missing, rules: isMissing },
      'retryPastCaches',
    ],
    [
      'bypasses caches after a 404 even if no retries are allowed',
      { failure: missing, rules: { ...isMissing, maxAttempts: 1 } },
      'retryPastCaches',
    ],
    [
      'fails after a 404 past caches',
      {
        failure: missing,
        rules: isMissing,
        progress: { attempts: 2, isPastCaches: true },
      },
      'fail',
    ],
    [
      'bypasses caches after a rejected body even if no retries are allowed',
      { failure: rejected, rules: { maxAttempts: 1 } },
      'retryPastCaches',
    ],
    [
      'fails after a rejected body past caches',
      { failure: rejected, progress: { attempts: 2, isPastCaches: true } },
      'fail',
    ],
    [
      'fails after a 404 for a file that may be missing',
      { failure: missing },
      'fail',
    ],
  ])('%s', (_, given, action) => {
    const decision = decideCase(given);
    expect(decision.action).toBe(action);
  });

  const slash: Failure = { remedy: 'none', status: 301, location: '/a/' };
  const other: Failure = { remedy: 'none', status: 301, location: 'b?c=d' };
  const outside: Failure = {
    remedy: 'none',
    status: 301,
    location: 'https://other.test/a/',
  };
  const anyRedirect = { followsRedirects: true };
  const fails: Decision = { action: 'fail' };

  it.each<[name: string, given: Case, expected: Decision]>([
    [
      'follows a redirect that adds a slash',
      { failure: slash },
      { action: 'redirect', url: `${URL}/` },
    ],
    [
      'does not follow a second redirect',
      { failure: slash, progress: { redirects: 1 } },
      fails,
    ],
    ['does not follow a redirect to another path', { failure: other }, fails],
    [
      'follows a redirect to another path if allowed',
      { failure: other, rules: anyRedirect, progress: { redirects: 2 } },
      { action: 'redirect', url: 'https://upstream.test/b?c=d' },
    ],
    [
      'does not follow a fourth redirect',
      { failure: other, rules: anyRedirect, progress: { redirects: 3 } },
      fails,
    ],
    [
      'never follows a redirect to another host',
      { failure: outside, rules: anyRedirect },
      fails,
    ],
  ])('%s', (_, given, expected) => {
    const decision = decideCase(given);
    expect(decision).toEqual(expected);
  });
});

it.each([
  { failures: 1, random: 0, retryAfterMs: 0, delay: 250 },
  { failures: 1, random: 1, retryAfterMs: 0, delay: 500 },
  { failures: 2, random: 1, retryAfterMs: 0, delay: 1000 },
  { failures: 3, random: 0.5, retryAfterMs: 0, delay: 1500 },
  { failures: 4, random: 1, retryAfterMs: 0, delay: 4000 },
  { failures: 20, random: 1, retryAfterMs: 0, delay: 30_000 },
  { failures: 1, random: 1, retryAfterMs: 7000, delay: 7000 },
  { failures: 5, random: 1, retryAfterMs: 1000, delay: 8000 },
])(
  'retryDelay returns $delay ms after failure $failures with the random number $random and a Retry-After of $retryAfterMs ms',
  ({ failures, random, retryAfterMs, delay }) => {
    const mocked = vi.spyOn(Math, 'random').mockReturnValue(random);
    onTestFinished(() => mocked.mockRestore());
    expect(retryDelay(failures, 500, retryAfterMs)).toBe(delay);
  },
);
