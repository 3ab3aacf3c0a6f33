/** Compresses responses for clients that accept it. */

import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { PlainRequest, PlainResponse, Responder } from './handler/index.ts';
import { readQualities } from './handler/request.ts';

/** A smaller body fits into one packet anyway. */
const MIN_BYTES = 1024;
/** A longer page range is sent uncompressed, because the compressed body would need memory for each client. */
const MAX_RANGE_BYTES = 1_000_000;

type Compressed = Promise<Buffer<ArrayBuffer>>;
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer<ArrayBuffer>>(zlib.brotliCompress);
const gzip = promisify<Uint8Array, Buffer<ArrayBuffer>>(zlib.gzip);

/** Compressed files stay in memory as long as their plain files. */
const encodings = {
  br: {
    encode: (body: Uint8Array) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
    files: new WeakMap<Uint8Array, Compressed>(),
  },
  gzip: { encode: gzip, files: new WeakMap<Uint8Array, Compressed>() },
};
type Encoding = keyof typeof encodings;

/** Selects the encoding that a client prefers; undefined for none. */
export function selectEncoding(accepted: string | null): Encoding | undefined {
  const qualities = readQualities(accepted ?? '');
  const rate = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0;
  const best = rate('br') >= rate('gzip') ? 'br' : 'gzip';
  return rate(best) > 0 && rate(best) >= (qualities.get('identity') ?? 0) ? best : undefined;
}

function compress(encoding: Encoding, [file, ...more]: readonly Uint8Array[]): Compressed {
  const { encode, files } = encodings[encoding];
  if (!file || more.length > 0) return encode(Buffer.concat([...(file ? [file] : []), ...more]));
  const compressed = files.get(file) ?? encode(file);
  files.set(file, compressed);
  return compressed;
}

/** Responds in the encoding that the client prefers. `Vary` is the same regardless of the size of the body. */
export async function respondCompressed(request: PlainRequest, respond: Responder): Promise<PlainResponse> {
  const encoding = selectEncoding(request.headers.get('Accept-Encoding'));
  // The ETag names the encoding, because caches revalidate only by strong ETags.
  const suffix = encoding ? `-${encoding}"` : '"';
  const get = (name: string): string | null => request.headers.get(name)?.replaceAll(suffix, '"') ?? null;
  // The length is only known after compressing, so HEAD is handled like GET.
  const isHead = request.method === 'HEAD';
  const method = isHead ? 'GET' : request.method;
  const { status, headers: plain, body } = await respond({ ...request, method, headers: { get } });
  const { ETag: etag, Vary: vary } = plain;
  const headers: Record<string, string> = {
    ...plain,
    Vary: vary ? `${vary}, Accept-Encoding` : 'Accept-Encoding',
    ...(etag && { ETag: etag.replace(/"$/, suffix) }),
  };
  const length = Number(plain['Content-Length'] ?? 0);
  const isLongRange = body !== null && body.length > 1 && length > MAX_RANGE_BYTES;
  if (!encoding || !etag || !body || length < MIN_BYTES || isLongRange)
    return { status, headers, body: isHead ? null : body };
  const compressed = await compress(encoding, body);
  headers['Content-Encoding'] = encoding;
  headers['Content-Length'] = String(compressed.length);
  return { status, headers, body: isHead ? null : [compressed] };
}
