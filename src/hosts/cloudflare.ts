/**
 * Cloudflare: a Worker with static assets. `_redirects` cannot match a query, so every request goes to the Worker, which
 * is the handler: https://developers.cloudflare.com/workers/static-assets/
 */

import type { SiteFile } from '../contract/site-file.ts';
import type { Host } from './host.ts';

const WORKER = '_worker.js';
const CONFIGURATION = 'wrangler.jsonc';

export const cloudflare: Host = {
  summary: 'a Worker with static assets: the whole contract',
  unsupported: [],
  files: ({ handlerModule }) => [
    { path: WORKER, body: `${handlerModule()}${worker}` },
    { path: CONFIGURATION, body: `${JSON.stringify(configuration, null, 2)}\n` },
    privateFiles,
  ],
};

/** All requests of an isolate share one handler, and its cache of pages. */
const worker = `
let handler;

export default {
  fetch(request, env) {
    handler ??= createHandler(createFetchStore((file) => env.ASSETS.fetch(\`https://assets.local/\${file}\`)));
    return handler(request);
  },
};
`;

/** https://developers.cloudflare.com/workers/wrangler/configuration/ */
const configuration = {
  name: 'gamedata',
  main: WORKER,
  compatibility_date: '2026-04-01',
  assets: {
    directory: '.',
    binding: 'ASSETS',
    run_worker_first: true,
    html_handling: 'none',
    not_found_handling: 'none',
  },
};

/** Not uploaded as assets: configuration of this and other hosts, and wrangler's working files. */
const privateFiles: SiteFile = {
  path: '.assetsignore',
  body: [WORKER, CONFIGURATION, '_edge', '.wrangler', 'node_modules', ''].join('\n'),
};
