/** Bodies of answers: decompressed within a bound, and read as the JSON that they have to be. */

import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { errorCode } from '../errors.ts';

/** The largest body that is read, compressed or not: a hundred times the largest record of the live upstream. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** At once: handing thousands of small bodies to other threads and back takes twice as long as unpacking them. */
const decoders = new Map([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
]);

/** What the client asks for. */
export const ACCEPT_ENCODING = 'gzip, br';

/** A body that is not what its answer says or not what was asked for. Asking again may help. */
export class MalformedBody extends Error {}

/** Undoes `Content-Encoding`. Throws `MalformedBody` for one that was not asked for, or is not what the body has. */
export function decompress(body: Buffer, encoding: string | undefined, maxBytes = MAX_BODY_BYTES): Buffer {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return body;
  const decoder = decoders.get(encoding.trim().toLowerCase());
  if (!decoder)
    throw new MalformedBody(
      `answered with Content-Encoding ${JSON.stringify(encoding)}, asked for ${ACCEPT_ENCODING}`,
    );
  try {
    return decoder(body, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    if (errorCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw cause;
    throw new MalformedBody(`answered ${body.length} bytes that are not ${encoding}`, { cause });
  }
}

/** The text of a body. Throws `MalformedBody` where it is not UTF-8. */
export function decodeText(body: Buffer): string {
  if (!isUtf8(body)) throw new MalformedBody(`answered ${body.length} bytes that are not UTF-8`);
  return body.toString('utf8').replace(/^\uFEFF/, '');
}

/** The JSON of a body. Throws `MalformedBody` that shows how the body begins where it is not JSON. */
export function decodeJson(body: Buffer): unknown {
  const text = decodeText(body);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedBody(`answered ${preview(text)}, expected JSON`, { cause });
  }
}

function preview(text: string): string {
  return text === '' ? 'an empty body' : JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
