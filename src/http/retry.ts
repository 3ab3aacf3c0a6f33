import { type Edition, parseEdition } from '../contract/meta.ts';
import { errorCode, type FailedRequest, GamedataError } from '../errors.ts';

export type Headers = Readonly<Record<string, string | undefined>>;

interface Failure
  extends Partial<Pick<FailedRequest, 'status' | 'location' | 'edition' | 'unreachable'>> {
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly hint?: string | undefined;
}

export class AttemptError extends Error {
  readonly failure: Failure;

  constructor(message: string, { cause, ...failure }: Failure & { readonly cause?: unknown }) {
    super(message, { cause });
    this.failure = failure;
  }
}

export const tooLarge = (maxBytes: number, cause: unknown): AttemptError =>
  new AttemptError(`got more than ${maxBytes} bytes`, { retryable: false, cause });

/** Reads the edition from PokeAPI's response headers: https://github.com/PokeAPI/pokeapi */
export const readEdition = (headers: Headers): Edition | null =>
  parseEdition(headers['x-pokeapi-hash'], headers['x-pokeapi-deploy-date'], Date.now());

/** Sent by gateways that cannot reach the upstream. Statuses from 520 on are specific to Cloudflare. */
export const GATEWAY_STATUS = [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];

const RETRYABLE_STATUS = new Set([408, 421, 425, 429, 500, 507, 509, 529, ...GATEWAY_STATUS]);

const MAX_RETRY_AFTER_MS = 900_000;

export function unexpectedStatus(status: number, headers: Headers): AttemptError {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    return new AttemptError(
      `got ${status}, a redirect to ${JSON.stringify(location)}, expected 200`,
      {
        ...{ status, location, retryable: false },
        hint: 'Use the final URL, because redirects to other URLs are not followed.',
      },
    );
  }
  const retryAfterMs = parseRetryAfter(headers['retry-after']);
  const wait = retryAfterMs > 0 ? ` with Retry-After ${Math.ceil(retryAfterMs / 1000)} s` : '';
  return new AttemptError(`got ${status}${wait}, expected 200`, {
    ...{
      status,
      retryAfterMs,
      edition: readEdition(headers),
      unreachable: GATEWAY_STATUS.includes(status),
    },
    retryable: RETRYABLE_STATUS.has(status) && retryAfterMs <= MAX_RETRY_AFTER_MS,
  });
}

const UNREACHABLE_CODES = new Set([
  ...[
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'EHOSTDOWN',
    'ENETUNREACH',
    'ENETDOWN',
  ],
  ...['EADDRNOTAVAIL', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
]);

const BROKEN_CONNECTION_CODES = new Set([
  ...[
    'ECONNRESET',
    'EPIPE',
    'ERR_STREAM_PREMATURE_CLOSE',
    'UND_ERR_SOCKET',
    'UND_ERR_BODY_TIMEOUT',
  ],
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

const OWN_CA =
  'If your network inspects TLS or has its own CA, add the CA certificate (PEM) with NODE_EXTRA_CA_CERTS=<file>.';

const tlsHints: readonly (readonly [code: RegExp, hint: string])[] = [
  [/SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT/, OWN_CA],
  [/UNABLE_TO_VERIFY_LEAF/, `The server may not send its intermediate certificates. ${OWN_CA}`],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "Check this machine's clock. A certificate in the server's chain has expired or is not yet valid.",
  ],
  [
    /ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/,
    'Try http:// or another port. The server does not seem to use TLS on this port.',
  ],
];

const PROXY_HINT = 'Check HTTP_PROXY and HTTPS_PROXY, or add the host to NO_PROXY.';

/** Converts an error from undici or a decoder to a failed attempt. Rethrows any other error. */
export function toAttemptError(error: unknown, proxy?: string): AttemptError {
  const failed = error instanceof AttemptError ? error : describeTransportError(error);
  if (proxy === undefined) return failed;
  const { message, failure, cause } = failed;
  const hint = failure.hint ?? PROXY_HINT;
  return new AttemptError(`through the proxy ${proxy}: ${message}`, { ...failure, hint, cause });
}

function describeTransportError(error: unknown): AttemptError {
  if (error instanceof GamedataError || !(error instanceof Error)) throw error;
  if (error.name === 'HTTPParserError')
    return new AttemptError(`invalid HTTP response: ${error.message}`, {
      retryable: true,
      cause: error,
    });
  // undici sets no error code if a proxy refuses CONNECT or a request.
  const refusal = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(
    error.message,
  )?.[1];
  if (refusal)
    return new AttemptError(`the proxy refused to connect (status ${refusal})`, {
      ...{ retryable: RETRYABLE_STATUS.has(Number(refusal)), unreachable: true, cause: error },
    });
  const code = errorCode(error);
  if (code === '') throw error;
  const text = error.message.replace(/^.*:SSL routines:[^:]*:([^:]*):.*$/s, '$1');
  const message = text.includes(code) ? text : `${text || 'connection failed'} (${code})`;
  const unreachable = UNREACHABLE_CODES.has(code);
  const retryable = unreachable || BROKEN_CONNECTION_CODES.has(code);
  const hint = tlsHints.find(([pattern]) => pattern.test(code))?.[1];
  return new AttemptError(message, { retryable, unreachable, hint, cause: error });
}

/** Adds a query parameter that the upstream ignores, so that caches miss. */
export function bustCaches(url: string, edition: string | number): string {
  const plain = url.replace(/[?&]edition=\w+$/, '');
  return `${plain}${plain.includes('?') ? '&' : '?'}edition=${edition}`;
}

const MAX_BACKOFF_MS = 30_000;

/** Returns the delay in milliseconds: exponential with jitter over the upper half, and at least `Retry-After`. */
export function retryDelay(failures: number, baseMs: number, retryAfterMs = 0): number {
  const backoff = Math.min(MAX_BACKOFF_MS, baseMs * 2 ** (failures - 1));
  return Math.max(retryAfterMs, backoff * (0.5 + Math.random() / 2));
}

function parseRetryAfter(header = ''): number {
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  return Math.max(0, Date.parse(header) - Date.now()) || 0;
}
