import { mediaTypes } from '../contract/responses.ts';
import type { Host } from './host.ts';
import { negotiationRules } from './request-patterns.ts';
import { fillTemplate } from './template.ts';
import * as webServer from './web-server.ts';

const CONFIGURATION = `${webServer.CONFIG_FOLDER}nginx.conf`;
const MOVED_MAP = `${webServer.CONFIG_FOLDER}nginx-moved.map`;

export const nginx: Host = {
  unsupported: webServer.unsupportedByWebServers,
  configuration: CONFIGURATION,
  nextStep: (folder) =>
    webServer.describeReload('nginx -s reload', folder, CONFIGURATION),
  createFiles: (context) => {
    const values = { ...webServer.createWebServerValues(context), ...ownValues };
    const text = fillTemplate(context.template('nginx.conf'), values);
    // Old paths are written as regular expressions, because nginx limits the length
    // of plain strings in maps.
    const moved = context.redirects.map(({ path, to }) => `'~^${path}$' ${to};\n`);
    return [
      {
        path: CONFIGURATION,
        body: nameVariables(text, `${values.root}:${values.base}`),
      },
      { path: MOVED_MAP, body: moved.join('') },
    ];
  },
};

/**
 * Adds a hash of the site to each variable's name, because all sites on an nginx
 * server share one set of variables.
 */
const nameVariables = (text: string, site: string): string =>
  text.replaceAll(/(?<=\$\{?)gamedata_/g, `gamedata_${shortHash(site)}_`);

/**
 * Computes an FNV-1a hash of up to 7 letters and digits. A longer hash could exceed
 * nginx's limit of 46 characters for variable names.
 */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash.toString(36);
}

const formatHeaders = webServer.createHeaderFormat((value) => {
  const mark = value.includes("'") ? '"' : "'";
  return mark + value + mark;
});

const { common, error, html, apiPage, preflight, download } = webServer.headerSets;
// Errors need a different `Cache-Control`, so a variable selects the value by the
// response's status.
const api = {
  ...webServer.headerSets.api,
  'Cache-Control': '$gamedata_api_caching',
};
const file = {
  ...webServer.headerSets.file,
  'Cache-Control': '$gamedata_file_caching',
};

// These types include the charset, because nginx does not add it to files that the
// build has compressed.
const types = Object.entries(mediaTypes).map(([ending, type]) => {
  // nginx looks only at the last extension of a file name such as `gamedata.tar.gz`.
  const extension = ending.split('.').at(-1);
  return `'${type}' ${extension}`;
});

const ownValues = {
  negotiation: negotiationRules.map(
    ({ accept, getsPage }) => `'~${accept}' ${getsPage ? '1' : "''"}`,
  ),
  apiHeaders: formatHeaders(common, api),
  pageHeaders: formatHeaders(common, api, html, {
    'Cache-Control': '$gamedata_page_caching',
  }),
  notFoundHeaders: formatHeaders(common, api, html, {
    'Cache-Control': file['Cache-Control'],
  }),
  fileHeaders: formatHeaders(common, file),
  htmlHeaders: formatHeaders(common, file, html),
  downloadHeaders: formatHeaders(common, download, {
    'Cache-Control': api['Cache-Control'],
  }),
  preflightHeaders: formatHeaders(common, api, preflight),
  apiCaching: webServer.headerSets.api['Cache-Control'],
  pageCaching: apiPage['Cache-Control'],
  fileCaching: webServer.headerSets.file['Cache-Control'],
  errorCaching: error['Cache-Control'],
  types,
  compressed: webServer.compressedTypes.map((type) => `'${type}'`).join(' '),
};
