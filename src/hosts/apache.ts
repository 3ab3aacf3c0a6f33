import type { Host, HostContext } from './host.ts';
import { jsonFormatPattern, preferencePatterns } from './request-patterns.ts';
import { fillTemplate, type TemplateValues } from './template.ts';
import * as webServer from './web-server.ts';

const CONFIGURATION = `${webServer.CONFIG_FOLDER}apache.conf`;

export const apache: Host = {
  unsupported: webServer.unsupportedByWebServers,
  configuration: CONFIGURATION,
  nextStep: (folder) =>
    webServer.describeReload('systemctl reload apache2', folder, CONFIGURATION),
  createFiles: (context) => {
    const values = createValues(context);
    return [
      {
        path: '.htaccess',
        body: fillTemplate(context.template('htaccess'), values),
      },
      {
        path: CONFIGURATION,
        body: fillTemplate(context.template('apache.conf'), values),
      },
    ];
  },
};

const escapeQuoted = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');
const formatHeaders = webServer.createHeaderFormat(
  (value) => `"${escapeQuoted(value)}"`,
);

// `req_novary` prevents Apache from adding `Accept` to `Vary` for files that are the
// same for all clients.
const matchAccept = (pattern: string): string =>
  `req_novary('Accept') =~ m_${pattern}_`;
const preferences = preferencePatterns.map(
  ({ html, json }) => `(${matchAccept(html)} && !(${matchAccept(json)}))`,
);
const prefersPage = `(${preferences.join(' || ')})`;
const isRead = '%{REQUEST_METHOD} =~ /^(?:GET|HEAD)$/';
const isBrowser = `${isRead} && !(%{QUERY_STRING} =~ m#${jsonFormatPattern}#) && ${prefersPage}`;

/** Creates the values for the placeholders in both Apache templates. */
function createValues(context: HostContext): TemplateValues {
  const { api, common, error, file, html } = webServer.headerSets;
  const values = webServer.createWebServerValues(context);
  const { base, kinds, origin, port } = values;

  // In per-directory configuration, Apache matches paths without the leading slash.
  const moved: string[] = [];
  for (const { path, to } of context.redirects) {
    moved.push(`RewriteRule ^${path.slice(1)}$ ${origin}${base}${to} [R=301,END]`);
  }
  const types: string[] = [];
  for (const { pattern, mediaType } of webServer.ownMediaTypes) {
    types.push(`<FilesMatch "${pattern}">\nForceType "${mediaType}"\n</FilesMatch>`);
  }
  // We do not unset `Vary`, because that would also remove the values that Apache's
  // own modules add.
  const replacedHeaders = new Set(Object.keys({ ...common, ...file, ...html }));
  replacedHeaders.delete('Vary');

  return {
    ...values,
    ...webServer.formatHeaderSets(formatHeaders),
    // Apache listens on port 80 by default.
    ownPort: port === '80' ? '' : port,
    // A site below a path shares the server with other sites, so it cannot set the
    // document root.
    rootDirective: base === '' ? 'DocumentRoot' : `Alias "${base}"`,
    endpoint: `^(?:api/gamedata/|api/gamedata/${kinds}/|api/gamedata/${kinds}/[a-z0-9-]+/)$`,
    prefersPage,
    isBrowser: escapeQuoted(isBrowser),
    movedCount: String(moved.length),
    moved: moved.join('\n'),
    replacedHeaders: [...replacedHeaders],
    errorHeaders: formatHeaders(
      common,
      api,
      { 'Content-Type': 'application/json' },
      error,
    ),
    types: types.join('\n'),
    compressed: webServer.compressedTypesWithoutCharset.join(' '),
  };
}
