/**
 * Cloudflare: a Worker around the site's static assets. Its own `_redirects` cannot look at a query, so every request
 * goes to the Worker, and the Worker is the handler: https://developers.cloudflare.com/workers/static-assets/
 */

import type { SiteFile } from '../contract/site.ts';
import type { Host } from './host.ts';

const WORKER = '_worker.js';
const CONFIGURATION = 'wrangler.jsonc';

export const cloudflare: Host = {
  summary: 'a Worker around the files: the whole contract',
  cannot: [],
  files: ({ handlerModule }) => [
    { path: WORKER, body: `${handlerModule()}${worker}` },
    { path: CONFIGURATION, body: `${JSON.stringify(configuration, null, 2)}\n` },
    privateFiles,
  ],
};

/** The binding is the same for all requests of an isolate, so one handler serves them all and keeps its pages. */
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

/** What is not uploaded as an asset: these files, other hosts' of the same kind, and what wrangler leaves behind. */
const privateFiles: SiteFile = {
  path: '.assetsignore',
  body: [WORKER, CONFIGURATION, '_edge', '.wrangler', 'node_modules', ''].join('\n'),
};
