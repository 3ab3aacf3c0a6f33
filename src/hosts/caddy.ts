import type { Host } from './host.ts';
import { negotiationRules } from './request-patterns.ts';
import { fillTemplate } from './template.ts';
import * as webServer from './web-server.ts';

const CONFIGURATION = `${webServer.CONFIG_FOLDER}Caddyfile`;
const MOVED_MAP = `${webServer.CONFIG_FOLDER}caddy-moved.map`;

export const caddy: Host = {
  unsupported: webServer.unsupportedByWebServers,
  configuration: CONFIGURATION,
  nextStep: (folder) =>
    webServer.describeReload('systemctl reload caddy', folder, CONFIGURATION),
  createFiles: (context) => {
    const values = { ...webServer.createWebServerValues(context), ...ownValues };
    // Caddy cannot import an empty file, so the file starts with a comment.
    const moved = ['# Redirects of renamed records: old path, new path.\n'];
    for (const { path, to } of context.redirects) moved.push(`${path} ${to}\n`);
    return [
      {
        path: CONFIGURATION,
        body: fillTemplate(context.template('Caddyfile'), values),
      },
      { path: MOVED_MAP, body: moved.join('') },
    ];
  },
};

const formatHeaders = webServer.createHeaderFormat((value) => `"${value}"`);
const { api, common, error } = webServer.headerSets;

const ownValues = {
  ...webServer.formatHeaderSets(formatHeaders),
  negotiation: negotiationRules.map(
    ({ accept, getsPage }) => `\`~${accept}\` ${getsPage ? '1' : '""'}`,
  ),
  errorHeaders: formatHeaders(common, api, error),
  typeMatchers: webServer.ownMediaTypes.map(
    ({ pattern }, index) => `type${index} path_regexp ${pattern}`,
  ),
  typeHeaders: webServer.ownMediaTypes.map(
    ({ mediaType }, index) => `type${index} Content-Type "${mediaType}"`,
  ),
  compressed: webServer.compressedTypesWithoutCharset,
};
