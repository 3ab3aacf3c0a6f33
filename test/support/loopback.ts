/** Servers on a port of loopback. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lets a server listen, by default on a free port. `stop` ends its connections too. */
export async function listen(server: Server, wanted = 0) {
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, stop };
}
