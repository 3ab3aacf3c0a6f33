import type { Host, HostContext } from './host.ts';
import { jsonFormatPattern, preferencePatterns } from './request-patterns.ts';
import { fillTemplate } from './template.ts';
import {
  compressedTypes,
  headerSets,
  ownMediaTypes,
  unsupportedByWebServers,
  webServerValues,
  withoutCharset,
} from './web-server.ts';

const CONFIGURATION = '_hosts/apache.conf';

export const apache: Host = {
  unsupported: unsupportedByWebServers,
  installation: {
    source: CONFIGURATION,
    target: '/etc/apache2/sites-available/gamedata.conf',
    enable: 'a2enmod rewrite headers && a2ensite gamedata',
    reload: 'systemctl reload apache2',
  },
  files: (context) => {
    const values = createValues(context);
    return [
      { path: '.htaccess', body: fillTemplate(context.template('htaccess'), values) },
      { path: CONFIGURATION, body: fillTemplate(context.template('apache.conf'), values) },
    ];
  },
};

const escapeQuoted = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');

const formatHeaders = (...fields: Readonly<Record<string, string>>[]): string[] =>
  Object.entries<string>(Object.assign({}, ...fields)).map(
    ([name, value]) => `${name} "${escapeQuoted(value)}"`,
  );

// `req_novary` keeps `Accept` out of `Vary` on files that are the same for all clients.
const prefersPage = `(${preferencePatterns
  .map(({ html, json }) => `(req_novary('Accept') =~ m_${html}_ && !(req_novary('Accept') =~ m_${json}_))`)
  .join(' || ')})`;
const isBrowser = `%{REQUEST_METHOD} =~ /^(?:GET|HEAD)$/ && !(%{QUERY_STRING} =~ m#${jsonFormatPattern}#) && ${prefersPage}`;

const { api, apiPage, common, download, error, file, html, preflight } = headerSets;

function createValues(context: HostContext) {
  const { moved } = context.routes;
  const values = webServerValues(context);
  const { base, kinds, origin, port } = values;
  return {
    ...values,
    ownPort: port === '80' ? '' : port,
    rootDirective: base === '' ? 'DocumentRoot' : `Alias "${base}"`,
    endpoint: `^(?:api/gamedata/|api/gamedata/${kinds}/|api/gamedata/${kinds}/[a-z0-9-]+/)$`,
    prefersPage,
    isBrowser: escapeQuoted(isBrowser),
    movedCount: String(moved.length),
    moved: moved
      .map(({ path, to }) => `RewriteRule ^${path.slice(1)}$ ${origin}${base}${to} [R=301,END]`)
      .join('\n'),
    replacedHeaders: Object.keys({ ...common, ...file, ...html }).filter((name) => name !== 'Vary'),
    commonHeaders: formatHeaders(common),
    apiHeaders: formatHeaders(api),
    fileHeaders: formatHeaders(file),
    htmlHeaders: formatHeaders(html),
    pageCaching: apiPage['Cache-Control'],
    downloadHeaders: formatHeaders(download),
    preflightHeaders: formatHeaders(preflight),
    errorHeaders: formatHeaders(common, api, { 'Content-Type': 'application/json' }, error),
    types: ownMediaTypes
      .map(([pattern, type]) => `<FilesMatch "${pattern}">\nForceType "${type}"\n</FilesMatch>`)
      .join('\n'),
    compressed: compressedTypes.map(withoutCharset).join(' '),
  };
}
