import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type Client,
  type ClientOptions,
  createClient,
} from '../../src/upstream/client.ts';
import { listen } from './loopback.ts';

/** Sends a response. `at` is the request's number, starting at 1. */
export type Responder = (
  response: ServerResponse,
  request: IncomingMessage,
  at: number,
) => void;

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** In milliseconds since 1970. */
  readonly time: number;
}

export interface LocalServer {
  readonly url: string;
  readonly port: number;
  /** Tests may remove requests that they have checked. */
  readonly requests: ReceivedRequest[];
  /** The number of connections, and the maximum of concurrent requests. */
  readonly seen: { readonly connections: number; readonly busiest: number };
  close(): Promise<void>;
}

/** Starts a server that stops when the test ends. */
export async function startServer(respond: Responder): Promise<LocalServer> {
  const requests: ReceivedRequest[] = [];
  const seen = { connections: 0, busiest: 0 };
  let openRequests = 0;
  const server = createServer((request, response) => {
    openRequests += 1;
    seen.busiest = Math.max(seen.busiest, openRequests);
    response.on('close', () => {
      openRequests -= 1;
    });
    const { url: path = '', headers } = request;
    requests.push({ path, headers, time: Date.now() });
    respond(response, request, requests.length);
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  const { url, port, stop: close } = await listen(server);
  onTestFinished(close);
  return { url, port, requests, seen, close };
}

/**
 * Returns a URL that refuses connections: its port belongs to a client's connection,
 * so no server can use it.
 */
export async function deserted(): Promise<string> {
  const { port } = await startServer((response) => response.end());
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  return `http://127.0.0.1:${socket.localPort}`;
}

/** Tries again almost immediately. */
export function testClient(options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ concurrency: 4, retryBaseMs: 1, ...options });
  onTestFinished(() => client.close());
  return client;
}

type Headers = Record<string, string>;
type Answer = (response: ServerResponse) => void;

export const ok: Answer = (response) => response.end('{"ok":true}');

export function status(code: number, headers: Headers = {}): Answer {
  return (response) => {
    response.writeHead(code, headers);
    response.end('{}');
  };
}

export function body(content: string | Buffer, headers: Headers = {}): Answer {
  return (response) => {
    response.writeHead(200, headers);
    response.end(content);
  };
}

export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
