/** The HTTP server: limits for clients, errors of connections that do not speak HTTP, and a graceful shutdown. */

import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import pLimit, { type LimitFunction } from 'p-limit';
import { errorCode, OutputError } from '../errors.ts';
import type { PlainResponse } from './handler/request.ts';
import { errorResponse } from './handler/responses.ts';

/** Times are in milliseconds. */
export const defaultLimits = {
  /** For the headers of a request, from the connection or the end of the previous request. */
  headersMs: 10_000,
  /** For a complete request. */
  requestMs: 20_000,
  /** Between two requests on a connection. */
  keepAliveMs: 10_000,
  /** For a client that does not read the response. */
  idleMs: 30_000,
  /** For running responses when the server is stopped. */
  stopMs: 5000,
  headerBytes: 16_384,
  connections: 4096,
  /** Requests of a connection that wait for their turn. One with more is closed. */
  waiting: 100,
};
export type Limits = Readonly<typeof defaultLimits>;

export function createBoundedServer(listener: RequestListener, limits: Limits) {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    maxHeaderSize: limits.headerBytes,
    // Node's own response would have no body.
    requireHostHeader: false,
  });
  server.setTimeout(limits.idleMs);
  server.maxConnections = limits.connections;

  /** Unfinished responses, and the last one of each connection. */
  const running = new Set<ServerResponse>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  /** Connections about to be closed because of an error. */
  const refused = new WeakSet<Duplex>();
  let stopping: Promise<void> | undefined;

  /** Requests of a connection are handled one after the other, so that a long pipeline delays nobody else. */
  const queues = new WeakMap<Duplex, LimitFunction>();

  const inTurn =
    (handle: RequestListener): RequestListener =>
    async (request, response) => {
      const { socket } = request;
      const queue = queues.get(socket) ?? pLimit(1);
      queues.set(socket, queue);
      if (queue.pendingCount >= limits.waiting) socket.destroy();
      // The parser goes through what it has received to the end.
      if (socket.destroyed) return;
      running.add(response);
      latest.set(socket, response);
      await queue(async () => {
        // The client is gone, or an earlier response was the last one.
        if (!socket.writable) return;
        const closed = new Promise((resolve) => response.on('close', resolve));
        if (stopping) response.setHeader('Connection', 'close');
        handle(request, response);
        await closed;
      });
      running.delete(response);
      if (stopping && running.size === 0) server.closeAllConnections();
    };
  const refusing =
    (status: number): RequestListener =>
    (request, response) =>
      void writeResponse(request, response, serverError(status, { Connection: 'close' }));
  const onRequest = inTurn((request, response) =>
    (hasOneHost(request) ? listener : refusing(400))(request, response),
  );
  // `Expect: 100-continue` gets the final response at once.
  server
    .on('request', onRequest)
    .on('checkContinue', onRequest)
    .on('checkExpectation', inTurn(refusing(417)));
  server.on('connect', (_, socket) => refuseConnection(socket, 405));
  server.on('clientError', (error, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const refuse = (): void => refuseConnection(socket, clientErrors[errorCode(error)] ?? 400);
    // Responses keep the order of requests: the error comes after those still being written.
    const before = latest.get(socket);
    if (!socket.writable) socket.destroy();
    else if (before && !before.writableFinished) before.on('finish', refuse);
    else refuse();
  });

  return {
    /** @throws OutputError if the address is not available */
    listen: (port: number, address: string) => listen(server, port, address),
    /** Accepts no new connections, lets running responses finish, and closes every connection. */
    stop(): Promise<void> {
      stopping ??= new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), limits.stopMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        if (running.size === 0) server.closeAllConnections();
      });
      return stopping;
    },
  };
}

/** Required from HTTP/1.1 on, and never two: https://www.rfc-editor.org/rfc/rfc9112#name-host-header-field */
function hasOneHost({ headersDistinct, httpVersion }: IncomingMessage): boolean {
  const hosts = headersDistinct.host?.length ?? 0;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** Errors of Node's parser and timers: https://nodejs.org/docs/latest-v20.x/api/http.html#event-clienterror */
const clientErrors: Readonly<Record<string, 408 | 431>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Why an address is not available, and what to do. */
const listenProblems: Readonly<Record<string, { problem: string; hint: string }>> = {
  EADDRINUSE: {
    problem: 'is already in use',
    hint: 'Stop the other program, or choose another port with --port (0 picks a free one).',
  },
  EACCES: {
    problem: 'requires privileges to listen on',
    hint: 'Ports below 1024 are privileged: choose another with --port.',
  },
  EADDRNOTAVAIL: {
    problem: 'is not an address of this machine',
    hint: 'Choose one with --listen: 127.0.0.1 for this machine only, 0.0.0.0 for every network.',
  },
};

async function listen(server: Server, port: number, address: string): Promise<AddressInfo> {
  try {
    await once(server.listen(port, address), 'listening');
  } catch (cause) {
    const code = errorCode(cause);
    const { problem = `is not available (${code})`, hint } = listenProblems[code] ?? {};
    throw new OutputError(problem, `${address} port ${port}`, { cause, hint });
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return bound;
}

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
function refuseConnection(socket: Duplex, status: number): void {
  const { headers, body } = serverError(status, { Connection: 'close' });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n`);
  socket.end(body);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
