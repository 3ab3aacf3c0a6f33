/**
 * Cloudflare: static assets, and a Worker for the API, which `_redirects` could not serve, as it cannot match a query. The
 * Worker is the handler: https://developers.cloudflare.com/workers/static-assets/
 */

import { DOCS_PATH, pathOf } from '../contract/paths.ts';
import type { RouteTable } from '../contract/routes.ts';
import { headersFile } from './cdn-files.ts';
import type { Host, HostContext, HostFile } from './host.ts';

const WORKER = '_worker.js';
const CONFIGURATION = 'wrangler.jsonc';

export const cloudflare: Host = {
  unsupported: [],
  files: (context) => [
    {
      path: WORKER,
      body: `${context.handlerModule()}\nexport default createWorker(${JSON.stringify(pathOf(context.baseUrl))});\n`,
    },
    { path: CONFIGURATION, body: `${JSON.stringify(configuration(context), null, 2)}\n` },
    headersFile(context),
    redirectsFile(context),
    privateFiles,
  ],
};

/** https://developers.cloudflare.com/workers/wrangler/configuration/ */
const configuration = ({ routes, baseUrl }: HostContext) => ({
  name: 'gamedata',
  main: WORKER,
  compatibility_date: '2026-04-01',
  assets: {
    directory: '.',
    binding: 'ASSETS',
    // Every call of the Worker counts, those for assets do not.
    run_worker_first: workerPaths(routes).map((path) => pathOf(baseUrl) + path),
    html_handling: 'none',
    not_found_handling: 'none',
  },
});

/** Below a base path, rules lead to all other assets; without one, icons that are no asset are the Worker's anyway. */
const workerPaths = ({ prefix, icons }: RouteTable): string[] => [
  prefix.replace('gamedata/', '*'),
  ...(icons.upstream === null ? [] : [`${icons.path}*`]),
];

/** Assets are served at their own paths only: no page without its name, and none below a base path. */
function redirectsFile({ baseUrl }: HostContext): HostFile {
  const base = pathOf(baseUrl);
  const pages = ['/', DOCS_PATH].map((path) => `${base}${path} ${path}index.html 200`);
  const rules = [...pages, ...(base === '' ? [] : [`${base}/* /:splat 200`])];
  return { path: '_redirects', body: `${rules.join('\n')}\n` };
}

/** Not uploaded as assets: configuration of this and other hosts, and wrangler's working files. */
const privateFiles: HostFile = {
  path: '.assetsignore',
  body: [WORKER, CONFIGURATION, '_edge', '_hosts', '.htaccess', '.wrangler', 'node_modules', ''].join('\n'),
};
