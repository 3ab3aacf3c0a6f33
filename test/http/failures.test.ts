import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Failure,
  type Remedy,
  toAttemptError,
  unexpectedStatus,
} from '../../src/http/failures.ts';

describe('Retry-After', () => {
  it.each<[header: string | undefined, retryAfterMs: number, remedy?: Remedy]>([
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
    ['900', 900_000],
    ['901', 901_000, 'none'],
  ])('%j is read as %i ms', (header, retryAfterMs, remedy = 'retry') => {
    vi.useFakeTimers({ now: Date.parse('Wed, 21 Oct 2026 07:28:00 GMT') });
    onTestFinished(() => void vi.useRealTimers());
    const { message, failure } = unexpectedStatus(503, { 'retry-after': header });
    expect(failure).toMatchObject({ retryAfterMs, remedy });
    const wait = retryAfterMs > 0 ? ` with Retry-After ${retryAfterMs / 1000} s` : '';
    expect(message).toBe(`got 503${wait}, expected 200`);
  });
});

describe('a status', () => {
  const gateway = [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];
  const busy = [408, 421, 425, 429, 500, 507, 509, 529];
  const others = [200, 301, 304, 400, 401, 403, 404, 410, 501, 505, 519, 528, 531];

  it.each(gateway)(
    'of a gateway is retried, and says that the upstream is unreachable: %i',
    (status) => {
      const { failure } = unexpectedStatus(status, {});
      expect(failure).toMatchObject({ status, remedy: 'retry', unreachable: true });
    },
  );

  it.each(busy)('of a busy server is retried: %i', (status) => {
    const { failure } = unexpectedStatus(status, {});
    expect(failure).toMatchObject({ status, remedy: 'retry', unreachable: false });
  });

  it.each(others)('is not retried otherwise: %i', (status) => {
    const { failure } = unexpectedStatus(status, {});
    expect(failure).toMatchObject({ status, remedy: 'none', unreachable: false });
  });
});

const failureOf = (fields: { readonly code: string; readonly name?: string }): Failure =>
  toAttemptError(Object.assign(new Error('x'), fields)).failure;

describe('a connection error', () => {
  it.each([
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
  ])('is retried, and says that the upstream is unreachable: %s', (code) => {
    expect(failureOf({ code })).toMatchObject({ remedy: 'retry', unreachable: true });
  });

  it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT'])(
    'of a connection that was open is retried: %s',
    (code) => {
      expect(failureOf({ code })).toMatchObject({ remedy: 'retry', unreachable: false });
    },
  );

  it.each(['HPE_INVALID_CONSTANT', ''])('of the parser is retried: %j', (code) => {
    expect(failureOf({ code, name: 'HTTPParserError' })).toMatchObject({ remedy: 'retry' });
  });
});

describe('a failed TLS handshake', () => {
  it.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS=<file>'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS=<file>'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS=<file>'],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'may not send its intermediate certificates. If your network',
    ],
    ['CERT_HAS_EXPIRED', "Check this machine's clock"],
    ['CERT_NOT_YET_VALID', "Check this machine's clock"],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'Try http://'],
  ])('explains %s: "%s"', (code, hint) => {
    expect(failureOf({ code })).toMatchObject({
      hint: expect.stringContaining(hint),
      remedy: 'none',
      unreachable: false,
    });
  });
});
