/** Files that are no part of the API: streamed, with ranges and validators, by a library. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import send from 'send';
import { fileHeaders } from '../handler/index.ts';
import type { Edition } from './edition.ts';
import { findFile } from './folder-store.ts';
import { errorAnswer, writeAnswer } from './write.ts';

/** Sends a file; false where the site has none of that name. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { folder }: Edition,
  file: string,
): Promise<boolean> {
  if (!(await findFile(folder, file))) return false;
  // A program that sends If-None-Match by `fetch` sends this too, for the caches on its way
  // (https://www.rfc-editor.org/rfc/rfc9111#name-no-cache): we are none, and what it has is what there is.
  delete request.headers['cache-control'];
  return new Promise((resolve, reject) => {
    response.on('close', () => resolve(true));
    const stream = send(request, `/${file}`, { root: folder, index: false });
    stream.on('headers', () => {
      for (const [name, value] of Object.entries(fileHeaders(file))) response.setHeader(name, value);
    });
    stream.on('error', (error: SendError) => {
      const { status } = error;
      if (status === 404) resolve(false);
      else if (status !== 412 && status !== 416) reject(error);
      else {
        for (const name of response.getHeaderNames()) response.removeHeader(name);
        writeAnswer(request, response, errorAnswer(status, error.headers)).catch(reject);
      }
    });
    stream.pipe(response);
  });
}

/** https://github.com/jshttp/http-errors#error-properties */
interface SendError extends Error {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}
