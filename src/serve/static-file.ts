/** Files outside the API: small ones compressed, if the client can, others streamed by a library, with ranges. */

import { fstatSync, type ReadStream, type Stats } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import send from 'send';
import { bulkFiles, type CompressedExtension, compressedExtensions } from '../contract/paths.ts';
import {
  type Compress,
  isCompressible,
  MIN_BYTES,
  negotiateEncoding,
  respondCompressed,
} from './compression.ts';
import { findFile } from './folder-store.ts';
import { fileHeaders, fileResponse, type PlainRequest, type PlainResponse } from './handler/index.ts';
import type { Release } from './release.ts';
import { errorResponse, hasBody, writeResponse } from './write-response.ts';

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
  if (encoding === undefined || request.headers.range !== undefined || !isCompressible(fileHeaders(file)))
    return undefined;
  const found = bulkFiles.includes(file) ? undefined : await findFile(folder, file);
  if (!found || found.bytes < MIN_BYTES || found.bytes > MAX_PACKED_BYTES) return undefined;
  const asset = await files.get(file);
  if (!asset) return undefined;
  return respondCompressed(plain, compress, encoding, (asked) => fileResponse(asked, asset, file));
}

/** `Content-Encoding` → the extension of the copy that a build makes. */
const copies: Readonly<Record<string, CompressedExtension>> = { br: 'br', gzip: 'gz' };

/** The file that is sent: the compressed copy of a bulk file, if the client prefers one; undefined if there is none. */
async function findSent(
  request: IncomingMessage,
  folder: string,
  file: string,
): Promise<{ sent: string; encoding?: string } | undefined> {
  const isPacked = compressedExtensions.some((extension) => file.endsWith(`.${extension}`));
  if (bulkFiles.includes(file) && !isPacked) {
    const encoding = negotiateEncoding(request, Object.keys(copies));
    const sent = encoding && `${file}.${copies[encoding]}`;
    if (sent && (await findFile(folder, sent))) return { sent, encoding };
  }
  return (await findFile(folder, file)) ? { sent: file } : undefined;
}

/** Sends a file; false if the site does not have it. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  release: Release,
  file: string,
): Promise<boolean> {
  const { folder } = release;
  if (hasBody(request)) response.setHeader('Connection', 'close');
  const found = await findSent(request, folder, file);
  if (!found) return false;
  const { sent, encoding } = found;
  refuseWeakRange(request);
  // `fetch` adds this to every request with If-None-Match. It is meant for caches on the way
  // (https://www.rfc-editor.org/rfc/rfc9111#name-no-cache), but send would ignore the ETag because of it.
  delete request.headers['cache-control'];
  return new Promise((resolve, reject) => {
    response.on('close', () => resolve(true));
    const stream = send(request, `/${sent}`, { root: folder, index: false });
    let described: Stats | undefined;
    stream.on('file', (_: string, stat: Stats) => {
      described = stat;
    });
    stream.on('stream', (bytes: ReadStream) => {
      bytes.once('open', (descriptor) => {
        if (described && isSame(described, fstatSync(descriptor))) return;
        // A build has replaced the file since its headers were made: nothing has been sent, so all is done again.
        bytes.unpipe(response).destroy();
        clearHeaders(response);
        response.statusCode = 200;
        resolve(sendFile(request, response, release, file));
      });
    });
    stream.on('headers', () => {
      const headers = fileHeaders(file);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (isCompressible(headers)) response.setHeader('Vary', 'Accept-Encoding');
      if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    });
    stream.on('error', (error: SendError) => {
      const { status } = error;
      if (status === 404) resolve(false);
      else if (status !== 412 && status !== 416) reject(error);
      else {
        clearHeaders(response);
        writeResponse(request, response, errorResponse(status, error.headers)).catch(reject);
      }
    });
    stream.pipe(response);
  });
}

/** Ranges need a strong validator, and those of files are weak: https://www.rfc-editor.org/rfc/rfc9110#name-if-range */
function refuseWeakRange({ headers }: IncomingMessage): void {
  if (headers['if-range']?.toString().includes('"')) delete headers.range;
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
