/** Serves a folder for one test like a plain host, with faults. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type LocalServer, type Responder, startServer } from './local-server.ts';

export interface Deployed extends LocalServer {
  /** Returns the requested paths without their first slash. */
  paths(): string[];
  /** Path → another response. */
  readonly faults: Map<string, Responder>;
}

export async function deploy(folder: string): Promise<Deployed> {
  const faults: Deployed['faults'] = new Map();
  const server = await startServer((response, request, at) => {
    const name = decodeURIComponent((request.url ?? '/').slice(1));
    const fault = faults.get(name);
    if (fault) return fault(response, request, at);
    const file = path.join(folder, name);
    if (existsSync(file) && statSync(file).isFile()) response.end(readFileSync(file));
    else response.writeHead(404).end('not here');
  });
  const paths = (): string[] => server.requests.map((request) => request.path.slice(1));
  return { ...server, paths, faults };
}
