/** Why an attempt at a request failed, and whether another one may succeed. */

import { type Edition, parseEdition } from '../contract/edition.ts';
import { errorCode, GamedataError, UpstreamError } from '../errors.ts';
import { MalformedBody } from './body.ts';
import { type Headers, ResponseTimeout } from './dispatch.ts';
import { isRetryableCode, isRetryableStatus, isUnreachable, parseRetryAfter } from './retry.ts';

interface Failure {
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
  /** The target of a redirect. */
  readonly location?: string;
  readonly edition?: Edition | null;
  readonly hint?: string;
  /** Whether nothing was reached, although there was a response. */
  readonly unreachable?: boolean;
}

export class FailedAttempt extends Error {
  readonly failure: Failure;

  constructor(message: string, { cause, ...failure }: Failure & { readonly cause?: unknown }) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** The first value of a header. */
export const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** What was named last: thousands of responses name the same. */
let last: { hash: unknown; deployed: unknown; edition: Edition | null } | undefined;

/** The edition that a response of PokeAPI names: https://github.com/PokeAPI/pokeapi */
export function editionOf(headers: Headers): Edition | null {
  const { 'x-pokeapi-hash': hash, 'x-pokeapi-deploy-date': deployed } = headers;
  if (!last || last.hash !== hash || last.deployed !== deployed)
    last = { hash, deployed, edition: parseEdition(hash, deployed, Date.now()) };
  return last.edition;
}

/** A response with any status but 200. */
export function unexpectedStatus(status: number, headers: Headers): FailedAttempt {
  const location = single(headers.location);
  if (status >= 300 && status < 400 && location !== undefined) {
    return new FailedAttempt(`got ${status}, a redirect to ${JSON.stringify(location)}, expected 200`, {
      status,
      location,
      retryable: false,
      hint: 'Redirects are not followed: use the URL that they lead to.',
    });
  }
  const retryAfterMs = parseRetryAfter(single(headers['retry-after']), Date.now());
  const wait = retryAfterMs > 0 ? ` with Retry-After ${Math.ceil(retryAfterMs / 1000)} s` : '';
  return new FailedAttempt(`got ${status}${wait}, expected 200`, {
    status,
    retryable: isRetryableStatus(status),
    retryAfterMs,
    edition: editionOf(headers),
  });
}

/** Turns what undici, zlib and `decode` throw into failed attempts; anything else is returned unchanged. */
export function asFailedAttempt(error: unknown, maxBytes: number): unknown {
  if (error instanceof GamedataError) return error;
  if (error instanceof MalformedBody || error instanceof ResponseTimeout)
    return new FailedAttempt(error.message, { retryable: true, cause: error });
  // Most parser errors have a code of their own, some have none.
  if (error instanceof Error && error.name === 'HTTPParserError')
    return new FailedAttempt(`invalid HTTP response: ${error.message}`, { retryable: true, cause: error });
  const code = errorCode(error);
  const refusal = proxyRefusal(error, code);
  if (refusal) return refusal;
  if (code === 'ERR_BUFFER_TOO_LARGE')
    return new FailedAttempt(`got more than ${maxBytes} bytes`, { retryable: false, cause: error });
  if (code === '' || !(error instanceof Error)) return error;
  const message = error.message.includes(code)
    ? error.message
    : `${error.message || 'connection failed'} (${code})`;
  return new FailedAttempt(message, { retryable: isRetryableCode(code), cause: error });
}

/** undici has no code of its own for a proxy that refuses CONNECT. */
function proxyRefusal(error: unknown, code: string): FailedAttempt | undefined {
  const [, status] =
    (code === 'UND_ERR_ABORTED' && /^Proxy response \((\d{3})\)/.exec(String((error as Error).message))) ||
    [];
  if (status === undefined) return undefined;
  return new FailedAttempt(`the proxy refused to connect, with status ${status}`, {
    retryable: isRetryableStatus(Number(status)),
    unreachable: true,
    hint: 'The proxy is the one that HTTP_PROXY or HTTPS_PROXY names; NO_PROXY lists hosts that need none.',
    cause: error,
  });
}

/** What a caller gets after the last attempt. */
export function asUpstreamError(
  { message, cause, failure }: FailedAttempt,
  { responded, ...sent }: { method: string; url: string; attempts: number; responded: boolean },
): UpstreamError {
  const { status, location, edition, hint } = failure;
  const unreachable = !responded && (failure.unreachable ?? isUnreachable(errorCode(cause)));
  return new UpstreamError(message, { ...sent, status, location, edition, unreachable }, { cause, hint });
}
