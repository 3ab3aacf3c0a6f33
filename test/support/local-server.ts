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
  type ClientOptions,
  createClient,
  type HttpClient,
} from '../../src/http/client.ts';
import { listen } from './loopback.ts';

/** `at` counts the requests from 1. */
export type Responder = (
  response: ServerResponse,
  request: IncomingMessage,
  at: number,
) => void;

export async function startServer(answer: Responder) {
  const requests: { path: string; headers: IncomingHttpHeaders; time: number }[] =
    [];
  /** The number of connections, and the maximum of concurrent requests. */
  const seen = { connections: 0, busiest: 0 };
  let open = 0;
  const server = createServer((request, response) => {
    seen.busiest = Math.max(seen.busiest, ++open);
    response.on('close', () => open--);
    const { url: path = '', headers } = request;
    answer(response, request, requests.push({ path, headers, time: Date.now() }));
  });
  server.on('connection', () => seen.connections++);
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

/** Retries twice, almost immediately. */
export function testClient(options: Partial<ClientOptions> = {}): HttpClient {
  const client = createClient({
    concurrency: 4,
    retries: 2,
    retryBaseMs: 1,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

type Answer = (response: ServerResponse) => void;

export const ok: Answer = (response) => response.end('{"ok":true}');

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end('{}');

export const body =
  (content: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(200, headers).end(content);

export const truncated: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"ok":');
  setTimeout(() => response.destroy(), 5);
};

export const reset: Answer = (response) => response.socket?.resetAndDestroy();
