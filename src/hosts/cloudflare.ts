/**
 * Cloudflare: static assets, and a Worker for the API, which `_redirects` could not serve, as it cannot match a query. The
 * Worker is the handler: https://developers.cloudflare.com/workers/static-assets/
 */

import { DOCS_PATH, pathOf } from '../contract/paths.ts';
import { headersFile } from './cdn-files.ts';
import type { Host, HostContext } from './host.ts';

const WORKER = '_worker.js';
const CONFIGURATION = 'wrangler.jsonc';

export const cloudflare: Host = {
  unsupported: [],
  files: (context) => {
    const base = pathOf(context.baseUrl);
    // Assets are served at their own paths only: no page without its name, and none below a base path.
    const pages = ['/', DOCS_PATH].map((path) => `${base}${path} ${path}index.html 200\n`);
    const below = base === '' ? [] : [`${base}/* /:splat 200\n`];
    // Not uploaded as assets: configuration of this and other hosts, and wrangler's working files.
    const hidden = [WORKER, CONFIGURATION, '_edge', '_hosts', '.htaccess', '.wrangler', 'node_modules'];
    return [
      {
        path: WORKER,
        body: `${context.handlerModule()}\nexport default createWorker(${JSON.stringify(base)});\n`,
      },
      { path: CONFIGURATION, body: `${JSON.stringify(configuration(context, base), null, 2)}\n` },
      headersFile(context),
      { path: '_redirects', body: [...pages, ...below].join('') },
      { path: '.assetsignore', body: `${hidden.join('\n')}\n` },
    ];
  },
};

/** https://developers.cloudflare.com/workers/wrangler/configuration/ */
const configuration = ({ routes: { prefix, icons } }: HostContext, base: string) => ({
  name: 'gamedata',
  main: WORKER,
  compatibility_date: '2026-04-01',
  assets: {
    directory: '.',
    binding: 'ASSETS',
    // Every call of the Worker counts, those for assets do not. Icons that are no asset are redirected by the Worker.
    run_worker_first: [
      `${base}${prefix.replace('gamedata/', '*')}`,
      ...(icons.upstream === null ? [] : [`${base}${icons.path}*`]),
    ],
    html_handling: 'none',
    not_found_handling: 'none',
  },
});
