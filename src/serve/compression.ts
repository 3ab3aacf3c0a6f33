/** Compresses responses for clients that accept it. */

import { promisify } from 'node:util';
import zlib from 'node:zlib';
import Negotiator from 'negotiator';
import type { PlainRequest, PlainResponse, Responder } from './handler/index.ts';

/** A smaller body fits into one packet anyway. */
const MIN_BYTES = 1024;
/** A longer page range is sent uncompressed, because the compressed body would need memory for each client. */
const MAX_RANGE_BYTES = 1_000_000;

type Compressed = Promise<Buffer<ArrayBuffer>>;
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer<ArrayBuffer>>(zlib.brotliCompress);
const gzip = promisify<Uint8Array, Buffer<ArrayBuffer>>(zlib.gzip);

/** In the order of preference. */
const encoders = {
  br: (body: Uint8Array): Compressed =>
    brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Uint8Array): Compressed => gzip(body),
};
type Encoding = keyof typeof encoders;
const encodings = Object.keys(encoders) as Encoding[];

/** The types of negotiator lack the preferences of the server. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}

export function negotiateEncoding(accepted: string | null): Encoding | undefined {
  const known = [...encodings, 'identity'];
  const request = { headers: accepted === null ? {} : { 'accept-encoding': accepted } };
  const negotiator = new Negotiator(request) as PreferringNegotiator;
  const [chosen] = negotiator.encodings(known, { preferred: known });
  return encodings.find((encoding) => encoding === chosen);
}

/** Compressed files, which stay in memory as long as their plain files. */
const compressedFiles = {
  br: new WeakMap<Uint8Array, Compressed>(),
  gzip: new WeakMap<Uint8Array, Compressed>(),
};

function compress(encoding: Encoding, parts: readonly Uint8Array[]): Compressed {
  const [file, ...more] = parts;
  if (!file || more.length > 0) return encoders[encoding](Buffer.concat(parts));
  const compressed = compressedFiles[encoding].get(file) ?? encoders[encoding](file);
  compressedFiles[encoding].set(file, compressed);
  return compressed;
}

/** Responds in the encoding that the client prefers. `Vary` is the same regardless of the size of the body. */
export async function respondCompressed(request: PlainRequest, respond: Responder): Promise<PlainResponse> {
  const encoding = negotiateEncoding(request.headers.get('Accept-Encoding'));
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
  const isRange = body !== null && body.length > 1;
  if (!encoding || !etag || !body || length < MIN_BYTES || (isRange && length > MAX_RANGE_BYTES))
    return { status, headers, body: isHead ? null : body };
  const compressed = await compress(encoding, body);
  headers['Content-Encoding'] = encoding;
  headers['Content-Length'] = String(compressed.length);
  return { status, headers, body: isHead ? null : [compressed] };
}
