import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { retryDelay, toAttemptError, unexpectedStatus } from '../../src/http/retry.ts';

describe('Retry-After', () => {
  it.each<[header: string | undefined, retryAfterMs: number, retryable?: boolean]>([
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
    ['901', 901_000, false],
  ])('%j is read as %i ms', (header, retryAfterMs, retryable = true) => {
    vi.useFakeTimers({ now: Date.parse('Wed, 21 Oct 2026 07:28:00 GMT') });
    onTestFinished(() => void vi.useRealTimers());
    const { message, failure } = unexpectedStatus(503, { 'retry-after': header });
    expect(failure).toMatchObject({ retryAfterMs, retryable });
    const wait = retryAfterMs > 0 ? ` with Retry-After ${retryAfterMs / 1000} s` : '';
    expect(message).toBe(`got 503${wait}, expected 200`);
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
  'retryDelay, for %i failures, random number %d and Retry-After %i, returns %i',
  (failures, random, retryAfterMs, delay) => {
    const mocked = vi.spyOn(Math, 'random').mockReturnValue(random);
    onTestFinished(() => mocked.mockRestore());
    expect(retryDelay(failures, 500, retryAfterMs)).toBe(delay);
  },
);

describe('retries', () => {
  const gateway = [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];
  const busy = [408, 421, 425, 429, 500, 507, 509, 529];
  const others = [200, 301, 304, 400, 401, 403, 404, 410, 501, 505, 519, 528, 531];
  it.each([
    ...gateway.map((status) => ({ status, retryable: true, unreachable: true })),
    ...busy.map((status) => ({ status, retryable: true, unreachable: false })),
    ...others.map((status) => ({ status, retryable: false, unreachable: false })),
  ])('depend on the status: $status', (failure) => {
    expect(unexpectedStatus(failure.status, {}).failure).toMatchObject(failure);
  });

  const refused = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ENETUNREACH'];
  const late = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'];
  const broken = ['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT'];
  it.each<{ code: string; name?: string; retryable: boolean; unreachable?: boolean }>([
    ...[...refused, ...late].map((code) => ({ code, retryable: true, unreachable: true })),
    ...broken.map((code) => ({ code, retryable: true, unreachable: false })),
    { code: 'HPE_INVALID_CONSTANT', name: 'HTTPParserError', retryable: true },
    { code: '', name: 'HTTPParserError', retryable: true },
  ])(
    'depend on the error code $code: retryable $retryable, unreachable $unreachable',
    ({ code, name = 'Error', ...failure }) => {
      const error = Object.assign(new Error('x'), { code, name });
      expect(toAttemptError(error)).toMatchObject({ failure });
    },
  );
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
    const { failure } = toAttemptError(Object.assign(new Error('x'), { code }));
    const kind = { retryable: false, unreachable: false };
    expect(failure).toMatchObject({ hint: expect.stringContaining(hint), ...kind });
  });
});
