/** Servers on a port of loopback. */

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** Lets a server listen, by default on a free port. `stop` ends its connections too. */
export async function listen(server: Server, wanted = 0) {
  // On a busy machine, a client may be late with the next request of a connection that Node would end after 5 seconds.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, stop };
}

/** Serves the files of a folder, as plainly as can be. */
export const serveFolder = (folder: string) =>
  listen(
    createServer(async ({ url = '' }, response) => {
      const body = await readFile(path.join(folder, decodeURIComponent(url))).catch(() => undefined);
      response.writeHead(body ? 200 : 404).end(body);
    }),
  );
