/** Netlify with its rules alone. */

import type { Engine } from './engine.ts';
import { netlifySite } from './netlify-site.ts';
import { basePathOf } from './site-folder.ts';
import { startWebServer } from './web-server.ts';

export const netlifyRules: Engine = {
  name: 'Netlify by rules',
  host: 'netlify-rules',
  missing: () => undefined,
  start: async (site) => startWebServer(await netlifySite(site), basePathOf(site)),
};
