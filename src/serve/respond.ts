import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { API_PREFIX } from '../contract/paths.ts';
import { commonHeaders, getMediaType, isCompressible } from '../contract/responses.ts';
import type { PlainRequest, PlainResponse, Responder } from './handler/index.ts';
import { readQualities, resolveTarget, type Target } from './handler/request.ts';
import type { LoadedSite } from './site.ts';

/**
 * Responds to a request for a site. The root of a server redirects to a site below a path. Files
 * are compressed if their type permits it, and the API only if the operator wants.
 */
export async function respond(
  message: IncomingMessage,
  site: LoadedSite,
  compressesApi: boolean,
): Promise<PlainResponse> {
  const request = toPlain(message);
  if (site.base !== '' && request.path === '/')
    return { status: 302, headers: { ...commonHeaders, Location: `${site.base}/` }, body: null };
  const target = resolveTarget(request.path, site.base);
  const compresses = isFile(target) ? isCompressible(getMediaType(target.file)) : compressesApi;
  return compresses ? respondCompressed(request, site.respond) : site.respond(request);
}

type FileTarget = Extract<Target, { type: 'file' }>;

/** Whether a target is a file outside the API. */
const isFile = (target: Target): target is FileTarget =>
  target.type === 'file' && !`/${target.file}`.startsWith(API_PREFIX);

function toPlain({ method = 'GET', url = '/', headers }: IncomingMessage): PlainRequest {
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  return { method, ...splitTarget(url), headers: { get } };
}

/**
 * A WHATWG URL would normalize the request target
 * (https://httpwg.org/specs/rfc9112.html#request.target).
 */
export function splitTarget(target: string): Pick<PlainRequest, 'path' | 'search'> {
  const local = target.startsWith('/') ? target : removeOrigin(target);
  // Clients would misinterpret these in the URL of a redirect.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const [path = ''] = encoded.split('?', 1);
  return { path: path || '/', search: encoded.slice(path.length) };
}

/** `http://example.test/a` → `/a` */
const removeOrigin = (target: string): string =>
  target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');

/** A smaller body fits into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024;
/** The compressed body of a longer page range would need too much memory for each client. */
const MAX_COMPRESSED_RANGE_BYTES = 1_000_000;

type CompressedBody = Promise<Buffer<ArrayBuffer>>;
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer<ArrayBuffer>>(zlib.brotliCompress);
const gzip = promisify<Uint8Array, Buffer<ArrayBuffer>>(zlib.gzip);

const encodings = {
  br: {
    encode: (body: Uint8Array): CompressedBody =>
      brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
    files: new WeakMap<Uint8Array, CompressedBody>(),
  },
  gzip: {
    encode: (body: Uint8Array): CompressedBody => gzip(body),
    files: new WeakMap<Uint8Array, CompressedBody>(),
  },
};
type Encoding = keyof typeof encodings;

/** Selects the encoding that an `Accept-Encoding` prefers; undefined for none. */
export function selectEncoding(accepted: string | null): Encoding | undefined {
  const qualities = readQualities(accepted ?? '');
  const rate = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0;
  const best = rate('br') >= rate('gzip') ? 'br' : 'gzip';
  const identity = qualities.get('identity') ?? 0;
  return rate(best) > 0 && rate(best) >= identity ? best : undefined;
}

/**
 * Responds in the encoding that the client prefers. `Vary` is the same for bodies of any size.
 *
 * The ETag of an encoded response names the encoding, because caches revalidate only by strong
 * ETags. The responder knows no encodings: it gets the client's ETags without them, and the
 * response gets them back. This holds for a 304 as well, which is why the encoding is selected
 * before the responder is called.
 */
export async function respondCompressed(
  request: PlainRequest,
  responder: Responder,
): Promise<PlainResponse> {
  if (request.method === 'HEAD') {
    // The length is only known after compressing, so HEAD is handled like GET.
    const response = await respondCompressed({ ...request, method: 'GET' }, responder);
    return { ...response, body: null };
  }
  const encoding = selectEncoding(request.headers.get('Accept-Encoding'));
  const etagEnd = encoding === undefined ? '"' : `-${encoding}"`;
  const plainResponse = await responder(removeEncoding(request, etagEnd));
  const response = addEncoding(plainResponse, etagEnd);
  const { body } = response;
  if (encoding === undefined || body === null) return response;
  if (!isWorthCompressing(response, body)) return response;
  const compressed = await compress(encoding, body);
  const headers = {
    ...response.headers,
    'Content-Encoding': encoding,
    'Content-Length': String(compressed.length),
  };
  return { status: response.status, headers, body: [compressed] };
}

/** Keeps only the ETags of the selected encoding, without its name. */
function removeEncoding(request: PlainRequest, etagEnd: string): PlainRequest {
  const listed = request.headers.get('If-None-Match');
  if (listed === null) return request;
  const etags: string[] = [];
  for (const etag of listed.split(',').map((text) => text.trim())) {
    if (etag === '*') etags.push(etag);
    if (etag.endsWith(etagEnd)) etags.push(`${etag.slice(0, -etagEnd.length)}"`);
  }
  const ifNoneMatch = etags.join(',');
  const get = (name: string): string | null =>
    name === 'If-None-Match' ? ifNoneMatch : request.headers.get(name);
  return { ...request, headers: { get } };
}

function addEncoding(response: PlainResponse, etagEnd: string): PlainResponse {
  const { ETag: etag, Vary: vary } = response.headers;
  const headers: Record<string, string> = { ...response.headers };
  headers.Vary = vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
  if (etag !== undefined) headers.ETag = etag.replace(/"$/, etagEnd);
  return { ...response, headers };
}

type BodyParts = NonNullable<PlainResponse['body']>;

/** Errors have no ETag. Page ranges have several parts. */
function isWorthCompressing({ headers }: PlainResponse, body: BodyParts): boolean {
  if (headers.ETag === undefined) return false;
  const length = Number(headers['Content-Length']);
  if (length < MIN_COMPRESSED_BYTES) return false;
  return body.length === 1 || length <= MAX_COMPRESSED_RANGE_BYTES;
}

/** Compresses a body. A file is compressed only once while it stays in memory. */
function compress(encoding: Encoding, parts: BodyParts): CompressedBody {
  const { encode, files } = encodings[encoding];
  const [file] = parts;
  if (file === undefined || parts.length > 1) return encode(Buffer.concat(parts));
  const compressed = files.get(file) ?? encode(file);
  files.set(file, compressed);
  compressed.catch(() => files.delete(file));
  return compressed;
}
