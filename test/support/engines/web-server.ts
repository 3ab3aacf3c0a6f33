import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../loopback.ts';
import type { RunningEngine } from './engine.ts';

export type Answer = (request: Request) => Promise<Response>;

/** Serves a function on a free port of loopback, below the path of a base URL. */
export async function startWebServer(answer: Answer, base = ''): Promise<RunningEngine> {
  const server = createServer((incoming, outgoing) => {
    respond(answer, incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(500).end(String(error instanceof Error ? error.stack : error));
    });
  });
  const { url, stop } = await listen(server);
  return { url: url + base, stop };
}

async function respond(answer: Answer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  // A string, because `new URL` would read the path `//host/path` as a host.
  const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`;
  const response = await answer(new Request(url, { method: incoming.method ?? 'GET', headers }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(new Uint8Array(await response.arrayBuffer()));
}
