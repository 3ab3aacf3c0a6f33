/** The HTTP server: bounds on what clients may take, and an orderly end. */

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode, OutputError } from '../errors.ts';
import { refuseConnection } from './write.ts';

/** Times are milliseconds. */
export interface Limits {
  /** For the head of a request to arrive, counted from the connection or the request before. */
  readonly headersMs: number;
  /** For a request to arrive whole. */
  readonly requestMs: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveMs: number;
  /** How long a client may let an answer lie without taking any of it. */
  readonly idleMs: number;
  /** How long running answers have when the server is to stop. */
  readonly stopMs: number;
  readonly headerBytes: number;
  readonly connections: number;
}

export const defaultLimits: Limits = {
  headersMs: 10_000,
  requestMs: 20_000,
  keepAliveMs: 10_000,
  idleMs: 30_000,
  stopMs: 5000,
  headerBytes: 16_384,
  connections: 4096,
};

export interface BoundedServer {
  /** @throws OutputError where the address cannot be listened on */
  listen(port: number, address: string): Promise<AddressInfo>;
  /** Takes no new connection, lets running answers end, and then closes every connection. */
  stop(): Promise<void>;
}

export function createBoundedServer(listener: RequestListener, limits: Limits): BoundedServer {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    maxHeaderSize: limits.headerBytes,
  });
  server.setTimeout(limits.idleMs);
  server.maxConnections = limits.connections;

  /** The answers that are not finished, and the last one of each connection. */
  const running = new Set<ServerResponse>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  /** Connections that are about to be closed for what they said. */
  const refused = new WeakSet<Duplex>();
  let stopping: Promise<void> | undefined;

  const onRequest: RequestListener = (request, response) => {
    running.add(response);
    latest.set(request.socket, response);
    response.on('close', () => {
      running.delete(response);
      if (stopping && running.size === 0) server.closeAllConnections();
    });
    if (stopping) response.setHeader('Connection', 'close');
    listener(request, response);
  };
  // Who asks whether to send a body gets the answer at once instead.
  server.on('request', onRequest).on('checkContinue', onRequest);
  server.on('connect', (_, socket) => refuseConnection(socket, 405));
  server.on('clientError', (error, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const refuse = (): void => refuseConnection(socket, refusals[errorCode(error)] ?? 400);
    // Answers keep the order of requests: a refusal comes after those that are still to be written.
    const before = latest.get(socket);
    if (!socket.writable) socket.destroy();
    else if (before && !before.writableFinished) before.on('finish', refuse);
    else refuse();
  });

  return {
    listen: (port, address) => listen(server, port, address),
    stop() {
      stopping ??= new Promise((resolve) => {
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

/** What Node's parser and clock find wrong: https://nodejs.org/docs/latest-v20.x/api/http.html#event-clienterror */
const refusals: Readonly<Record<string, 408 | 431>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What is wrong with an address that cannot be listened on, and what to do. */
const listenProblems: Readonly<Record<string, { problem: string; hint: string }>> = {
  EADDRINUSE: {
    problem: 'something else listens there already',
    hint: 'Stop it, or name another port with --port (0 takes a free one).',
  },
  EACCES: {
    problem: 'may not be listened on',
    hint: 'Ports below 1024 are for the system: name another with --port.',
  },
  EADDRNOTAVAIL: {
    problem: 'is no address of this machine',
    hint: 'Name one with --listen: 127.0.0.1 for this machine alone, 0.0.0.0 for everybody.',
  },
};

async function listen(server: Server, port: number, address: string): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, address, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    const code = errorCode(cause);
    const { problem = `cannot be listened on (${code})`, hint } = listenProblems[code] ?? {};
    throw new OutputError(problem, `${address} port ${port}`, { cause, hint });
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return bound;
}
