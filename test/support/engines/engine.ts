import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { getBasePath, META_FILE } from '../../../src/contract/paths.ts';
import { listFiles } from '../../../src/files.ts';
import type { HostName } from '../../../src/hosts/index.ts';
import { type Asset, createHandler } from '../../../src/serve/handler/index.ts';
import { listen } from '../loopback.ts';

/** A program that serves a built site. */
export interface Engine {
  readonly name: string;
  /** The host whose configuration the engine reads. */
  readonly host?: HostName | undefined;
  /**
   * The maximum number of concurrent requests, if more would make the engine slow.
   */
  readonly concurrency?: number;
  /**
   * Returns the reason why the engine cannot start, such as `nginx is not
   * installed`.
   */
  missing(): string | undefined;
  start(site: string): Promise<RunningEngine>;
}

export interface RunningEngine {
  /** `http://127.0.0.1:<port>` and the path of the site's base URL. */
  readonly url: string;
  stop(): Promise<void>;
}

function readBaseUrl(folder: string): string {
  const text = readFileSync(path.join(folder, META_FILE), 'utf8');
  return JSON.parse(text).base_url;
}

export function getSitePort(folder: string): number {
  const { protocol, port } = new URL(readBaseUrl(folder));
  return protocol === 'https:' || port === '' ? 80 : Number(port);
}

export function getSitePath(folder: string): string {
  return getBasePath(readBaseUrl(folder));
}

/** Reads all of a site's files, each with an ETag derived from its content. */
export function readSite(folder: string): Map<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const file of listFiles(folder)) {
    const body = new Uint8Array(readFileSync(path.join(folder, file)));
    const sha256 = createHash('sha256').update(body).digest('hex');
    assets.set(file, { body, etag: `"${sha256.slice(0, 32)}"` });
  }
  return assets;
}

export type Respond = (request: Request) => Promise<Response>;

/** Serves a function on a free port of loopback, below the path of a base URL. */
export async function startWebServer(
  respond: Respond,
  base = '',
): Promise<RunningEngine> {
  const server = createServer((incoming, outgoing) => {
    forward(respond, incoming, outgoing).catch((error: unknown) => {
      // The stack names the cause in the report of the failed test.
      const text = error instanceof Error ? error.stack : String(error);
      outgoing.writeHead(500).end(text);
    });
  });
  const { url, stop } = await listen(server);
  return { url: url + base, stop };
}

/** Translates a request and a response between Node's classes and those of the web. */
async function forward(
  respond: Respond,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const { method = 'GET', url: target = '/' } = incoming;
  const host = incoming.headers.host ?? 'localhost';
  // We join strings, because `new URL` would read the path `//host/path` as a host.
  const request = new Request(`http://${host}${target}`, { method, headers });
  const response = await respond(request);
  const body = new Uint8Array(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(body);
}

/** The request handler, run in the test process. */
export const handler: Engine = {
  name: 'handler',
  missing: () => undefined,
  start(site) {
    const files = readSite(site);
    const base = getSitePath(site);
    const respond = createHandler({ get: async (file) => files.get(file) }, base);
    return startWebServer(respond, base);
  },
};
