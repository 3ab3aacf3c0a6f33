/** Compression of responses, as clients ask for it; as many results as fit stay in memory. */

import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { PlainRequest, PlainResponse } from './handler/request.ts';

/** Smaller bodies are sent as they are: they fit into one packet anyway. */
export const MIN_BYTES = 1024;

/** In the order of preference. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

type Packed = Buffer<ArrayBuffer>;
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Packed>(zlib.brotliCompress);
const gzip = promisify<Uint8Array, Packed>(zlib.gzip);

const encoders: Readonly<Record<Encoding, (body: Uint8Array) => Promise<Packed>>> = {
  br: (body) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip,
};

/** Its types do not know yet that the server may have preferences. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}

/** The encoding that a client prefers; undefined for none. */
export function negotiateEncoding(request: IncomingMessage): Encoding | undefined {
  const known = [...encodings, 'identity'];
  const [chosen] = (new Negotiator(request) as PreferringNegotiator).encodings(known, { preferred: known });
  return encodings.find((encoding) => encoding === chosen);
}

export type Compress = ReturnType<typeof createCompress>;

/** @param maxBytes the maximum total size of the results that are kept */
export function createCompress(maxBytes: number) {
  /** By encoding and ETag, which identifies a body, of whatever release. */
  const cache = new LRUCache<string, Packed>({ maxSize: maxBytes, sizeCalculation: ({ length }) => length });

  /** Responds in an encoding. What the response varies on does not depend on whether it was worth compressing. */
  return async (
    encoding: Encoding | undefined,
    request: PlainRequest,
    respond: (request: PlainRequest) => Promise<PlainResponse>,
  ): Promise<PlainResponse> => {
    // The length of a body is only known once it is compressed: HEAD is answered like GET.
    const isHead = request.method === 'HEAD';
    const method = isHead ? 'GET' : request.method;
    // ETags name the encoding, as caches on the way only revalidate by strong ones.
    const suffix = encoding ? `-${encoding}"` : '"';
    const get = (name: string): string | null => request.headers.get(name)?.replaceAll(suffix, '"') ?? null;
    const { status, headers, body } = await respond({ ...request, method, headers: { get } });
    const { ETag: etag, Vary: vary } = headers;
    const sent: Record<string, string> = {
      ...headers,
      Vary: vary ? `${vary}, Accept-Encoding` : 'Accept-Encoding',
    };
    if (etag !== undefined) sent.ETag = etag.replace(/"$/, suffix);
    if (!encoding || etag === undefined || body === null || body.length < MIN_BYTES)
      return { status, headers: sent, body: isHead ? null : body };
    const key = `${encoding} ${etag}`;
    const packed = cache.get(key) ?? (await encoders[encoding](body));
    cache.set(key, packed);
    sent['Content-Encoding'] = encoding;
    sent['Content-Length'] = String(packed.length);
    return { status, headers: sent, body: isHead ? null : packed };
  };
}
