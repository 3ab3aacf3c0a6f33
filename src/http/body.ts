import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { responseLimits } from '../contract/limits.ts';
import { parseJsonOrThrow } from '../contract/parse.ts';
import { errorCode } from '../errors.ts';
import { AttemptError, tooLarge } from './retry.ts';

export const MAX_BODY_BYTES = responseLimits.other;

/** Synchronous, because the thread pool takes twice as long for thousands of small bodies. */
const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
]);

export const ACCEPT_ENCODING = 'gzip, br';

export class InvalidBodyError extends AttemptError {
  constructor(message: string, cause?: unknown, hint?: string) {
    super(message, { retryable: true, cause, hint });
  }
}

/** `Content-Encoding` values that do not affect the body. Amazon S3 stores `aws-chunked` by mistake. */
const NO_ENCODING = ['', 'identity', 'aws-chunked'];

/** Decompresses a body. Ignores repeated encodings, because proxies repeat headers. @throws InvalidBodyError */
export function decompress(body: Buffer, encoding = '', maxBytes = MAX_BODY_BYTES): Buffer {
  const names = encoding.split(',').map((name) => name.trim().toLowerCase());
  return [...new Set(names)].reduceRight((decoded, name) => {
    if (NO_ENCODING.includes(name)) return decoded;
    const decode = decoders.get(name);
    if (!decode)
      throw new InvalidBodyError(
        `got Content-Encoding ${JSON.stringify(name)}, expected ${ACCEPT_ENCODING}`,
      );
    try {
      return decode(decoded, { maxOutputLength: Math.max(1, maxBytes) });
    } catch (cause) {
      if (errorCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, cause);
      throw new InvalidBodyError(`got ${decoded.length} bytes that are not valid ${name}`, cause);
    }
  }, body);
}

export function decodeText(body: Buffer): string {
  if (!isUtf8(body)) throw new InvalidBodyError(`got ${body.length} bytes that are not UTF-8`);
  return body.toString('utf8').replace(/^\uFEFF/, '');
}

export function decodeJson(body: Buffer): unknown {
  try {
    return parseJsonOrThrow(decodeText(body));
  } catch (cause) {
    throw cause instanceof SyntaxError ? new InvalidBodyError(cause.message, cause) : cause;
  }
}
