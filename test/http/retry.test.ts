import { describe, expect, it } from 'vitest';
import { asFailedAttempt, parseRetryAfter, retryDelay, unexpectedStatus } from '../../src/http/retry.ts';

const NOW = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');

describe('parseRetryAfter', () => {
  it.each([
    [undefined, 0],
    ['0', 0],
    ['3', 3000],
    [' 120 ', 120_000],
    ['Wed, 21 Oct 2026 07:28:05 GMT', 5000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
    ['soon', 0],
    ['2026-10-21T07:28:05Z', 5000],
    ['', 0],
    ['-5', 0],
  ])('reads %j as %i ms', (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms);
  });
});

describe('retryDelay', () => {
  it.each([
    { failures: 1, random: 0, delay: 250 },
    { failures: 1, random: 1, delay: 500 },
    { failures: 2, random: 1, delay: 1000 },
    { failures: 3, random: 0.5, delay: 1500 },
    { failures: 4, random: 1, delay: 4000 },
    { failures: 20, random: 1, delay: 30_000 },
    { failures: 1, random: 1, retryAfterMs: 7000, delay: 7000 },
    { failures: 5, random: 1, retryAfterMs: 1000, delay: 8000 },
  ])('waits $delay ms after $failures failures', ({ failures, random, retryAfterMs = 0, delay }) => {
    expect(retryDelay(failures, { baseMs: 500, retryAfterMs, random: () => random })).toBe(delay);
  });
});

describe('what is tried again', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('is status %i', (status) => {
    expect(unexpectedStatus(status, {}).failure.retryable).toBe(true);
  });

  it.each([200, 301, 304, 400, 401, 403, 404, 410, 501])('is not status %i', (status) => {
    expect(unexpectedStatus(status, {}).failure.retryable).toBe(false);
  });

  it.each([
    { code: 'ENOTFOUND', retryable: true, unreachable: true },
    { code: 'EAI_AGAIN', retryable: true, unreachable: true },
    { code: 'ECONNREFUSED', retryable: true, unreachable: true },
    { code: 'ENETUNREACH', retryable: true, unreachable: true },
    { code: 'UND_ERR_CONNECT_TIMEOUT', retryable: true, unreachable: true },
    { code: 'UND_ERR_HEADERS_TIMEOUT', retryable: true, unreachable: true },
    { code: 'ECONNRESET', retryable: true, unreachable: false },
    { code: 'UND_ERR_SOCKET', retryable: true, unreachable: false },
    { code: 'UND_ERR_BODY_TIMEOUT', retryable: true, unreachable: false },
    { code: 'HPE_INVALID_CONSTANT', name: 'HTTPParserError', retryable: true },
    { code: '', name: 'HTTPParserError', retryable: true },
    { code: 'CERT_HAS_EXPIRED', retryable: false, unreachable: false },
  ])('with $code: retryable $retryable, unreachable $unreachable', ({ code, name = 'Error', ...failure }) => {
    const error = Object.assign(new Error('x'), { code, name });
    expect(asFailedAttempt(error)).toMatchObject({ failure });
  });
});
