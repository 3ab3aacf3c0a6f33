import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { responseLimits } from '../contract/limits.ts';
import { parseJsonOrThrow } from '../contract/parse.ts';
import { errorCode, GamedataError } from '../errors.ts';

export const MAX_BODY_BYTES = responseLimits.other;

export const ACCEPT_ENCODING = 'gzip, br';

/**
 * The decoders are synchronous, because the thread pool would take twice as long for
 * thousands of small bodies.
 */
const decoders = new Map([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
]);

/**
 * Values of `Content-Encoding` that have no effect on the body. Amazon S3 stores
 * `aws-chunked` by mistake.
 */
const NO_ENCODING = ['', 'identity', 'aws-chunked'];

/**
 * Decompresses a body. An empty body, such as that of a response to HEAD, is not
 * compressed.
 *
 * @param encoding the header `Content-Encoding`, such as `gzip` or `gzip, br`
 * @throws GamedataError if the encoding is unknown, or the body does not match it or
 * exceeds the limit
 */
export function decompress(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Buffer {
  if (encoding === undefined || body.length === 0) return body;
  const names = encoding.split(',').map((name) => name.trim().toLowerCase());
  // Some proxies repeat the header, so a repeated encoding counts once.
  const uniqueNames = [...new Set(names)];
  let decoded = body;
  // The last encoding was applied last, so it is removed first.
  for (const name of uniqueNames.reverse()) {
    if (NO_ENCODING.includes(name)) continue;
    decoded = decodeOnce(decoded, name, maxBytes);
  }
  return decoded;
}

/** Removes one encoding, such as `gzip`, from a body. */
function decodeOnce(body: Buffer, name: string, maxBytes: number): Buffer {
  const decode = decoders.get(name);
  if (!decode) {
    const got = JSON.stringify(name);
    const problem = `got Content-Encoding ${got}, expected ${ACCEPT_ENCODING}`;
    throw new GamedataError('data', problem);
  }
  try {
    // Node does not accept a limit of 0.
    return decode(body, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    const isTooLarge = errorCode(cause) === 'ERR_BUFFER_TOO_LARGE';
    const problem = isTooLarge
      ? `got more than ${maxBytes} bytes`
      : `got ${body.length} bytes that are not valid ${name}`;
    throw new GamedataError('data', problem, { cause });
  }
}

/** @throws GamedataError if the body is not UTF-8 */
export function decodeText(body: Buffer): string {
  if (!isUtf8(body)) {
    throw new GamedataError('data', `got ${body.length} bytes that are not UTF-8`);
  }
  return body.toString('utf8').replace(/^\uFEFF/, '');
}

/** @throws GamedataError if the body is not JSON */
export function decodeJson(body: Buffer): unknown {
  const text = decodeText(body);
  try {
    return parseJsonOrThrow(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new GamedataError('data', cause.message, { cause });
  }
}
