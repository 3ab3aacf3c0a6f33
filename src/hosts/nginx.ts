/** nginx: a server block, after its maps. No code runs there: only built pages are served, unless there is a fallback. */

import { errorBody, errorDetails, notAllowedDetail } from '../contract/errors.ts';
import { mediaTypes } from '../contract/headers.ts';
import { BROWSE_FILE, bulkFolders, DOCS_PATH, INDEX_FILE, NOT_FOUND_FILE } from '../contract/paths.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { Host, HostContext } from './host.ts';
import { MOVED_MAP, maps, matching, quote } from './nginx-maps.ts';
import * as server from './web-server.ts';

const CONFIGURATION = '_hosts/nginx.conf';

export const nginx: Host = {
  unsupported: server.unsupportedByWebServers,
  installation: {
    configuration: CONFIGURATION,
    installed: '/etc/nginx/conf.d/gamedata.conf',
    redirects: MOVED_MAP,
    reload: 'nginx -s reload',
  },
  files: (context) => [
    { path: CONFIGURATION, body: configuration(context) },
    { path: MOVED_MAP, body: movedMap(context.routes) },
  ],
};

/** Lines of a map. Regular expressions, as the hash table of plain strings is limited in key length. */
const movedMap = ({ moved }: RouteTable): string =>
  moved.map(({ path, to }) => `${matching(`^${path}$`, to)}\n`).join('');

/** Values may contain variables. Of a header that several have, the last counts. */
const addHeaders = (...fields: Readonly<Record<string, string>>[]): string =>
  Object.entries(Object.assign({}, ...fields))
    .map(([name, value]) => `add_header ${name} ${quote(String(value))} always;`)
    .join('\n        ');

/** By status. */
const apiCaching = { 'Cache-Control': '$gamedata_api_caching' };
const sets = {
  ...server.headerSets,
  api: { ...server.headerSets.api, ...apiCaching },
  file: { ...server.headerSets.file, 'Cache-Control': '$gamedata_file_caching' },
  download: { ...server.headerSets.download, ...apiCaching },
};

/** Text has its charset here: nginx would not add it to files that the build has compressed. */
const types = Object.entries(mediaTypes).map(
  ([ending, type]) => `${quote(type)} ${ending.split('.').at(-1)};`,
);

const bulkLocation = (folder: string): string =>
  `location ^~ /${folder} {
        # The compressed copies that the build made.
        gzip_static on;
        ${addHeaders(sets.common, sets.download)}
        try_files $uri =404;
    }`;

/** Requests outside of the base path are not the site's; inside, locations see paths without it. */
const belowBase = ({ base, basePattern }: server.WebServer): string =>
  base === ''
    ? ''
    : `
    # Everything is below ${base}: locations see paths without it.
    if ($gamedata_below = slashless) { return 301 ${base}/$is_args$args; }
    if ($gamedata_below = '') { rewrite ^ /_outside; }
    rewrite ${quote(`^${basePattern}(/.*)$`)} $1;
    location = /_outside {
        types { }
        default_type application/json;
        return 404 ${quote(errorBody(errorDetails[404]))};
    }
`;

/** The file of a list's page. */
const PAGE = `$document_root$uri\${gamedata_folder}${INDEX_FILE}`;

/** What happens to windows that are not built: they are proxied, or an error. */
function unbuilt({ fallback }: server.WebServer): { upstream: string; answer: string; locations: string } {
  const refusal = `return 400 ${quote(errorBody(errorDetails[400]))};`;
  if (!fallback)
    return {
      upstream: '',
      answer: `set $gamedata_refused '';
            if (!-f ${PAGE}) { set $gamedata_refused "1$gamedata_browser"; }
            if ($gamedata_refused = 11) { return 419; }
            if ($gamedata_refused) { ${refusal} }`,
      locations: '',
    };
  const port = fallback.port || (fallback.protocol === 'https:' ? '443' : '80');
  const { connect, respond } = server.fallbackSeconds;
  return {
    upstream: `
upstream gamedata_fallback {
    server ${fallback.hostname}:${port} max_fails=0;
    keepalive 16;
}
`,
    answer: `if (!-f ${PAGE}) { rewrite ^ /_fallback last; }`,
    locations: `
    # Pages that are not built. The headers are set here, as for files.
    location = /_fallback {
        internal;
        proxy_pass ${fallback.protocol}//gamedata_fallback$request_uri;
        proxy_http_version 1.1;
        proxy_set_header Host ${fallback.host};
        proxy_set_header Connection '';
        proxy_set_header Accept-Encoding '';
        proxy_ssl_server_name on;
        proxy_ssl_name ${fallback.hostname};
        proxy_connect_timeout ${connect}s;
        proxy_read_timeout ${respond}s;
        ${server.proxiedHeaders.map((name) => `proxy_hide_header ${name};`).join('\n        ')}
        ${addHeaders(sets.common, sets.api)}
        error_page 502 503 504 = @not_built;
        proxy_intercept_errors on;
    }
    location @not_built {
        types { }
        default_type application/json;
        ${refusal}
    }
`,
  };
}

function configuration(context: HostContext): string {
  const web = server.webServer(context);
  const { base } = web;
  const other = unbuilt(web);
  const iconRedirect =
    web.icons.upstream === null
      ? ''
      : `
    # Icons that the site does not hold are the upstream's.
    location ~ ${quote(`^${web.icons.path}(${web.paths.icon})$`)} {
        ${addHeaders(sets.common, sets.file)}
        set $gamedata_icon $1;
        try_files $uri @icon;
    }
    location @icon {
        ${addHeaders(sets.common)}
        return 302 ${web.icons.upstream}$gamedata_icon;
    }
`;
  return `# Generated by gamedata for nginx, for the http block: copy it once to /etc/nginx/conf.d/gamedata.conf, and reload. The copy is
# yours: add TLS, by certbot or by hand, and what else you need. Later builds only take a reload, to pick up redirects.

${maps(web)}${other.upstream}
server {
    # The second one is for IPv6: delete it where there is none.
    listen ${web.port};
    listen [::]:${web.port};
    server_name ${web.address.hostname};
    root ${quote(web.root)};

    types {
        ${types.join('\n        ')}
    }
    default_type application/octet-stream;
    absolute_redirect off;
    log_not_found off;
    # Looks for files at most once per second, so a new site is served that much later.
    open_file_cache max=10000 inactive=60s;
    open_file_cache_valid 1s;

    gzip on;
    gzip_comp_level 5;
    gzip_min_length ${server.COMPRESSED_BYTES};
    gzip_proxied any;
    gzip_types ${server.compressedMedia.map(quote).join(' ')};
    # Vary is set below.
    gzip_vary off;

    # For the API, including errors and redirects. Locations with add_header directives of their own do not inherit these.
    ${addHeaders(sets.common, sets.api).replaceAll('\n    ', '\n')}

    error_page 403 =404 $gamedata_not_found;
    error_page 404 $gamedata_not_found;
    error_page 405 @not_allowed;
    error_page ${Object.keys(server.earlyErrors)
      .filter((status) => !['403', '404', '431'].includes(status))
      .join(' ')} /_error;
    # 494 is its own number for 431.
    error_page 494 =431 /_error;
    location = /_error {
        internal;
        types { }
        default_type application/json;
        # With the status of the error.
        return 200 '{"detail":"$gamedata_reason"}';
    }

    # These statuses are never sent: they only select the location. For browsers, and for CORS preflights of any URL.
    error_page 419 =400 /_page;
    error_page 418 =204 @options;
    if ($request_method = OPTIONS) { return 418; }
${belowBase(web)}
    location = ${web.slashlessPrefix} {
        if ($gamedata_with_slash = '') { return 404; }
        return 301 $gamedata_with_slash;
    }
    location ^~ ${web.prefix} {
        # Lists. Existence is checked before negotiation, so that a missing page is an error for browsers too.
        location ~ ${quote(`^${web.paths.list}$`)} {
            default_type application/json;
            if ($gamedata_answer = unknown) { return 404; }
            if ($gamedata_answer = unacceptable) { return 406; }
            if ($gamedata_other_method) { return 405; }
            ${other.answer}
            if ($gamedata_answer = page) { rewrite ^ /_page last; }
            rewrite ^ $uri\${gamedata_folder}${INDEX_FILE} break;
        }

        # The root and records.
        location ~ ${quote(`^(?:${web.prefix}|${web.paths.record})$`)} {
            if ($gamedata_answer = unknown) { return 404; }
            if ($gamedata_answer = unacceptable) { return 406; }
            if ($gamedata_other_method) { return 405; }
            set $gamedata_now '';
            if (!-f $document_root\${uri}${INDEX_FILE}) { set $gamedata_now $gamedata_moved; }
            if ($gamedata_now) { return 301 ${base}$gamedata_now$is_args$args; }
            if (!-f $document_root\${uri}${INDEX_FILE}) { return 404; }
            if ($gamedata_answer = page) { rewrite ^ /_page last; }
            rewrite ^ \${uri}${INDEX_FILE} break;
        }

        location ~ ${quote(`^${web.paths.slashless}$`)} {
            if ($gamedata_with_slash = '') { return 404; }
            return 301 $gamedata_with_slash;
        }

        # Files at their own URLs.
        try_files $uri =404;
    }
    location = /_page {
        internal;
        ${addHeaders(sets.common, sets.api, sets.html)}
        try_files /${BROWSE_FILE} =404;
    }
${other.locations}${iconRedirect}
    # Host configuration, such as this file, is not public.
    location ~ ${quote(web.paths.hidden)} { return 404; }

    # Everything else is a file at its own URL, or does not exist.
    location = ${web.slashlessDocs} { return 301 ${base}${DOCS_PATH}$is_args$args; }
    location ~ /$ {
        ${addHeaders(sets.common, sets.file, sets.html)}
        try_files \${uri}index.html =404;
    }
    location = /${NOT_FOUND_FILE} {
        ${addHeaders(sets.common, sets.api, sets.html)}
    }
    location ~ ${quote('\\.html$')} {
        ${addHeaders(sets.common, sets.file, sets.html)}
        try_files $uri =404;
    }
    ${bulkFolders.map(bulkLocation).join('\n    ')}
    location = /${web.errors[404]} { }
    location / {
        ${addHeaders(sets.common, sets.file)}
        try_files $uri =404;
    }

    location @options {
        ${addHeaders(sets.common, sets.api, sets.preflight)}
        return 204;
    }
    location @not_allowed {
        types { }
        default_type application/json;
        return 405 ${quote(errorBody(notAllowedDetail('$request_method')))};
    }
}
`;
}
