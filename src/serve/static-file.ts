/** Files outside the API: small ones compressed, if the client can, others streamed by a library, with ranges. */

import { fstatSync, type ReadStream, type Stats } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import send from 'send';
import { bulkFiles } from '../contract/files.ts';
import { isCompressible, mediaTypeOf } from '../contract/headers.ts';
import type { CompressedExtension } from '../contract/paths.ts';
import { type Compress, type Encoding, MIN_BYTES, negotiateEncoding } from './compression.ts';
import { fileHeaders, fileResponse, type PlainRequest, type PlainResponse } from './handler/index.ts';
import { findFile, type Release } from './release.ts';
import { hasBody, serverError, writeResponse } from './write-response.ts';

/** Larger files are sent as they are, unless the site has a compressed copy. */
const MAX_PACKED_BYTES = 8 * 1024 * 1024;

/** The file as it is sent to clients that accept compressed responses; undefined if it is sent as it is. */
export async function packedFile(
  request: IncomingMessage,
  plain: PlainRequest,
  { folder, files }: Release,
  { file, compress }: { file: string; compress: Compress },
): Promise<PlainResponse | undefined> {
  const encoding = negotiateEncoding(request);
  const isWhole = request.headers.range === undefined;
  if (!encoding || !isWhole || !isCompressible(mediaTypeOf(file)) || bulkFiles.includes(file))
    return undefined;
  const found = await findFile(folder, file);
  if (!found || found.bytes < MIN_BYTES || found.bytes > MAX_PACKED_BYTES) return undefined;
  const asset = await files.get(file);
  return asset && compress(encoding, plain, (asked) => fileResponse(asked, asset, file));
}

/** The extension of the copy that a build makes of a bulk file. */
const copies: Readonly<Record<Encoding, CompressedExtension>> = { br: 'br', gzip: 'gz' };

/** Sends a file, of a bulk file the compressed copy that the client prefers; false if the site does not have it. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { folder }: Pick<Release, 'folder'>,
  file: string,
): Promise<boolean> {
  const encoding = bulkFiles.includes(file) ? negotiateEncoding(request) : undefined;
  const copy = encoding && `${file}.${copies[encoding]}`;
  const sent = copy && (await findFile(folder, copy)) ? copy : file;
  const found = await findFile(folder, sent);
  if (!found) return false;
  // A suffix that is longer is the whole file: https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2
  const [, suffix] = /^bytes=-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (Number(suffix) > found.bytes) delete request.headers.range;
  // Ranges need a strong validator, and those of files are weak: https://www.rfc-editor.org/rfc/rfc9110#name-if-range
  if (request.headers['if-range']?.toString().includes('"')) delete request.headers.range;
  // `fetch` adds this to every request with If-None-Match. It is meant for caches on the way
  // (https://www.rfc-editor.org/rfc/rfc9111#name-no-cache), but send would ignore the ETag because of it.
  delete request.headers['cache-control'];
  return new Promise((resolve, reject) => {
    response.on('close', () => resolve(true));
    const stream = send(request, `/${sent}`, { root: folder, index: false });
    let described: Stats | undefined;
    stream.on('headers', (_: ServerResponse, __: string, stat: Stats) => {
      described = stat;
      response.setHeaders(new Map(Object.entries(fileHeaders(file))));
      if (isCompressible(mediaTypeOf(file))) response.setHeader('Vary', 'Accept-Encoding');
      if (encoding && sent === copy) response.setHeader('Content-Encoding', encoding);
      if (hasBody(request)) response.setHeader('Connection', 'close');
    });
    stream.on('stream', (bytes: ReadStream) => {
      bytes.once('open', (descriptor) => {
        if (described && isSame(described, fstatSync(descriptor))) return;
        // A build has replaced the file since its headers were made: nothing has been sent, so all is done again.
        bytes.unpipe(response).destroy();
        clearHeaders(response);
        response.statusCode = 200;
        resolve(sendFile(request, response, { folder }, file));
      });
    });
    stream.on('error', (error: SendError) => {
      const { status } = error;
      if (status === 404) resolve(false);
      else if (status !== 412 && status !== 416) reject(error);
      else {
        clearHeaders(response);
        writeResponse(request, response, serverError(status, error.headers)).catch(reject);
      }
    });
    stream.pipe(response);
  });
}

const isSame = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

function clearHeaders(response: ServerResponse): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
}

/** https://github.com/jshttp/http-errors#error-properties */
interface SendError extends Error {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}
