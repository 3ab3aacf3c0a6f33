/** Files outside the API: streamed by a library, with ranges and conditional requests. */

import { fstatSync, type ReadStream, type Stats } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import send from 'send';
import { fileHeaders } from '../handler/index.ts';
import { findFile } from './folder-store.ts';
import type { Release } from './release.ts';
import { errorResponse, hasBody, writeResponse } from './write-response.ts';

/** Sends a file; false if the site does not have it. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  release: Release,
  file: string,
): Promise<boolean> {
  const { folder } = release;
  if (hasBody(request)) response.setHeader('Connection', 'close');
  if (!(await findFile(folder, file))) return false;
  // `fetch` adds this to every request with If-None-Match. It is meant for caches on the way
  // (https://www.rfc-editor.org/rfc/rfc9111#name-no-cache), but send would ignore the ETag because of it.
  delete request.headers['cache-control'];
  return new Promise((resolve, reject) => {
    response.on('close', () => resolve(true));
    const stream = send(request, `/${file}`, { root: folder, index: false });
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
      for (const [name, value] of Object.entries(fileHeaders(file))) response.setHeader(name, value);
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
