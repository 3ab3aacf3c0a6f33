import type { Host } from './host.ts';
import * as webServer from './web-server.ts';

const CONFIGURATION = '_hosts/Caddyfile';
const MOVED_MAP = '_hosts/caddy-moved.map';

export const caddy: Host = {
  // Caddy's HTTP library rejects some malformed paths before any configuration applies.
  unsupported: [...webServer.unsupportedByWebServers, 'any-path'],
  installation: {
    source: CONFIGURATION,
    target: '/etc/caddy/Caddyfile',
    redirects: MOVED_MAP,
    reload: 'systemctl reload caddy',
  },
  files: (context) => {
    const values = { ...webServer.createWebServerValues(context), ...ownValues };
    const moved = context.redirects.map(({ path, to }) => `${path} ${to}\n`);
    return [
      { path: CONFIGURATION, body: webServer.fillTemplate(context.template('Caddyfile'), values) },
      // Caddy cannot import an empty file.
      {
        path: MOVED_MAP,
        body: ['# Redirects of renamed records: old path, new path.\n', ...moved].join(''),
      },
    ];
  },
};

const formatHeaders = webServer.createHeaderFormat((value) => `"${value}"`);
const { api, common, error } = webServer.headerSets;

const ownValues = {
  ...webServer.formatHeaderSets(formatHeaders),
  negotiation: webServer.negotiationRules.map(
    ([pattern, value]) => `\`~${pattern}\` ${value || '""'}`,
  ),
  errorHeaders: formatHeaders(common, api, error),
  typeMatchers: webServer.ownMediaTypes.map(
    ([pattern], index) => `type${index} path_regexp ${pattern}`,
  ),
  typeHeaders: webServer.ownMediaTypes.map(
    ([, type], index) => `type${index} Content-Type "${type}"`,
  ),
  compressed: webServer.compressedTypesWithoutCharset,
};
