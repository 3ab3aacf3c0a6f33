/**
 * A Worker serves the API, because `_redirects` cannot match a query. All other
 * files are static assets: https://developers.cloudflare.com/workers/static-assets/
 */

import {
  DOCS_PATH,
  getBasePath,
  ICONS_PATH,
  WORK_FOLDER,
} from '../contract/paths.ts';
import { quoteArgument } from '../contract/words.ts';
import { createHeadersFile } from './headers-file.ts';
import { type Host, type HostContext, REDIRECTS_FILE } from './host.ts';

const WORKER = '_worker.js';
const CONFIGURATION = 'wrangler.jsonc';

/**
 * Files that Cloudflare must not upload as assets: host configuration, and wrangler's
 * working files.
 */
const hidden = [
  WORKER,
  CONFIGURATION,
  '_edge',
  '_hosts',
  '.htaccess',
  '.wrangler',
  WORK_FOLDER,
  'node_modules',
];

export const cloudflare: Host = {
  unsupported: ['compression'],
  configFiles: [CONFIGURATION],
  redirectsDialect: 'cloudflare',
  baseUrlHint:
    'Set BASE_URL in the Worker: Settings → Build → Build variables and secrets.',
  nextStep: (folder) => `cd ${quoteArgument(folder)} && npx wrangler deploy`,
  createFiles: (context) => {
    const base = getBasePath(context.baseUrl);
    const entry = `export default createWorker(${JSON.stringify(base)});`;
    const worker = `${context.handlerModule()}\n${entry}\n`;
    const configuration = JSON.stringify(
      createConfiguration(context, base),
      null,
      2,
    );
    return [
      { path: WORKER, body: worker },
      { path: CONFIGURATION, body: `${configuration}\n` },
      createHeadersFile(context),
      { path: REDIRECTS_FILE, body: createRedirectRules(base).join('') },
      { path: '.assetsignore', body: `${hidden.join('\n')}\n` },
    ];
  },
};

/**
 * Creates rewrites for index pages and for the base path, because Cloudflare serves
 * each asset only at its own path.
 */
function createRedirectRules(base: string): string[] {
  const rules = ['/', DOCS_PATH].map(
    (path) => `${base}${path} ${path}index.html 200\n`,
  );
  if (base !== '') rules.push(`${base}/* /:splat 200\n`);
  return rules;
}

/**
 * Creates wrangler's configuration file:
 * https://developers.cloudflare.com/workers/wrangler/configuration/
 */
function createConfiguration({ iconRedirect }: HostContext, base: string): object {
  // Only API requests go through the Worker, because Worker calls are billed and
  // requests for assets are free.
  const handledByWorker = [`${base}/api/*`];
  // The Worker also redirects icons that the site does not contain.
  if (iconRedirect !== null) handledByWorker.push(`${base}${ICONS_PATH}*`);
  return {
    name: 'gamedata',
    main: WORKER,
    compatibility_date: '2026-04-01',
    assets: {
      directory: '.',
      binding: 'ASSETS',
      run_worker_first: handledByWorker,
      html_handling: 'none',
      not_found_handling: 'none',
    },
  };
}
