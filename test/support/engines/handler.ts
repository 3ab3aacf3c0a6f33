import { createHandler } from '../../../src/serve/handler/index.ts';
import type { Engine } from './engine.ts';
import { basePathOf, readSite } from './site-folder.ts';
import { startWebServer } from './web-server.ts';

/** The request handler in the process of the test. */
export const handler: Engine = {
  name: 'handler',
  missing: () => undefined,
  start(site) {
    const files = readSite(site);
    const base = basePathOf(site);
    return startWebServer(createHandler({ get: async (file) => files.get(file) }, base), base);
  },
};
