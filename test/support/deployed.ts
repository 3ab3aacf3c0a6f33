import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Responder, startServer } from './local-server.ts';

export async function deploy(folder: string) {
  /** The responses that replace files, by path. */
  const faults = new Map<string, Responder>();
  const server = await startServer((response, request, at) => {
    const { pathname } = new URL(request.url ?? '/', 'http://deployed.test');
    const name = decodeURIComponent(pathname.slice(1));
    const fault = faults.get(name);
    if (fault) return fault(response, request, at);
    const file = path.join(folder, name);
    if (existsSync(file) && statSync(file).isFile()) {
      response.end(readFileSync(file));
    } else response.writeHead(404).end('not here');
  });
  /** Returns the requested paths without their first slash. */
  const paths = (): string[] =>
    server.requests.map((request) => request.path.slice(1));
  return { ...server, paths, faults };
}
