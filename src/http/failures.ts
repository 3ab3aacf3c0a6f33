import { type Edition, parseEdition } from '../contract/meta.ts';
import {
  type DataError,
  errorCode,
  type FailedRequest,
  findWasmHint,
  GamedataError,
} from '../errors.ts';
import { explainRedirect } from './redirects.ts';

export type HeaderFields = Readonly<Record<string, string | undefined>>;

/**
 * The remedy that may help after a failure. `retry` means that the same request may
 * succeed later. `bypassCaches` means that a cache or a firewall may have sent the
 * response. `bypassCachesOnce` means that only a cache can be the reason, because
 * the upstream would send the same response again.
 */
export type Remedy = 'none' | 'retry' | 'bypassCaches' | 'bypassCachesOnce';

/** The details of a failed attempt to send a request. */
export interface Failure
  extends Partial<
    Pick<FailedRequest, 'status' | 'location' | 'edition' | 'unreachable'>
  > {
  readonly remedy: Remedy;
  readonly retryAfterMs?: number;
  readonly hint?: string | undefined;
}

interface FailureOptions extends Failure {
  readonly cause?: unknown;
}

/**
 * Thrown if a single request fails. The client then decides whether to send another
 * one.
 */
export class AttemptError extends Error {
  readonly failure: Failure;

  constructor(message: string, { cause, ...failure }: FailureOptions) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** Thrown if a response is complete but its body cannot be used. */
export class InvalidBodyError extends AttemptError {
  constructor(message: string, cause?: unknown, hint?: string) {
    super(message, { remedy: 'bypassCaches', cause, hint });
  }
}

/**
 * Thrown if a body is valid but has unexpected content, such as `{"detail": "…"}`
 * instead of a record.
 */
export class RejectedBodyError extends AttemptError {
  readonly reason: DataError;

  constructor(reason: DataError) {
    super(reason.message, { remedy: 'bypassCachesOnce', cause: reason });
    this.reason = reason;
  }
}

export const tooLarge = (maxBytes: number, cause: unknown): AttemptError =>
  new AttemptError(`got more than ${maxBytes} bytes`, { remedy: 'none', cause });

/**
 * Reads the edition from the response headers that PokeAPI sends.
 *
 * @see https://github.com/PokeAPI/pokeapi
 */
export const readEdition = (headers: HeaderFields): Edition | null =>
  parseEdition(
    headers['x-pokeapi-hash'],
    headers['x-pokeapi-deploy-date'],
    Date.now(),
  );

/**
 * The statuses that gateways send if they cannot reach the upstream. Statuses from
 * 520 on are specific to Cloudflare.
 */
const GATEWAY_STATUS = [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];

/** The status that some networks send until the user logs in. */
const NETWORK_LOGIN_STATUS = 511;

const RETRYABLE_STATUS = [408, 421, 425, 429, 500, 507, 509, 529, ...GATEWAY_STATUS];

const MAX_RETRY_AFTER_MS = 900_000;

/** Returns whether a response with this status may come from the upstream itself. */
export const isOwnStatus = (status: number): boolean =>
  status !== NETWORK_LOGIN_STATUS && !GATEWAY_STATUS.includes(status);

/** Creates the error for a response that is neither a 200 nor a requested 304. */
export function unexpectedStatus(
  status: number,
  headers: HeaderFields,
  url: string,
): AttemptError {
  const { location } = headers;
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect && location !== undefined) {
    return unexpectedRedirect(status, location, url);
  }

  const retryAfterMs = parseRetryAfter(headers['retry-after']);
  const retryAfter = `Retry-After ${Math.ceil(retryAfterMs / 1000)} s`;
  const got = retryAfterMs > 0 ? `${status} with ${retryAfter}` : String(status);
  const isNetworkLogin = status === NETWORK_LOGIN_STATUS;
  return new AttemptError(`got ${got}, expected 200`, {
    status,
    retryAfterMs,
    edition: readEdition(headers),
    unreachable: !isOwnStatus(status),
    remedy: chooseRemedy(status, retryAfterMs),
    hint: isNetworkLogin ? 'Log in to this network first.' : undefined,
  });
}

function chooseRemedy(status: number, retryAfterMs: number): Remedy {
  // Some caches and firewalls send a 304 that was not requested, or a success
  // without a record, such as 202 or 204.
  const isInvented = status === 304 || (status >= 200 && status < 300);
  if (isInvented) return 'bypassCaches';
  const isTemporary = RETRYABLE_STATUS.includes(status);
  return isTemporary && retryAfterMs <= MAX_RETRY_AFTER_MS ? 'retry' : 'none';
}

function unexpectedRedirect(
  status: number,
  location: string,
  url: string,
): AttemptError {
  const problem = `got ${status}, a redirect to ${JSON.stringify(location)}, expected 200`;
  const hint = explainRedirect(url, location);
  return new AttemptError(problem, { status, location, remedy: 'none', hint });
}

/**
 * Parses a header with seconds or a date. Returns the delay in milliseconds, or 0 if
 * the value is invalid or in the past.
 */
function parseRetryAfter(header = ''): number {
  const isSeconds = /^\s*\d+\s*$/.test(header);
  if (isSeconds) return Number(header) * 1000;
  const waitMs = Date.parse(header) - Date.now();
  // If the date is invalid, the difference is not a number.
  return waitMs > 0 ? waitMs : 0;
}

/**
 * System calls that fail before a connection exists. In sandboxes and behind
 * firewalls, they fail with many different codes, such as EPERM.
 */
const CONNECTING_CALLS = ['getaddrinfo', 'connect'];

/**
 * Error codes that also mean an unreachable host, even if another call fails or the
 * error does not name a call.
 */
const UNREACHABLE_CODES = [
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
];

const BROKEN_CONNECTION_CODES = [
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
];

const OWN_CA =
  'If your network inspects TLS or has its own CA, add the CA certificate (PEM) with NODE_EXTRA_CA_CERTS=<file>.';

const tlsHints: readonly (readonly [code: RegExp, hint: string])[] = [
  [/SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT/, OWN_CA],
  [
    /UNABLE_TO_VERIFY_LEAF/,
    `The server may not send its intermediate certificates. ${OWN_CA}`,
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "Check this machine's clock. A certificate in the server's chain has expired or is not yet valid.",
  ],
  [
    /ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/,
    'Try http:// or another port. The server does not seem to use TLS on this port.',
  ],
  [
    /CERT_ALTNAME_INVALID/,
    'Use the host name in the certificate, or check the DNS of this network. The certificate is for another name.',
  ],
  [
    /ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/,
    'Choose a server with TLS 1.2 or newer. This one and Node have no TLS version in common.',
  ],
  [
    /ALERT_CERTIFICATE_REQUIRED|ALERT_HANDSHAKE_FAILURE|ALERT_BAD_CERTIFICATE/,
    'Choose a server that wants no client certificate, because gamedata cannot send one. This one may want a certificate, or ciphers that Node does not have.',
  ],
];

const PROXY_HINT = 'Check HTTP_PROXY and HTTPS_PROXY, or add the host to NO_PROXY.';

/**
 * Converts an error from undici or a decoder to a failed attempt. Any other error is
 * thrown again.
 */
export function toAttemptError(error: unknown, proxy?: string): AttemptError {
  const failed =
    error instanceof AttemptError ? error : describeTransportError(error);
  if (proxy === undefined) return failed;
  return new AttemptError(`through the proxy ${proxy}: ${failed.message}`, {
    ...failed.failure,
    hint: failed.failure.hint ?? PROXY_HINT,
    cause: failed.cause,
  });
}

/**
 * Describes an error from undici or Node. First recognizes three errors that have no
 * distinctive code: an invalid response, a refusal by the proxy, and a lack of
 * address space. Any other error is described by its code. An error without a code
 * is a bug, so it is thrown again.
 */
function describeTransportError(error: unknown): AttemptError {
  if (error instanceof GamedataError || !(error instanceof Error)) throw error;

  if (error.name === 'HTTPParserError') {
    const problem = `invalid HTTP response: ${error.message}`;
    return new AttemptError(problem, { remedy: 'retry', cause: error });
  }

  const proxyStatus = findProxyStatus(error);
  if (proxyStatus !== undefined) return describeProxyRefusal(proxyStatus, error);

  const wasmHint = findWasmHint(error);
  if (wasmHint !== undefined) {
    return new AttemptError(error.message, {
      remedy: 'none',
      hint: wasmHint,
      cause: error,
    });
  }

  const code = errorCode(error);
  if (code === '') throw error;
  const unreachable = UNREACHABLE_CODES.includes(code) || hasFailedToConnect(error);
  const isRetryable = unreachable || BROKEN_CONNECTION_CODES.includes(code);
  return new AttemptError(describeCode(error, code), {
    remedy: isRetryable ? 'retry' : 'none',
    unreachable,
    hint: findTlsHint(error, code),
    cause: error,
  });
}

function describeProxyRefusal(status: number, cause: Error): AttemptError {
  const isRetryable = RETRYABLE_STATUS.includes(status);
  return new AttemptError(`the proxy refused to connect (status ${status})`, {
    remedy: isRetryable ? 'retry' : 'none',
    unreachable: true,
    cause,
  });
}

/**
 * Finds a hint for a TLS error. If a proxy is used, undici wraps the error whose
 * code describes the problem with the certificate.
 */
function findTlsHint(error: Error, code: string): string | undefined {
  const innerCode = errorCode(error.cause);
  for (const [pattern, hint] of tlsHints) {
    if (pattern.test(code) || pattern.test(innerCode)) return hint;
  }
  return undefined;
}

/**
 * Returns whether an error occurred while connecting. Node tries all addresses of a
 * host, and then throws a single error that contains the error for each address.
 */
function hasFailedToConnect(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(hasFailedToConnect);
  if (!(error instanceof Error && 'syscall' in error)) return false;
  return CONNECTING_CALLS.includes(String(error.syscall));
}

/**
 * Finds the status with which a proxy rejected CONNECT or a request. undici does not
 * set an error code in these cases.
 */
function findProxyStatus({ message }: Error): number | undefined {
  const match = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(
    message,
  );
  if (!match) return undefined;
  return Number(match[1]);
}

/**
 * Describes an error as `wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)`,
 * without the file names and line numbers that OpenSSL adds.
 */
function describeCode({ message }: Error, code: string): string {
  const text = message.replace(/^.*:SSL routines:[^:]*:([^:]*):.*$/s, '$1');
  if (text.includes(code)) return text;
  return `${text || 'connection failed'} (${code})`;
}
