/** The handler in the test's own process, over the site's files in memory. */

import { createHandler } from '../../../src/serve/handler/index.ts';
import type { Engine } from './engine.ts';
import { basePathOf, readSite, storeOf } from './site-folder.ts';
import { startWebServer } from './web-server.ts';

export const handler: Engine = {
  name: 'handler',
  missing: () => undefined,
  start: (site) => {
    const base = basePathOf(site);
    return startWebServer(createHandler(storeOf(readSite(site)), base), base);
  },
};
