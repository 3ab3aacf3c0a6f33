/**
 * Responds to a request from the network, whatever happens: the handler from memory to what is of the API or is compressed, a
 * library with any other file, as a stream and with ranges.
 */

import { fstatSync, type ReadStream, type Stats } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import send from 'send';
import { bulkFiles } from '../contract/files.ts';
import { isCompressible, mediaTypeOf } from '../contract/headers.ts';
import { API_PREFIX, type CompressedExtension } from '../contract/paths.ts';
import { printable } from '../contract/words.ts';
import { type Compress, type Encoding, MIN_BYTES, negotiateEncoding } from './compression.ts';
import { isRead, type PlainRequest, type PlainResponse, resolveTarget } from './handler/request.ts';
import { fileHeaders } from './handler/responses.ts';
import { findFile, type Release, SiteReplacedError, versionOf, type WithRelease } from './release.ts';
import { hasBody, serverError, writeResponse } from './server.ts';

export interface RespondOptions {
  readonly withRelease: WithRelease;
  readonly compress: Compress;
  /** Whether responses of the API are compressed, too. */
  readonly compressesApi: boolean;
  /** Called with a line about an unexpected failure. */
  readonly onProblem: (line: string) => void;
  /** Called if there is no site to respond with, as it is being replaced. */
  readonly onReplaced: () => void;
}

/** Responds to a request. Never rejects. */
export async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: RespondOptions,
): Promise<void> {
  try {
    const answered = await options.withRelease((release) => answer(request, response, release, options));
    if (answered) await writeResponse(request, response, answered);
  } catch (error) {
    const isReplaced = error instanceof SiteReplacedError;
    const cause = error instanceof Error ? error.message : String(error);
    const problem = isReplaced ? 'the site is being replaced' : cause;
    options.onProblem(`${request.method} ${request.url}: ${problem}`);
    if (isReplaced) options.onReplaced();
    const refusal = isReplaced ? serverError(503, { 'Retry-After': '1' }) : serverError(500);
    if (response.headersSent) response.destroy();
    else await writeResponse(request, response, refusal);
  }
}

/** The response; undefined if it has been sent already. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  release: Release,
  { compress, compressesApi }: RespondOptions,
): Promise<PlainResponse | undefined> {
  const plain = toPlain(request);
  const { folder, base, respond } = release;
  // Nothing else is outside of the base path.
  if (base !== '' && plain.path === '/')
    return { status: 302, headers: { Location: `${base}/` }, body: null };
  const encoding = negotiateEncoding(request);
  const target = resolveTarget(plain.path, base);
  if (target.type !== 'file' || `/${target.file}`.startsWith(API_PREFIX) || !isRead(plain))
    return compressesApi ? compress(encoding, plain, respond) : respond(plain);
  const { file } = target;
  const found = await findFile(folder, file);
  if (!found) return respond(plain);
  const isWhole = request.headers.range === undefined;
  if (encoding && isWhole && isPackable(file, found.bytes)) return compress(encoding, plain, respond);
  const headers = {
    ...fileHeaders(file),
    ...(isCompressible(mediaTypeOf(file)) && { Vary: 'Accept-Encoding' }),
  };
  const copied = encoding && bulkFiles.includes(file) ? `${file}.${copies[encoding]}` : undefined;
  const copy = copied === undefined ? undefined : await findFile(folder, copied);
  if (!encoding || !copied || !copy)
    return sendFile(request, response, { folder, file, bytes: found.bytes }, headers);
  const packed = { folder, file: copied, bytes: copy.bytes };
  return sendFile(request, response, packed, { ...headers, 'Content-Encoding': encoding });
}

/** Larger files are sent as they are, unless the site has a compressed copy. */
const MAX_PACKED_BYTES = 8 * 1024 * 1024;

const isPackable = (file: string, bytes: number): boolean =>
  bytes >= MIN_BYTES &&
  bytes <= MAX_PACKED_BYTES &&
  isCompressible(mediaTypeOf(file)) &&
  !bulkFiles.includes(file);

/** The extension of the copy that a build makes of a bulk file. */
const copies: Readonly<Record<Encoding, CompressedExtension>> = { br: 'br', gzip: 'gz' };

function toPlain({ method = 'GET', url = '/', headers }: IncomingMessage): PlainRequest {
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  return { method, ...splitTarget(url), headers: { get } };
}

/**
 * Path and query as they were sent (https://httpwg.org/specs/rfc9112.html#request.target). A WHATWG URL would resolve dot
 * segments, replace backslashes and drop fragments, and so lead to other resources.
 */
export function splitTarget(target: string): Pick<PlainRequest, 'path' | 'search'> {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
  // Not allowed in a URL: in a redirect, clients would misinterpret them.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const [path = ''] = encoded.split('?', 1);
  return { path: path || '/', search: encoded.slice(path.length) };
}

/**
 * Sends a file as a stream.
 *
 * @returns undefined once it is sent, or else the response that says why it is not
 * @throws SiteReplacedError if the file is replaced before anything of it is sent
 */
function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { folder, file, bytes }: { folder: string; file: string; bytes: number },
  headers: PlainResponse['headers'],
): Promise<PlainResponse | undefined> {
  // A suffix that is longer is the whole file: https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2
  const [, suffix] = /^bytes=-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (Number(suffix) > bytes) delete request.headers.range;
  // Ranges need a strong validator, and those of files are weak: https://www.rfc-editor.org/rfc/rfc9110#name-if-range
  if (request.headers['if-range']?.toString().includes('"')) delete request.headers.range;
  // `fetch` adds this to every request with If-None-Match. It is meant for caches on the way
  // (https://www.rfc-editor.org/rfc/rfc9111#name-no-cache), but send would ignore the ETag because of it.
  delete request.headers['cache-control'];
  return new Promise((resolve, reject) => {
    response.on('close', () => resolve(undefined));
    const stream = send(request, `/${file}`, { root: folder, index: false });
    let described: string | undefined;
    stream.on('headers', (_: ServerResponse, __: string, stat: Stats) => {
      described = versionOf(stat);
      response.setHeaders(new Map(Object.entries(headers)));
      if (hasBody(request)) response.setHeader('Connection', 'close');
    });
    stream.on('stream', (content: ReadStream) => {
      content.once('open', (descriptor) => {
        if (described === versionOf(fstatSync(descriptor))) return;
        content.unpipe(response).destroy();
        clearHeaders(response);
        reject(new SiteReplacedError());
      });
    });
    stream.on('error', (error: SendError) => {
      const { status } = error;
      clearHeaders(response);
      if (status === 404) reject(new SiteReplacedError());
      else if (status === 412 || status === 416) resolve(serverError(status, error.headers));
      else reject(error);
    });
    stream.pipe(response);
  });
}

/** https://github.com/jshttp/http-errors#error-properties */
interface SendError extends Error {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/** As far as `send` has prepared a response, which is not sent. */
function clearHeaders(response: ServerResponse): void {
  if (response.headersSent) return;
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.statusCode = 200;
}

/** `GET /api/gamedata/move/ 200 12240 B 0.4 ms`, with the size of the body. */
export function logRequest(
  request: IncomingMessage,
  response: ServerResponse,
  print: (line: string) => void,
): void {
  const started = performance.now();
  response.on('close', () => {
    const { method, url } = request;
    const { statusCode, writableFinished } = response;
    const hasBody = method !== 'HEAD' && statusCode !== 304 && statusCode !== 204;
    const bytes = hasBody ? (response.getHeader('Content-Length') ?? 0) : 0;
    const took = (performance.now() - started).toFixed(1);
    const end = writableFinished ? '' : ', cut off';
    print(printable(`${method} ${url} ${statusCode} ${bytes} B ${took} ms${end}`));
  });
}
