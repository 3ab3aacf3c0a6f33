/** Netlify with its rules alone. */

import type { Engine } from './engine.ts';
import { netlifySite } from './netlify-site.ts';
import { startWebServer } from './web-server.ts';

export const netlify: Engine = {
  name: 'Netlify',
  host: 'netlify',
  missing: () => undefined,
  start: async (site) => startWebServer(await netlifySite(site)),
};
