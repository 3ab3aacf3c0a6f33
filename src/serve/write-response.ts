/** Writes responses, and errors on connections that do not speak HTTP. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorBody } from '../contract/errors.ts';
import { apiHeaders, commonHeaders, errorHeaders } from '../contract/headers.ts';
import { errorCode } from '../errors.ts';
import type { PlainResponse } from './handler/index.ts';

/** How long and how much of an unwanted request body is read, so that the client can read the response. */
const LINGER_MS = 500;
const LINGER_BYTES = 1_000_000;

/** Node does not tell headers that were written at once. */
const lengths = new WeakMap<ServerResponse, string | undefined>();

/** The `Content-Length` of a response, once it has been written. */
export const lengthOf = (response: ServerResponse): number =>
  Number(lengths.get(response) ?? response.getHeader('Content-Length') ?? 0);

export async function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: PlainResponse,
): Promise<void> {
  const isRedirect = status >= 300 && status !== 304 && body === null && request.method !== 'HEAD';
  // All at once, which takes a quarter less time than one after the other.
  response.writeHead(status, {
    ...headers,
    ...(isRedirect && { 'Content-Length': '0' }),
    ...(hasBody(request) && { Connection: 'close' }),
  });
  lengths.set(response, headers['Content-Length']);
  if (body && !(body instanceof Uint8Array)) {
    await pipeline(body, response).catch((error: unknown) => {
      // The client has gone.
      if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  } else if (hasBody(request)) {
    if (body) {
      response.write(body);
      await linger(request);
    }
    response.end();
  } else {
    response.end(body);
  }
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;

/** Closing at once would reset the connection, and the client might lose the response. */
function linger(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LINGER_BYTES) {
        request.pause();
        resolve();
      }
    });
    request.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

type ErrorStatus = 400 | 405 | 408 | 412 | 416 | 417 | 431 | 500 | 503;

/** An error outside the handler's responsibility. */
export function errorResponse(
  status: ErrorStatus,
  extra: Record<string, string> = {},
): PlainResponse & { body: Uint8Array<ArrayBuffer> } {
  const body = new TextEncoder().encode(errorBody(`${STATUS_CODES[status]}.`));
  const headers = {
    ...commonHeaders,
    ...apiHeaders,
    ...errorHeaders,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...extra,
  };
  return { status, headers, body };
}

/** Writes an error to a raw connection and closes it. */
export function refuseConnection(socket: Duplex, status: ErrorStatus): void {
  const { headers, body } = errorResponse(status, { Connection: 'close' });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n${new TextDecoder().decode(body)}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
