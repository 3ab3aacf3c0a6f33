/** Serving: a built site, the whole contract, over HTTP. */

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { MANIFEST_FILE, META_FILE, type Meta, metaSchema } from './contract/meta.ts';
import { OutputError, UsageError } from './errors.ts';
import { logRequest } from './server/access-log.ts';
import { createEditions } from './server/edition.ts';
import { exchange } from './server/exchange.ts';
import { createBoundedServer, defaultLimits, type Limits } from './server/server.ts';

export interface ServeOptions {
  /** The folder of the site. Default `build`. */
  readonly dir?: string | undefined;
  /** The port to listen on; 0 takes a free one. Default 3000. */
  readonly port?: number | undefined;
  /** The IP address to listen on, or `localhost`. Default 127.0.0.1, which only this machine reaches. */
  readonly listen?: string | undefined;
  /** Gets one line for each request when it is over. */
  readonly onRequest?: ((line: string) => void) | undefined;
  /** Gets one line for each request that could not be answered. Default: nobody. */
  readonly onProblem?: ((line: string) => void) | undefined;
  /** What a client may take. */
  readonly limits?: Partial<Limits> | undefined;
}

/** A site that is being served. */
export interface SiteServer {
  /** Where it is served, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** What the site says of itself. */
  readonly meta: Meta;
  /** Takes no new request, lets running answers end (for at most five seconds), and resolves when all is closed. */
  close(): Promise<void>;
}

/** The most bytes of the API's files that are kept in memory. A site of ten times today's size has less. */
const MAX_BYTES = 64 * 1024 * 1024;
const LOOK_MS = 1000;

/**
 * Serves a built site. A build that replaces the site meanwhile is noticed within about a second.
 *
 * @throws UsageError where an option cannot be used
 * @throws OutputError where the folder holds no built site, or the address cannot be listened on
 */
export async function serve(options: ServeOptions = {}): Promise<SiteServer> {
  const { dir = 'build', onRequest, onProblem = () => {} } = options;
  const port = checkPort(options.port ?? 3000);
  const address = checkListen(options.listen ?? '127.0.0.1');
  const meta = readSite(dir);
  const withEdition = createEditions(dir, { maxBytes: MAX_BYTES, lookMs: LOOK_MS });
  const server = createBoundedServer(
    (request, response) => {
      if (onRequest) logRequest(request, response, onRequest);
      void exchange(request, response, { withEdition, onProblem });
    },
    { ...defaultLimits, ...options.limits },
  );
  const bound = await server.listen(port, address);
  return { url: `http://${reachable(bound.address)}:${bound.port}`, meta, close: server.stop };
}

function readSite(dir: string): Meta {
  try {
    readFileSync(path.join(dir, MANIFEST_FILE));
    return metaSchema.parse(JSON.parse(readFileSync(path.join(dir, META_FILE), 'utf8')));
  } catch (cause) {
    throw new OutputError('holds no site that this version of gamedata built', dir, {
      cause,
      hint: 'Build one with gamedata build, or name the folder of one: gamedata serve <dir>.',
    });
  }
}

function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port: got ${port}, expected a whole number from 0 to 65535`);
}

function checkListen(address: string): string {
  if (isIP(address) !== 0 || address === 'localhost') return address;
  throw new UsageError(
    `--listen: got ${JSON.stringify(address)}, expected an IP address of this machine, or localhost`,
  );
}

/** An address that can be put into a browser: what stands for all addresses leads nowhere. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIP(address) === 6 ? `[${address}]` : address;
}
