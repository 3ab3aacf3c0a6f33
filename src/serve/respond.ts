import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { API_PREFIX } from '../contract/paths.ts';
import {
  commonHeaders,
  getMediaType,
  isCompressible,
} from '../contract/responses.ts';
import type { PlainRequest, PlainResponse, Responder } from './handler/index.ts';
import { readQualities, resolveTarget, type Target } from './handler/request.ts';
import type { LoadedSite } from './site.ts';

/**
 * Responds to a request for a site. If the site is below a path, the server's root
 * redirects to it. Files are compressed if their type permits it. API responses are
 * compressed only if the operator enables this.
 */
export async function respond(
  message: IncomingMessage,
  site: LoadedSite,
  compressesApi: boolean,
): Promise<PlainResponse> {
  const request = toPlainRequest(message);
  if (site.base !== '' && request.path === '/') return redirectToSite(site.base);
  const target = resolveTarget(request.path, site.base);
  const compresses = isFile(target)
    ? isCompressibleFile(target.file)
    : compressesApi;
  if (!compresses) return site.respond(request);
  return respondCompressed(request, site.respond);
}

function redirectToSite(base: string): PlainResponse {
  return {
    status: 302,
    headers: { ...commonHeaders, Location: `${base}/` },
    body: null,
  };
}

type FileTarget = Extract<Target, { type: 'file' }>;

/** Returns whether a target is a file outside the API. */
function isFile(target: Target): target is FileTarget {
  return target.type === 'file' && !`/${target.file}`.startsWith(API_PREFIX);
}

function isCompressibleFile(file: string): boolean {
  return isCompressible(getMediaType(file));
}

/** Converts a request from Node, which provides header names in lower case. */
function toPlainRequest(message: IncomingMessage): PlainRequest {
  const { method = 'GET', url = '/', headers } = message;
  const { path, search } = splitTarget(url);
  function get(name: string): string | null {
    return headers[name.toLowerCase()]?.toString() ?? null;
  }
  return { method, path, search, headers: { get } };
}

/**
 * Splits a request's target at its query. We do not parse it as a URL, because that
 * would normalize the path.
 *
 * @see https://httpwg.org/specs/rfc9112.html#request.target
 */
export function splitTarget(target: string): Pick<PlainRequest, 'path' | 'search'> {
  const local = target.startsWith('/') ? target : removeOrigin(target);
  // Clients would misinterpret these characters in a redirect URL.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const [path = ''] = encoded.split('?', 1);
  const search = encoded.slice(path.length);
  return { path: path || '/', search };
}

/** Removes the origin, so that `http://example.test/a` becomes `/a`. */
function removeOrigin(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
}

/** Smaller bodies fit into a single packet, so they are not compressed. */
const MIN_COMPRESSED_BYTES = 1024;
/**
 * Longer page ranges are not compressed, because the compressed body would need too
 * much memory per client.
 */
const MAX_COMPRESSED_RANGE_BYTES = 1_000_000;

type CompressedBody = Promise<Buffer<ArrayBuffer>>;
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer<ArrayBuffer>>(
  zlib.brotliCompress,
);
const gzip = promisify<Uint8Array, Buffer<ArrayBuffer>>(zlib.gzip);

interface Encoder {
  encode(body: Uint8Array): CompressedBody;
  /**
   * The compressed bodies of files. They are kept as long as the uncompressed bodies
   * stay in memory.
   */
  readonly compressedFiles: WeakMap<Uint8Array, CompressedBody>;
}

/**
 * The default quality of Brotli, 11, is too slow for compressing during a request.
 */
const brotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } };

type Encoding = 'br' | 'gzip';

const encoders: Readonly<Record<Encoding, Encoder>> = {
  br: {
    encode: (body) => brotli(body, brotliOptions),
    compressedFiles: new WeakMap(),
  },
  gzip: { encode: (body) => gzip(body), compressedFiles: new WeakMap() },
};

/**
 * Selects the encoding that the client prefers. Returns undefined if the client
 * accepts no encoding that we support, or prefers an uncompressed body.
 */
export function selectEncoding(accepted: string | null): Encoding | undefined {
  const qualities = readQualities(accepted ?? '');
  const otherQuality = qualities.get('*') ?? 0;
  const brotliQuality = qualities.get('br') ?? otherQuality;
  const gzipQuality = qualities.get('gzip') ?? otherQuality;
  const plainQuality = qualities.get('identity') ?? 0;
  const bestQuality = Math.max(brotliQuality, gzipQuality);
  if (bestQuality <= 0 || bestQuality < plainQuality) return undefined;
  return brotliQuality >= gzipQuality ? 'br' : 'gzip';
}

/**
 * Responds in the encoding that the client prefers.
 *
 * The ETag of an encoded response includes the name of the encoding, such as
 * `"1f2e-br"`, because caches revalidate only with strong ETags, which must differ
 * between encodings. The responder does not handle encodings. Therefore we remove
 * the name from the client's ETags before the responder compares them, and add it to
 * the ETag of the response, even for a 304. `Vary` does not depend on the size of
 * the body, because it describes the URL.
 */
export async function respondCompressed(
  request: PlainRequest,
  responder: Responder,
): Promise<PlainResponse> {
  if (request.method === 'HEAD') {
    // The length is known only after compressing, so HEAD is handled like GET.
    const getResponse = await respondCompressed(
      { ...request, method: 'GET' },
      responder,
    );
    return { ...getResponse, body: null };
  }
  const encoding = selectEncoding(request.headers.get('Accept-Encoding'));
  const etagEnd = encoding === undefined ? '"' : `-${encoding}"`;
  const plainResponse = await responder(removeEncoding(request, etagEnd));
  const response = addEncoding(plainResponse, etagEnd);
  if (encoding === undefined || response.body === null) return response;
  if (!isWorthCompressing(response, response.body)) return response;

  const compressedBody = await compress(encoding, response.body);
  const headers = {
    ...response.headers,
    'Content-Encoding': encoding,
    'Content-Length': String(compressedBody.length),
  };
  return { status: response.status, headers, body: [compressedBody] };
}

/**
 * Keeps only the client's ETags for the selected encoding, and removes the name of
 * the encoding from them. The client's other ETags belong to other bodies. `*`
 * matches any ETag, so it is kept.
 *
 * @param etagEnd the end of ETags for the selected encoding, such as `-br"`
 */
function removeEncoding(request: PlainRequest, etagEnd: string): PlainRequest {
  const clientEtags = request.headers.get('If-None-Match');
  if (clientEtags === null) return request;
  const plainEtags: string[] = [];
  for (const clientEtag of clientEtags.split(',')) {
    const etag = clientEtag.trim();
    if (etag === '*') plainEtags.push(etag);
    if (etag.endsWith(etagEnd)) {
      plainEtags.push(`${etag.slice(0, -etagEnd.length)}"`);
    }
  }
  const ifNoneMatch = plainEtags.join(',');
  function get(name: string): string | null {
    return name === 'If-None-Match' ? ifNoneMatch : request.headers.get(name);
  }
  return { ...request, headers: { get } };
}

/**
 * Adds the encoding's name to the ETag, and `Accept-Encoding` to the `Vary` header.
 */
function addEncoding(response: PlainResponse, etagEnd: string): PlainResponse {
  const { ETag: etag, Vary: vary } = response.headers;
  const headers: Record<string, string> = { ...response.headers };
  headers.Vary = vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
  if (etag !== undefined) headers.ETag = etag.replace(/"$/, etagEnd);
  return { ...response, headers };
}

type BodyParts = NonNullable<PlainResponse['body']>;

/**
 * Returns whether to compress a body. Errors are not compressed. They are recognized
 * by their missing ETag.
 */
function isWorthCompressing({ headers }: PlainResponse, body: BodyParts): boolean {
  if (headers.ETag === undefined) return false;
  const bytes = Number(headers['Content-Length']);
  if (bytes < MIN_COMPRESSED_BYTES) return false;
  // Only page ranges consist of several parts.
  const isRange = body.length > 1;
  return !isRange || bytes <= MAX_COMPRESSED_RANGE_BYTES;
}

/**
 * Compresses a body. A file is compressed only once while it stays in memory. The
 * first request stores the promise, so that concurrent requests wait for the same
 * result. If compressing fails, the next request tries again.
 */
function compress(encoding: Encoding, parts: BodyParts): CompressedBody {
  const { encode, compressedFiles } = encoders[encoding];
  const [file] = parts;
  if (file === undefined || parts.length > 1) return encode(Buffer.concat(parts));
  const knownBody = compressedFiles.get(file);
  if (knownBody) return knownBody;
  const compressedBody = encode(file);
  compressedFiles.set(file, compressedBody);
  compressedBody.catch(() => compressedFiles.delete(file));
  return compressedBody;
}
