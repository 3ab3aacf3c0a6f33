import type { Host } from './host.ts';
import { fillTemplate } from './template.ts';
import {
  compressedTypes,
  headerSets,
  negotiationRules,
  ownMediaTypes,
  unsupportedByWebServers,
  webServerValues,
  withoutCharset,
} from './web-server.ts';

const CONFIGURATION = '_hosts/Caddyfile';
/** The configuration imports this file, if it exists, when Caddy loads it. */
const MOVED_MAP = '_hosts/caddy-moved.map';

export const caddy: Host = {
  // Its HTTP library rejects some malformed paths before any configuration applies.
  unsupported: [...unsupportedByWebServers, 'any-path'],
  installation: {
    source: CONFIGURATION,
    target: '/etc/caddy/Caddyfile',
    redirects: MOVED_MAP,
    reload: 'systemctl reload caddy',
  },
  files: (context) => {
    const values = { ...webServerValues(context), ...ownValues };
    const moved = context.routes.moved.map(({ path, to }) => `${path} ${to}\n`);
    return [
      { path: CONFIGURATION, body: fillTemplate(context.template('Caddyfile'), values) },
      // Caddy cannot import an empty file.
      { path: MOVED_MAP, body: ['# Redirects of renamed records: old path, new path.\n', ...moved].join('') },
    ];
  },
};

const formatHeaders = (...fields: Readonly<Record<string, string>>[]): string[] =>
  Object.entries<string>(Object.assign({}, ...fields)).map(([name, value]) => `${name} "${value}"`);

const { api, apiPage, common, download, error, file, html, preflight } = headerSets;

const ownValues = {
  negotiation: negotiationRules.map(([pattern, value]) => `\`~${pattern}\` ${value || '""'}`),
  commonHeaders: formatHeaders(common),
  apiHeaders: formatHeaders(api),
  fileHeaders: formatHeaders(file),
  pageCaching: apiPage['Cache-Control'],
  htmlHeaders: formatHeaders(html),
  downloadHeaders: formatHeaders(download),
  preflightHeaders: formatHeaders(preflight),
  errorHeaders: formatHeaders(common, api, error),
  typeMatchers: ownMediaTypes.map(([pattern], index) => `type${index} path_regexp ${pattern}`),
  typeHeaders: ownMediaTypes.map(([, type], index) => `type${index} Content-Type "${type}"`),
  compressed: compressedTypes.map(withoutCharset),
};
