/**
 * A Worker serves the API, because `_redirects` cannot match a query. Everything else is a static asset:
 * https://developers.cloudflare.com/workers/static-assets/
 */

import { DOCS_PATH, getBasePath, ICONS_PATH } from '../contract/paths.ts';
import { createHeadersFile } from './headers-file.ts';
import type { Host, HostContext } from './host.ts';

const WORKER = '_worker.js';
const CONFIGURATION = 'wrangler.jsonc';

export const cloudflare: Host = {
  unsupported: [],
  files: (context) => {
    const base = getBasePath(context.baseUrl);
    // Cloudflare serves assets only at their own paths, so index pages and the base path need rewrites.
    const pages = ['/', DOCS_PATH].map((path) => `${base}${path} ${path}index.html 200\n`);
    const below = base === '' ? [] : [`${base}/* /:splat 200\n`];
    // Host configuration and wrangler's working files are not assets.
    const hidden = [
      WORKER,
      CONFIGURATION,
      '_edge',
      '_hosts',
      '.htaccess',
      '.wrangler',
      'node_modules',
    ];
    return [
      {
        path: WORKER,
        body: `${context.handlerModule()}\nexport default createWorker(${JSON.stringify(base)});\n`,
      },
      {
        path: CONFIGURATION,
        body: `${JSON.stringify(createConfiguration(context, base), null, 2)}\n`,
      },
      createHeadersFile(context),
      { path: '_redirects', body: [...pages, ...below].join('') },
      { path: '.assetsignore', body: `${hidden.join('\n')}\n` },
    ];
  },
};

/** https://developers.cloudflare.com/workers/wrangler/configuration/ */
const createConfiguration = ({ iconRedirect }: HostContext, base: string) => ({
  name: 'gamedata',
  main: WORKER,
  compatibility_date: '2026-04-01',
  assets: {
    directory: '.',
    binding: 'ASSETS',
    // Worker calls are billed, but requests for assets are free. The Worker redirects icons that the site lacks.
    run_worker_first: [
      `${base}/api/*`,
      ...(iconRedirect === null ? [] : [`${base}${ICONS_PATH}*`]),
    ],
    html_handling: 'none',
    not_found_handling: 'none',
  },
});
