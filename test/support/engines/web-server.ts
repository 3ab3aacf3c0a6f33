/** A function from a request to its answer, behind a real server on a free port of loopback. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../loopback.ts';
import type { RunningEngine } from './engine.ts';

export type Answer = (request: Request) => Promise<Response>;

/** @param base the path of the base URL */
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
  // Only the path is of interest, and it must not be read as an address of its own: `//host/path` is a path.
  const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`;
  const {
    status,
    headers: fields,
    body,
  } = await answer(new Request(url, { method: incoming.method ?? 'GET', headers }));
  outgoing.writeHead(status, Object.fromEntries(fields));
  outgoing.end(body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer()));
}
