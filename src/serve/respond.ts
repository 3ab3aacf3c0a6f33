import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { API_PREFIX } from '../contract/paths.ts';
import { commonHeaders, getMediaType, isCompressible } from '../contract/responses.ts';
import type { PlainRequest, PlainResponse, Responder } from './handler/index.ts';
import { readQualities, resolveTarget } from './handler/request.ts';
import type { LoadedSite } from './site.ts';

export async function respond(
  request: IncomingMessage,
  { base, respond }: LoadedSite,
  compressesApi: boolean,
): Promise<PlainResponse> {
  const plain = toPlain(request);
  if (base !== '' && plain.path === '/')
    return { status: 302, headers: { ...commonHeaders, Location: `${base}/` }, body: null };
  const target = resolveTarget(plain.path, base);
  const isFile = target.type === 'file' && !`/${target.file}`.startsWith(API_PREFIX);
  const compresses = isFile ? isCompressible(getMediaType(target.file)) : compressesApi;
  return compresses ? respondCompressed(plain, respond) : respond(plain);
}

function toPlain({ method = 'GET', url = '/', headers }: IncomingMessage): PlainRequest {
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  return { method, ...splitTarget(url), headers: { get } };
}

/** A WHATWG URL would normalize the request target (https://httpwg.org/specs/rfc9112.html#request.target). */
export function splitTarget(target: string): Pick<PlainRequest, 'path' | 'search'> {
  const local = target.startsWith('/')
    ? target
    : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
  // Clients would misinterpret these in the URL of a redirect.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const [path = ''] = encoded.split('?', 1);
  return { path: path || '/', search: encoded.slice(path.length) };
}

/** A smaller body fits into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024;
/** The compressed body of a longer page range would need too much memory for each client. */
const MAX_COMPRESSED_RANGE_BYTES = 1_000_000;

type Compressed = Promise<Buffer<ArrayBuffer>>;
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer<ArrayBuffer>>(zlib.brotliCompress);
const gzip = promisify<Uint8Array, Buffer<ArrayBuffer>>(zlib.gzip);

const encodings = {
  br: {
    encode: (body: Uint8Array) =>
      brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
    files: new WeakMap<Uint8Array, Compressed>(),
  },
  gzip: { encode: gzip, files: new WeakMap<Uint8Array, Compressed>() },
};
type Encoding = keyof typeof encodings;

export function selectEncoding(accepted: string | null): Encoding | undefined {
  const qualities = readQualities(accepted ?? '');
  const rate = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0;
  const best = rate('br') >= rate('gzip') ? 'br' : 'gzip';
  return rate(best) > 0 && rate(best) >= (qualities.get('identity') ?? 0) ? best : undefined;
}

/** Responds in the encoding that the client prefers. `Vary` is the same for bodies of any size. */
export async function respondCompressed(
  request: PlainRequest,
  respond: Responder,
): Promise<PlainResponse> {
  // The length is only known after compressing, so HEAD is handled like GET.
  if (request.method === 'HEAD')
    return { ...(await respondCompressed({ ...request, method: 'GET' }, respond)), body: null };
  const encoding = selectEncoding(request.headers.get('Accept-Encoding'));
  // The ETag names the encoding, because caches revalidate only by strong ETags.
  const suffix = encoding ? `-${encoding}"` : '"';
  const tags = request.headers.get('If-None-Match')?.split(',') ?? [];
  const known = tags.map((tag) => tag.trim()).filter((tag) => tag === '*' || tag.endsWith(suffix));
  const get = (name: string): string | null =>
    name === 'If-None-Match' ? known.join(',').replaceAll(suffix, '"') : request.headers.get(name);
  const { status, headers: plain, body } = await respond({ ...request, headers: { get } });
  const { ETag: etag, Vary: vary } = plain;
  const headers = {
    ...plain,
    Vary: vary ? `${vary}, Accept-Encoding` : 'Accept-Encoding',
    ...(etag && { ETag: etag.replace(/"$/, suffix) }),
  };
  const length = Number(plain['Content-Length'] ?? 0);
  const isLongRange = body !== null && body.length > 1 && length > MAX_COMPRESSED_RANGE_BYTES;
  if (!encoding || !etag || !body || length < MIN_COMPRESSED_BYTES || isLongRange)
    return { status, headers, body };
  const compressed = await compress(encoding, body);
  const own = { 'Content-Encoding': encoding, 'Content-Length': String(compressed.length) };
  return { status, headers: { ...headers, ...own }, body: [compressed] };
}

function compress(encoding: Encoding, parts: readonly Uint8Array[]): Compressed {
  const { encode, files } = encodings[encoding];
  const [file] = parts;
  if (!file || parts.length > 1) return encode(Buffer.concat(parts));
  const compressed = files.get(file) ?? encode(file);
  files.set(file, compressed);
  compressed.catch(() => files.delete(file));
  return compressed;
}
