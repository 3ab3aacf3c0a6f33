import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { responseLimits } from '../contract/limits.ts';
import { parseJsonOrThrow } from '../contract/parse.ts';
import { errorCode } from '../errors.ts';
import { InvalidBodyError, tooLarge } from './failures.ts';

export { InvalidBodyError } from './failures.ts';

export const MAX_BODY_BYTES = responseLimits.other;

/**
 * The decoders are synchronous, because the thread pool would take twice as long for
 * thousands of small bodies.
 */
const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
]);

export const ACCEPT_ENCODING = 'gzip, br';

/**
 * Values of `Content-Encoding` that have no effect on the body. Amazon S3 stores
 * `aws-chunked` by mistake.
 */
const NO_ENCODING = ['', 'identity', 'aws-chunked'];

/**
 * Decodes a body with several encodings in reverse order, because they are listed in
 * the order in which they were applied. Repeated encodings are ignored, because some
 * proxies repeat headers.
 *
 * @throws InvalidBodyError if the encoding is unknown or the body does not match it
 */
export function decompress(
  body: Buffer,
  encoding = '',
  maxBytes = MAX_BODY_BYTES,
): Buffer {
  const names = encoding.split(',').map((name) => name.trim().toLowerCase());
  const lastFirst = [...new Set(names)].reverse();
  let decoded = body;
  for (const name of lastFirst) {
    if (NO_ENCODING.includes(name)) continue;
    decoded = decodeOnce(decoded, name, maxBytes);
  }
  return decoded;
}

function decodeOnce(body: Buffer, name: string, maxBytes: number): Buffer {
  const decode = decoders.get(name);
  if (!decode) {
    const got = JSON.stringify(name);
    throw new InvalidBodyError(
      `got Content-Encoding ${got}, expected ${ACCEPT_ENCODING}`,
    );
  }
  try {
    return decode(body, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    if (errorCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes, cause);
    throw new InvalidBodyError(
      `got ${body.length} bytes that are not valid ${name}`,
      cause,
    );
  }
}

export function decodeText(body: Buffer): string {
  if (!isUtf8(body)) {
    throw new InvalidBodyError(`got ${body.length} bytes that are not UTF-8`);
  }
  return body.toString('utf8').replace(/^\uFEFF/, '');
}

export function decodeJson(body: Buffer): unknown {
  const text = decodeText(body);
  try {
    return parseJsonOrThrow(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      throw new InvalidBodyError(cause.message, cause);
    }
    throw cause;
  }
}
