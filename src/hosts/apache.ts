/** Apache: the `.htaccess` of the site's root. No code runs there, so only the built pages are answered. */

import { DOWNLOAD_FOLDER } from '../contract/addresses.ts';
import { errorBody, NOT_ACCEPTABLE_DETAIL } from '../contract/errors.ts';
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

export const apache: Host = {
  summary: 'an .htaccess: the built pages, every other window refused with 400',
  cannot: ['windows', 'repeated'],
  files: ({ routes }) => [{ path: '.htaccess', body: configuration(routes) }],
};

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

const headers = (fields: Readonly<Record<string, string>>, condition = ''): string =>
  Object.entries(fields)
    .map(([name, value]) => `Header always set ${name} ${quote(value)}${condition && ` "expr=${condition}"`}`)
    .join('\n');

const variable = (parameter: Parameter): string => `GAMEDATA_${parameter.toUpperCase()}`;

const parameterRule = (parameter: Parameter): string =>
  `RewriteCond %{QUERY_STRING} ${lastValue(parameter)}
RewriteRule ^ - [E=${variable(parameter)}:%1]`;

/** Apache reads this file for each request: the rules are stepped over where there is a record. */
function movedRules({ moved }: RouteTable, { endpoint, file }: { endpoint: string; file: string }): string {
  if (moved.length === 0) return '';
  const rules = moved.map(({ path, to }) => `RewriteRule ^${path.slice(1)}$ ${to} [R=301,END]`);
  return `# Renamed records; the query is kept.
RewriteCond ${file} -f
RewriteRule ${endpoint} - [S=${rules.length}]
${rules.join('\n')}

`;
}

/** By the end of a file's name: the types of several endings would add up. */
const fileTypes = (): string =>
  Object.entries(mediaTypes)
    .map(
      ([ending, type]) => `<FilesMatch "${ending.replaceAll('.', '\\.')}$">
ForceType ${quote(type)}
</FilesMatch>`,
    )
    .join('\n');

function configuration(routes: RouteTable): string {
  const { prefix, pageSize, formats, errors, pictures } = routes;
  const paths = pathPatterns(routes);
  // Rules of a folder see paths without the slash that they begin with.
  const inside = (path: string): string => path.slice(1);
  const endpoint = `^(?:${[prefix, paths.list, paths.record].map(inside).join('|')})$`;
  const list = `^${inside(paths.list)}$`;
  const browsable = `^(?:${formats.filter((format) => format !== JSON_FORMAT).join('|')})?$`;
  const window = `%{ENV:${variable('limit')}}:%{ENV:${variable('offset')}}`;
  const file = `%{DOCUMENT_ROOT}/$0%{ENV:GAMEDATA_FOLDER}${INDEX_FILE}`;
  const isApi = `%{THE_REQUEST} =~ m#^\\S+ (?:https?://[^/]+)?/+${inside(prefix.slice(0, -1))}[/? ]# || %{REQUEST_STATUS} -ge 400`;
  const picturesElsewhere =
    pictures.upstream === null
      ? ''
      : `
# Pictures that the site does not hold itself are the upstream's.
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule ^${inside(pictures.path)}(${paths.picture})$ ${pictures.upstream}$1 [R=302,END]
`;
  const isDownload = `%{REQUEST_URI} =~ m#^/${DOWNLOAD_FOLDER}# && %{REQUEST_STATUS} -lt 400`;
  return `# Made by gamedata for Apache 2.4, which reads it here, in the root of the site. The site is the DocumentRoot of its host:
#   DocumentRoot /srv/gamedata
#   <Directory /srv/gamedata>
#     Require all granted
#     AllowOverride All
#   </Directory>
# Modules: rewrite and headers (a2enmod rewrite headers) besides those that Debian enables by itself.

Options -Indexes -MultiViews
DirectoryIndex disabled
DirectorySlash Off
# From the content: two files of one size and one time are told apart, and a file that is copied stays the same.
FileETag Digest
AddType application/json .json
AddCharset utf-8 .css .html .js .txt
# Files that are packed are sent as they are: none of their endings says how an answer is encoded, or in what language.
RemoveEncoding .gz .br
RemoveLanguage .br
${fileTypes()}

ErrorDocument 400 /${errors[400]}
ErrorDocument 403 /${errors[404]}
ErrorDocument 404 /${errors[404]}
# A text could name the method, but with a text Apache sends a second, empty Allow.
ErrorDocument 405 /${errors[405]}
ErrorDocument 406 ${quote(errorBody(NOT_ACCEPTABLE_DETAIL))}

# "always" is for errors and redirects too. THE_REQUEST is the address as it was sent, whatever file answers it.
${headers(commonHeaders)}
${headers(apiHeaders, isApi)}
${headers(preflightHeaders, "%{REQUEST_METHOD} == 'OPTIONS'")}
${headers({ 'Content-Type': 'application/json' }, '%{REQUEST_STATUS} -eq 406')}
<FilesMatch "\\.html$">
${headers(pageHeaders)}
</FilesMatch>
${headers(downloadHeaders, isDownload)}
# The filter that compresses puts a suffix into the validator and does not know it again.
RequestHeader edit* If-None-Match "-gzip\\"" "\\""

# Apache itself would answer this with 403. It is no secret, but no part of the site: the first rule refuses it.
<Files ".htaccess">
Require all granted
</Files>

RewriteEngine On

# Hosts' configuration, this file too, is no part of the site.
RewriteRule ${paths.hidden.replace('/', '(?:^|/)')} - [R=404,END]

RewriteCond %{REQUEST_METHOD} =OPTIONS
RewriteRule ^ - [R=204,END]

# A missing final slash; the query is kept.
RewriteRule ^(${inside(paths.slashless)})$ /$1/ [R=301,END]

# The parameters: the last of repeated ones counts.
${(['format', 'limit', 'offset'] as const).map(parameterRule).join('\n')}

RewriteCond %{ENV:${variable('format')}} !^(?:${formats.join('|')})?$
RewriteRule ${endpoint} - [R=404,END]

# Who asks: a browser, which names HTML, gets the page, everybody else who can read JSON gets JSON.
RewriteCond %{HTTP:Accept} ^$ [NV,OR]
RewriteCond %{HTTP:Accept} ${accepts.json} [NV]
RewriteRule ^ - [E=GAMEDATA_JSON:1]
RewriteCond %{ENV:${variable('format')}} ${browsable}
RewriteCond %{HTTP:Accept} ${prefers.html} [NV]
RewriteCond %{HTTP:Accept} !${prefers.json} [NV]
RewriteRule ^ - [E=GAMEDATA_PAGE:1]
RewriteCond %{ENV:${variable('format')}} ${browsable}
RewriteCond %{ENV:GAMEDATA_JSON} ^$
RewriteCond %{HTTP:Accept} ${accepts.html} [NV]
RewriteRule ^ - [E=GAMEDATA_PAGE:1]
RewriteCond %{ENV:GAMEDATA_JSON}%{ENV:GAMEDATA_PAGE} ^$
RewriteRule ${endpoint} - [R=406,END]

RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$
RewriteRule ${endpoint} - [R=405,END]

# A list's page is in a folder of its own; a window that has none is refused.
RewriteCond ${window} ^(?:${pageSize})?:(${OFFSET})$
RewriteRule ${list} - [E=GAMEDATA_FOLDER:${pageFolder(routes, '%1')}]
RewriteCond ${window} !^(?:${pageSize})?:(?:0|${OFFSET})?$ [OR]
RewriteCond ${file} !-f
RewriteRule ${list} - [R=400,END]

${movedRules(routes, { endpoint, file })}# What exists comes before who asks, so that nobody gets a page for what is not there.
RewriteCond ${file} !-f
RewriteRule ${endpoint} - [R=404,END]
RewriteCond %{ENV:GAMEDATA_PAGE} 1
RewriteRule ${endpoint} /${PAGE_FILE} [END]
RewriteRule ${endpoint} /$0%{ENV:GAMEDATA_FOLDER}${INDEX_FILE} [END]
${picturesElsewhere}
# Everything else is a file at its own address, or nothing.
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule . - [R=404,END]
RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$
RewriteRule ^ - [R=405,END]
RewriteRule ^$ /index.html [END]
`;
}
