/** Compression of responses, as clients ask for it: each body once, as long as the results fit into memory. */

import type { IncomingMessage } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import Negotiator from 'negotiator';
import type { PlainRequest, PlainResponse } from './handler/index.ts';
import { createSizedCache } from './sized-cache.ts';

/** Smaller bodies are sent as they are: they fit into one packet anyway. */
export const MIN_BYTES = 1024;

type Packed = Buffer<ArrayBuffer>;
type Pack = (body: Uint8Array, options: object) => Promise<Packed>;

interface Encoder {
  readonly pack: Pack;
  readonly stream: (options: object) => Transform;
  readonly options: object;
}

/** Part of Node since 22.15, and not of the types of Node 20. */
const { zstdCompress, createZstdCompress } = zlib as typeof zlib & {
  readonly zstdCompress?: typeof zlib.gzip;
  readonly createZstdCompress?: typeof zlib.createGzip;
};

const asPack = (compress: unknown): Pack => promisify(compress as () => void) as unknown as Pack;

/** In the order of preference. */
const encoders: Readonly<Record<string, Encoder>> = {
  br: {
    pack: asPack(zlib.brotliCompress),
    stream: zlib.createBrotliCompress,
    options: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } },
  },
  ...(zstdCompress &&
    createZstdCompress && {
      zstd: { pack: asPack(zstdCompress), stream: createZstdCompress, options: {} },
    }),
  gzip: { pack: asPack(zlib.gzip), stream: zlib.createGzip, options: {} },
};
export const encodings: readonly string[] = Object.keys(encoders);

/** Its types do not know yet that the server may have preferences. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}

/** Images and archives are compressed already. */
export const isCompressible = ({ 'Content-Type': type = '' }: Readonly<Record<string, string>>): boolean =>
  /^text\/|[/+](?:json|xml|x-ndjson)$/.test(type);

/** The encoding that a client prefers of those that there are; undefined for none. */
export function negotiateEncoding(
  request: IncomingMessage,
  available: readonly string[] = encodings,
): string | undefined {
  const known = [...available, 'identity'];
  const [chosen] = (new Negotiator(request) as PreferringNegotiator).encodings(known, { preferred: known });
  return chosen === 'identity' ? undefined : chosen;
}

/** A response in an encoding. What it varies on does not depend on whether it was worth compressing. */
export type Compress = (response: PlainResponse, encoding: string | undefined) => Promise<PlainResponse>;

/** @param maxBytes the maximum total size of the results that are kept */
export function createCompress(maxBytes: number): Compress {
  const cache = createSizedCache<Packed>(maxBytes);
  const packing = new Map<string, Promise<Packed>>();

  async function pack(key: string, body: Uint8Array, { pack, options }: Encoder): Promise<Packed> {
    try {
      const packed = await pack(body, options);
      cache.keep(key, packed, packed.length);
      return packed;
    } finally {
      packing.delete(key);
    }
  }

  /** ETags identify bodies, of whatever release. */
  function packOnce(key: string, body: Uint8Array, encoder: Encoder): Packed | Promise<Packed> {
    const known = cache.get(key) ?? packing.get(key);
    if (known) return known;
    const pending = pack(key, body, encoder);
    packing.set(key, pending);
    return pending;
  }

  return async (response, encoding) => {
    const vary = [response.headers.Vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
    const headers: Record<string, string> = { ...response.headers, Vary: vary };
    const encoder = encoding === undefined ? undefined : encoders[encoding];
    const { ETag: etag } = headers;
    const { body } = response;
    if (encoding === undefined || !encoder || etag === undefined) return { ...response, headers };
    // The same for every encoding: equivalent, but not byte for byte.
    headers.ETag = `W/${etag}`;
    if (body === null || (body instanceof Uint8Array && body.length < MIN_BYTES))
      return { ...response, headers };
    headers['Content-Encoding'] = encoding;
    if (!(body instanceof Uint8Array)) return { ...response, headers, body: streamed(body, encoder) };
    const packed = await packOnce(`${encoding} ${etag}`, body, encoder);
    return { ...response, headers: { ...headers, 'Content-Length': String(packed.length) }, body: packed };
  };
}

/** The length of a body is only known once it is compressed: HEAD is answered like GET. */
export async function respondCompressed(
  request: PlainRequest,
  compress: Compress,
  encoding: string | undefined,
  respond: (request: PlainRequest) => PlainResponse | Promise<PlainResponse>,
): Promise<PlainResponse> {
  if (request.method !== 'HEAD') return compress(await respond(request), encoding);
  const whole = await compress(await respond({ ...request, method: 'GET' }), encoding);
  return { ...whole, body: null };
}

async function* streamed(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  { stream, options }: Encoder,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = stream(options);
  const done = pipeline(Readable.from(chunks), encoder);
  // Awaited below; a client that goes away ends the loop before that.
  done.catch(() => {});
  yield* encoder;
  await done;
}
