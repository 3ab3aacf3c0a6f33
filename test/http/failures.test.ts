import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Failure,
  type Remedy,
  toAttemptError,
  unexpectedStatus,
} from '../../src/http/failures.ts';

const URL = 'https://upstream.test/api/v2/move/1/';

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
  ])('reads %j as %i ms', (header, retryAfterMs, remedy = 'retry') => {
    vi.useFakeTimers({ now: Date.parse('Wed, 21 Oct 2026 07:28:00 GMT') });
    onTestFinished(() => void vi.useRealTimers());
    const headers = { 'retry-after': header };
    const { failure } = unexpectedStatus(503, headers, URL);
    expect(failure).toMatchObject({ retryAfterMs, remedy });
  });

  it('is part of the message', () => {
    const headers = { 'retry-after': '3' };
    const { message } = unexpectedStatus(503, headers, URL);
    expect(message).toBe('got 503 with Retry-After 3 s, expected 200');
  });

  it('is not part of the message if the server demands no pause', () => {
    const headers = { 'retry-after': '0' };
    const { message } = unexpectedStatus(503, headers, URL);
    expect(message).toBe('got 503, expected 200');
  });
});

describe('a status', () => {
  const gateway = [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];
  const busy = [408, 421, 425, 429, 500, 507, 509, 529];
  const invented = [201, 202, 204, 205, 206, 226, 304];
  const others = [301, 400, 401, 403, 404, 410, 501, 505, 519, 528, 531];

  it.each(gateway)(
    'retries if a gateway cannot reach the upstream: %i',
    (status) => {
      const { failure } = unexpectedStatus(status, {}, URL);
      expect(failure).toMatchObject({ status, remedy: 'retry', unreachable: true });
    },
  );

  it.each(busy)('retries if the server is busy: %i', (status) => {
    const { failure } = unexpectedStatus(status, {}, URL);
    expect(failure).toMatchObject({ status, remedy: 'retry', unreachable: false });
  });

  it.each(invented)(
    'bypasses caches after a status that only a cache or a firewall sends: %i',
    (status) => {
      const { failure } = unexpectedStatus(status, {}, URL);
      expect(failure).toMatchObject({
        status,
        remedy: 'bypassCaches',
        unreachable: false,
      });
    },
  );

  it('does not retry if the network requires a login', () => {
    const { failure } = unexpectedStatus(511, {}, URL);
    const hint = 'Log in to this network first.';
    expect(failure).toMatchObject({ remedy: 'none', unreachable: true, hint });
  });

  it.each(others)('does not retry after any other status: %i', (status) => {
    const { failure } = unexpectedStatus(status, {}, URL);
    expect(failure).toMatchObject({ status, remedy: 'none', unreachable: false });
  });
});

interface ErrorFields {
  readonly code: string;
  readonly name?: string;
  readonly syscall?: string;
  readonly cause?: Error;
}

function createError(fields: ErrorFields): Error {
  return Object.assign(new Error('x'), fields);
}

/** Returns how the client handles an error with these fields. */
function findFailure(fields: ErrorFields): Failure {
  const { failure } = toAttemptError(createError(fields));
  return failure;
}

describe('a connection error', () => {
  it.each([
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
  ])('retries and reports an unreachable upstream after %s', (code) => {
    expect(findFailure({ code })).toMatchObject({
      remedy: 'retry',
      unreachable: true,
    });
  });

  it.each([
    { syscall: 'connect', code: 'EPERM' },
    { syscall: 'connect', code: 'EACCES' },
    { syscall: 'connect', code: 'EAFNOSUPPORT' },
    { syscall: 'connect', code: 'ENETRESET' },
    { syscall: 'connect', code: 'ENOBUFS' },
    { syscall: 'getaddrinfo', code: 'EAI_FAIL' },
  ])('reports an unreachable upstream if $syscall fails with $code', (fields) => {
    const failure = findFailure(fields);
    expect(failure).toMatchObject({ remedy: 'retry', unreachable: true });
  });

  it("reports an unreachable upstream if none of a host's addresses can be reached", () => {
    const refused = createError({ syscall: 'connect', code: 'EPERM' });
    const unsupported = createError({ syscall: 'connect', code: 'EAFNOSUPPORT' });
    const { failure } = toAttemptError(new AggregateError([refused, unsupported]));
    expect(failure).toMatchObject({ remedy: 'retry', unreachable: true });
  });

  it('does not report an unreachable upstream if another system call fails', () => {
    const failure = findFailure({ syscall: 'open', code: 'EACCES' });
    expect(failure).toMatchObject({ remedy: 'none', unreachable: false });
  });

  it('suggests a Node option if there is not enough memory for WebAssembly', () => {
    const error = new RangeError(
      'WebAssembly.Instance(): Out of memory: Cannot allocate',
    );
    expect(toAttemptError(error).failure).toEqual({
      remedy: 'none',
      hint: expect.stringContaining('NODE_OPTIONS=--disable-wasm-trap-handler'),
    });
  });

  it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT'])(
    'retries if an open connection breaks: %s',
    (code) => {
      expect(findFailure({ code })).toMatchObject({
        remedy: 'retry',
        unreachable: false,
      });
    },
  );

  it.each(['HPE_INVALID_CONSTANT', ''])(
    'retries after an error of the HTTP parser: %j',
    (code) => {
      expect(findFailure({ code, name: 'HTTPParserError' })).toMatchObject({
        remedy: 'retry',
      });
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
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another name.'],
    [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'Choose a server with TLS 1.2 or newer.',
    ],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'Choose a server with TLS 1.2 or newer.'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'wants no client certificate'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'wants no client certificate'],
  ])('explains %s with the hint "%s"', (code, hint) => {
    expect(findFailure({ code })).toMatchObject({
      hint: expect.stringContaining(hint),
      remedy: 'none',
      unreachable: false,
    });
  });

  it('explains a wrong certificate behind a proxy', () => {
    const cause = createError({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const { hint } = findFailure({ code: 'UND_ERR_PRX_TLS', cause });
    expect(hint).toContain('The certificate is for another name.');
  });
});
