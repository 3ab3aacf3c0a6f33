import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a server on loopback, by default on a free port. `stop` also ends
 * connections.
 */
export async function listen(server: Server, wanted = 0) {
  // Node's default of 5 seconds is too short for clients on a busy machine.
  server.keepAliveTimeout = 60_000;
  await once(server.listen(wanted, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, stop };
}
