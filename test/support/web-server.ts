/** A function from Request to Response behind a real HTTP server on loopback. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Handler } from '../../src/serve/handler/index.ts';
import type { RunningEngine } from './engines/engine.ts';

export async function serveHandler(handler: Handler): Promise<RunningEngine> {
  const server = createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = new Request(new URL(incoming.url ?? '/', 'http://127.0.0.1'), {
    method: incoming.method ?? 'GET',
    headers: new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
  });
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
