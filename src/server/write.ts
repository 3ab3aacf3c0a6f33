/** Writing answers, and refusals to those who do not speak HTTP. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from '../contract/errors.ts';
import { commonHeaders } from '../contract/headers.ts';
import type { Answer } from '../handler/index.ts';

/** How much of a body that nobody wants is taken in after the answer, so that the client gets to read the answer. */
const LINGER_MS = 500;
const LINGER_BYTES = 1_000_000;

export async function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
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

/** Closing at once would reset the connection, and the client might lose the answer. */
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

type ErrorStatus = 400 | 405 | 408 | 412 | 416 | 431 | 500 | 503;

/** An error that the handler knows nothing of. */
export function errorAnswer(status: ErrorStatus, extra: Record<string, string> = {}): Answer {
  const body = new TextEncoder().encode(errorBody(`${STATUS_CODES[status]}.`));
  const headers = {
    ...commonHeaders,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...extra,
  };
  return { status, headers, body };
}

/** Answers on the bare connection and closes it. */
export function refuseConnection(socket: Duplex, status: ErrorStatus): void {
  const { headers, body } = errorAnswer(status, { Connection: 'close' });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n${new TextDecoder().decode(body ?? undefined)}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
