/** Writes responses, and errors on connections that do not speak HTTP. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorResponse, type PlainResponse } from './handler/index.ts';

/** How long and how much of an unwanted request body is read, so that the client can read the response. */
const LINGER_MS = 500;
const LINGER_BYTES = 1_000_000;

export async function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: PlainResponse,
): Promise<void> {
  response.statusCode = status;
  response.setHeaders(new Map(Object.entries(headers)));
  if (hasBody(request)) {
    response.setHeader('Connection', 'close');
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

/** An error outside the handler's responsibility. */
export function serverError(status: number, extra: Readonly<Record<string, string>> = {}): PlainResponse {
  const error = errorResponse({ method: 'GET' }, status, `${STATUS_CODES[status]}.`);
  return { ...error, headers: { ...error.headers, ...extra } };
}

/** Writes an error to a raw connection and closes it. */
export function refuseConnection(socket: Duplex, status: number): void {
  const { headers, body } = serverError(status, { Connection: 'close' });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n`);
  socket.end(body);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
