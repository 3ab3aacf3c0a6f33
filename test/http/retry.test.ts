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

interface Case {
  readonly failure: Failure;
  readonly progress?: Partial<RequestProgress>;
  readonly rules?: Partial<RetryRules>;
}

const actionFor = (given: Case): Decision['action'] =>
  decide(
    given.failure,
    { ...progress, ...given.progress },
    { ...rules, ...given.rules },
  ).action;

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
    expect(actionFor(given)).toBe(action);
  });

  const slash: Failure = { remedy: 'none', status: 301, location: '/a/' };
  const other: Failure = { remedy: 'none', status: 301, location: 'b?c=d' };
  const outside: Failure = {
    remedy: 'none',
    status: 301,
    location: 'https://other.test/a/',
  };
  const anyRedirect = { followsRedirects: true };

  it.each<[name: string, given: Case, url: string | undefined]>([
    ['follows a redirect that adds a slash', { failure: slash }, `${URL}/`],
    [
      'does not follow a second redirect',
      { failure: slash, progress: { redirects: 1 } },
      undefined,
    ],
    ['does not follow a redirect to another path', { failure: other }, undefined],
    [
      'follows a redirect to another path if allowed',
      { failure: other, rules: anyRedirect, progress: { redirects: 2 } },
      'https://upstream.test/b?c=d',
    ],
    [
      'does not follow a fourth redirect',
      { failure: other, rules: anyRedirect, progress: { redirects: 3 } },
      undefined,
    ],
    [
      'never follows a redirect to another host',
      { failure: outside, rules: anyRedirect },
      undefined,
    ],
  ])('%s', (_, given, url) => {
    const decision = decide(
      given.failure,
      { ...progress, ...given.progress },
      { ...rules, ...given.rules },
    );
    expect(decision).toEqual(
      url === undefined ? { action: 'fail' } : { action: 'redirect', url },
    );
  });
});

it.each([
  [1, 0, 0, 250],
  [1, 1, 0, 500],
  [2, 1, 0, 1000],
  [3, 0.5, 0, 1500],
  [4, 1, 0, 4000],
  [20, 1, 0, 30_000],
  [1, 1, 7000, 7000],
  [5, 1, 1000, 8000],
])(
  'retryDelay after %i failures with random number %d and Retry-After %i returns %i',
  (failures, random, retryAfterMs, delay) => {
    const mocked = vi.spyOn(Math, 'random').mockReturnValue(random);
    onTestFinished(() => mocked.mockRestore());
    expect(retryDelay(failures, 500, retryAfterMs)).toBe(delay);
  },
);
