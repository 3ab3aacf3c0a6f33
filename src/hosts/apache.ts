import type { Host, HostContext } from './host.ts';
import * as webServer from './web-server.ts';

const CONFIGURATION = '_hosts/apache.conf';

export const apache: Host = {
  unsupported: webServer.unsupportedByWebServers,
  installation: {
    source: CONFIGURATION,
    target: '/etc/apache2/sites-available/gamedata.conf',
    enable: 'a2enmod rewrite headers && a2ensite gamedata',
    reload: 'systemctl reload apache2',
  },
  files: (context) => {
    const values = createValues(context);
    return [
      { path: '.htaccess', body: webServer.fillTemplate(context.template('htaccess'), values) },
      {
        path: CONFIGURATION,
        body: webServer.fillTemplate(context.template('apache.conf'), values),
      },
    ];
  },
};

const escapeQuoted = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');
const formatHeaders = webServer.createHeaderFormat((value) => `"${escapeQuoted(value)}"`);

// `req_novary` keeps `Accept` out of `Vary` on files that are the same for all clients.
const prefersPage = `(${webServer.preferencePatterns
  .map(
    ({ html, json }) =>
      `(req_novary('Accept') =~ m_${html}_ && !(req_novary('Accept') =~ m_${json}_))`,
  )
  .join(' || ')})`;
const isBrowser = `%{REQUEST_METHOD} =~ /^(?:GET|HEAD)$/ && !(%{QUERY_STRING} =~ m#${webServer.jsonFormatPattern}#) && ${prefersPage}`;

function createValues(context: HostContext) {
  const { redirects } = context;
  const { api, common, error, file, html } = webServer.headerSets;
  const values = webServer.createWebServerValues(context);
  const { base, kinds, origin, port } = values;
  return {
    ...values,
    ...webServer.formatHeaderSets(formatHeaders),
    ownPort: port === '80' ? '' : port,
    rootDirective: base === '' ? 'DocumentRoot' : `Alias "${base}"`,
    endpoint: `^(?:api/gamedata/|api/gamedata/${kinds}/|api/gamedata/${kinds}/[a-z0-9-]+/)$`,
    prefersPage,
    isBrowser: escapeQuoted(isBrowser),
    movedCount: String(redirects.length),
    moved: redirects
      .map(({ path, to }) => `RewriteRule ^${path.slice(1)}$ ${origin}${base}${to} [R=301,END]`)
      .join('\n'),
    replacedHeaders: Object.keys({ ...common, ...file, ...html }).filter((name) => name !== 'Vary'),
    errorHeaders: formatHeaders(common, api, { 'Content-Type': 'application/json' }, error),
    types: webServer.ownMediaTypes
      .map(([pattern, type]) => `<FilesMatch "${pattern}">\nForceType "${type}"\n</FilesMatch>`)
      .join('\n'),
    compressed: webServer.compressedTypesWithoutCharset.join(' '),
  };
}
