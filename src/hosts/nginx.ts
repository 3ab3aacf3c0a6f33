/** nginx: one server and the maps that read a request for it. No code runs there, so only the built pages are answered. */

import { DOWNLOAD_FOLDER } from '../contract/addresses.ts';
import { errorBody, errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../contract/errors.ts';
import {
  apiHeaders,
  commonHeaders,
  downloadHeaders,
  mediaTypes,
  pageHeaders,
  preflightHeaders,
} from '../contract/headers.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { Host } from './host.ts';
import {
  accepts,
  INDEX_FILE,
  JSON_FORMAT,
  lastValue,
  OFFSET,
  PAGE_FILE,
  type Parameter,
  pageFolder,
  pathPatterns,
  prefers,
} from './patterns.ts';

export const nginx: Host = {
  summary: 'one server: the built pages, every other window refused with 400',
  cannot: ['windows', 'repeated'],
  files: ({ routes }) => [
    { path: '_hosts/nginx.conf', body: configuration(routes) },
    { path: MOVED_MAP, body: movedMap(routes) },
  ],
};

/** What the configuration reads, if it is there, when nginx loads it. */
const MOVED_MAP = '_hosts/nginx-moved.map';

/** Lines of a map. Plain strings would go into a table whose rows are too short for long slugs. */
const movedMap = ({ moved }: RouteTable): string =>
  moved.map(({ path, to }) => `${matching(`^${path}$`, to)}\n`).join('');

/** A string of the configuration; in it a dollar begins a variable. A backslash means itself but before these letters. */
function quote(text: string): string {
  const mark = text.includes("'") ? '"' : "'";
  return mark + text.replaceAll(/\\(?=["'\\tnr])/g, '\\\\').replaceAll(mark, `\\${mark}`) + mark;
}

/** A map's line for a regular expression. */
const matching = (pattern: string, value: string): string => `${quote(`~${pattern}`)} ${value};`;

/** Links as the site writes them are read at a glance; every other query is searched. */
const parameterMap = (parameter: Parameter): string => {
  const glance = (name: Parameter, value: string): string =>
    name === parameter ? `${name}=(${value})` : `${name}=${value}`;
  return `map $args $gamedata_${parameter} {
    '' '';
    ${matching(`^${glance('format', '[a-z]+')}&${glance('limit', '[0-9]+')}&${glance('offset', '[0-9]+')}$`, '$1')}
    ${matching(lastValue(parameter), '$1')}
    default '';
}`;
};

const addHeaders = (...fields: Readonly<Record<string, string>>[]): string =>
  fields
    .flatMap((some) => Object.entries(some))
    .map(([name, value]) => `add_header ${name} ${quote(value)} always;`)
    .join('\n        ');

/** Types that nginx does not know, or knows otherwise. */
const typeLocations = (fields: Readonly<Record<string, string>> = {}): string =>
  Object.entries(mediaTypes)
    .map(
      ([ending, type]) => `location ~ ${quote(`${ending.replaceAll('.', '\\.')}$`)} {
        ${addHeaders(commonHeaders, fields)}
        types { }
        default_type ${quote(type)};
        try_files $uri =404;
    }`,
    )
    .join('\n    ');

function configuration(routes: RouteTable): string {
  const { prefix, pageSize, formats, errors, pictures } = routes;
  const paths = pathPatterns(routes);
  const browsable = formats.filter((format) => format !== JSON_FORMAT).join('|');
  const picturesElsewhere =
    pictures.upstream === null
      ? ''
      : `
    # Pictures that the site does not hold itself are the upstream's.
    location ~ ${quote(`^${pictures.path}(${paths.picture})$`)} {
        ${addHeaders(commonHeaders)}
        set $gamedata_picture $1;
        try_files $uri @picture;
    }
    location @picture {
        ${addHeaders(commonHeaders)}
        return 302 ${pictures.upstream}$gamedata_picture;
    }
`;
  return `# Made by gamedata for nginx. It goes into the http block: copy it to /etc/nginx/conf.d/gamedata.conf, say below where to
# listen and where the site is (twice), and reload. It does not depend on the data: a new site needs neither a copy nor a
# reload, but that renamed records are redirected to from the next reload on.

# The parameters, read from the query as it was sent. $arg_limit would ignore case and take the first of repeated ones.
${(['format', 'limit', 'offset'] as const).map(parameterMap).join('\n')}

# The folder of the page that is asked for, inside the list's. Where it does not exist the request is refused.
map "$gamedata_limit:$gamedata_offset" $gamedata_folder {
    ':' '';
    ${matching(`^(?:${pageSize})?:0?$`, "''")}
    ${matching(`^(?:${pageSize})?:(${OFFSET})$`, pageFolder(routes, '$1'))}
    default ${pageFolder(routes, 'none')};
}

# Who asks: a browser, which names HTML, gets the page, everybody else who can read JSON gets JSON.
map $http_accept $gamedata_json {
    '' yes;
    '*/*' yes;
    ${matching(accepts.json, 'yes')}
    default no;
}
map $http_accept $gamedata_html {
    '' no;
    '*/*' no;
    ${matching(prefers.json, 'no')}
    ${matching(prefers.html, 'first')}
    ${matching(accepts.html, 'yes')}
    default no;
}
map "$gamedata_json:$gamedata_html:$gamedata_format" $gamedata_answer {
    yes:no: json;
    ${matching(`^yes:no:(?:${formats.join('|')})$`, 'json')}
    ${matching(`:first:(?:${browsable})?$`, 'page')}
    ${matching(`^yes:[a-z]+:(?:${formats.join('|')})?$`, 'json')}
    ${matching(`^no:yes:(?:${browsable})?$`, 'page')}
    ${matching(`^no:[a-z]+:(?:${formats.join('|')})?$`, 'unacceptable')}
    default unknown;
}
map $request_method $gamedata_other_method { GET ''; HEAD ''; default 1; }

# A missing final slash, put into the address as it was sent.
map $request_uri $gamedata_with_slash {
    ${matching(`^(${paths.slashless})(\\?.*)?$`, '$1/$2')}
    default '';
}

# Renamed records, as the site lists them: with a star it may be missing.
map $uri $gamedata_moved {
    include /srv/gamedata/${MOVED_MAP.replace('.map', '.map*')};
    default '';
}

server {
    listen 80;
    server_name _;
    root /srv/gamedata;

    charset utf-8;
    absolute_redirect off;
    log_not_found off;
    # Files are looked for once a second at most: a new site is seen that much later.
    open_file_cache max=10000 inactive=60s;
    open_file_cache_valid 1s;

    # Of the API, its errors and redirects. A location with an add_header of its own has none of these.
    ${addHeaders(commonHeaders, apiHeaders).replaceAll('\n    ', '\n')}

    error_page 403 =404 /${errors[404]};
    error_page 404 /${errors[404]};
    error_page 405 @not_allowed;
    error_page 406 @not_acceptable;

    # A CORS preflight may be about any address. The status is no answer, only the way to the location.
    error_page 418 =204 @options;
    if ($request_method = OPTIONS) { return 418; }

    location = ${prefix.slice(0, -1)} {
        if ($gamedata_with_slash = '') { return 404; }
        return 301 $gamedata_with_slash;
    }
    location ^~ ${prefix} {
        # Lists. What exists comes before who asks, so that nobody gets the page for what is not there.
        location ~ ${quote(`^${paths.list}$`)} {
            default_type application/json;
            if ($gamedata_answer = unknown) { return 404; }
            if ($gamedata_answer = unacceptable) { return 406; }
            if ($gamedata_other_method) { return 405; }
            if (!-f $document_root$uri\${gamedata_folder}${INDEX_FILE}) {
                return 400 ${quote(errorBody(errorDetails[400]))};
            }
            if ($gamedata_answer = page) { rewrite ^ /_page last; }
            rewrite ^ $uri\${gamedata_folder}${INDEX_FILE} break;
        }

        # The root and records.
        location ~ ${quote(`^(?:${prefix}|${paths.record})$`)} {
            if ($gamedata_answer = unknown) { return 404; }
            if ($gamedata_answer = unacceptable) { return 406; }
            if ($gamedata_other_method) { return 405; }
            set $gamedata_now '';
            if (!-f $document_root\${uri}${INDEX_FILE}) { set $gamedata_now $gamedata_moved; }
            if ($gamedata_now) { return 301 $gamedata_now$is_args$args; }
            if (!-f $document_root\${uri}${INDEX_FILE}) { return 404; }
            if ($gamedata_answer = page) { rewrite ^ /_page last; }
            rewrite ^ \${uri}${INDEX_FILE} break;
        }

        location ~ ${quote(`^${paths.slashless}$`)} {
            if ($gamedata_with_slash = '') { return 404; }
            return 301 $gamedata_with_slash;
        }

        # Files at their own addresses.
        try_files $uri =404;
    }
    location = /_page {
        internal;
        ${addHeaders(commonHeaders, apiHeaders, pageHeaders)}
        try_files /${PAGE_FILE} =404;
    }
${picturesElsewhere}
    # Hosts' configuration, this file too, is no part of the site.
    location ~ ${quote(paths.hidden)} { return 404; }

    # Everything else is a file at its own address, or nothing.
    location = / {
        ${addHeaders(commonHeaders, pageHeaders)}
        try_files /index.html =404;
    }
    location ~ ${quote('\\.html$')} {
        ${addHeaders(commonHeaders, pageHeaders)}
        try_files $uri =404;
    }
    # Bulk files and types. Those that are packed are sent as they are.
    ${typeLocations()}
    location ^~ /${DOWNLOAD_FOLDER} {
        ${addHeaders(commonHeaders, downloadHeaders)}
        ${typeLocations(downloadHeaders).replaceAll('\n', '\n    ')}
        try_files $uri =404;
    }
    location = /${errors[404]} { }
    location / {
        ${addHeaders(commonHeaders)}
        try_files $uri =404;
    }

    location @options {
        ${addHeaders(commonHeaders, apiHeaders, preflightHeaders)}
        return 204;
    }
    location @not_allowed {
        types { }
        default_type application/json;
        return 405 ${quote(errorBody(notAllowedDetail('$request_method')))};
    }
    location @not_acceptable {
        types { }
        default_type application/json;
        return 406 ${quote(errorBody(NOT_ACCEPTABLE_DETAIL))};
    }
}
`;
}
