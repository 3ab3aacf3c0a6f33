/** Caddy: one site. No code runs there, so only the built pages are answered. */

import { DOWNLOAD_FOLDER } from '../contract/addresses.ts';
import { errorBody, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../contract/errors.ts';
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

export const caddy: Host = {
  summary: 'one site: the built pages, every other window refused with 400',
  cannot: ['windows', 'repeated'],
  files: ({ routes }) => [
    { path: '_hosts/Caddyfile', body: configuration(routes) },
    { path: MOVED_MAP, body: movedMap(routes) },
  ],
};

/** What the configuration reads, if it is there, when Caddy loads it. */
const MOVED_MAP = '_hosts/caddy-moved.map';

/** Caddy cannot import an empty file, so it begins with a line for people. */
const movedMap = ({ moved }: RouteTable): string =>
  [
    '# Old addresses of renamed records, and where they lead.',
    ...moved.map(({ path, to }) => `${path} ${to}`),
    '',
  ].join('\n');

/** A token without escapes, for regular expressions. */
const raw = (text: string): string => `\`${text}\``;

/** A body; braces would begin a placeholder, and those that do begin one are written as `<name>`. */
const body = (text: string): string => raw(text.replaceAll(/[{}]/g, '\\$&').replaceAll(/<(.*?)>/g, '{$1}'));

const parameterMap = (parameter: Parameter): string =>
  `map {query} {gamedata_${parameter}} {
		${raw(`~${lastValue(parameter)}`)} \${1}
		default ""
	}`;

const headers = (matcher: string, fields: Readonly<Record<string, string>>): string =>
  `header ${matcher}{
${Object.entries(fields)
  .map(([name, value]) => `			${name} "${value}"`)
  .join('\n')}
		}`;

/** Types that Caddy does not know, or knows otherwise. */
const typeMatchers = (): string =>
  Object.keys(mediaTypes)
    .map((ending, at) => `@type${at} path_regexp ${ending.replaceAll('.', '\\.')}$`)
    .join('\n\t');
const typeHeaders = (): string =>
  Object.values(mediaTypes)
    .map((type, at) => `header @type${at} Content-Type "${type}"`)
    .join('\n\t\t');

function configuration(routes: RouteTable): string {
  const { prefix, pageSize, formats, errors, pictures } = routes;
  const paths = pathPatterns(routes);
  const browsable = formats.filter((format) => format !== JSON_FORMAT).join('|');
  const isElsewhere = pictures.upstream !== null;
  const pictureMatcher = isElsewhere
    ? `	@picture {
		path_regexp picture ^${pictures.path}(${paths.picture})$
		not file
	}
`
    : '';
  const pictureRedirect = isElsewhere
    ? `		# Pictures that the site does not hold itself are the upstream's.
		redir @picture ${pictures.upstream}{re.picture.1} 302
`
    : '';
  return `# Made by gamedata for Caddy: copy it to /etc/caddy/Caddyfile, say below what address to serve (a domain gets HTTPS by itself)
# and where the site is (twice), and reload. It does not depend on the data: a new site needs neither a copy nor a reload, but
# that renamed records are redirected to from the next reload on.

:80 {
	root * /srv/gamedata

	# The parameters, read from the query as it was sent. {query.limit} would join the values of repeated ones.
	${(['format', 'limit', 'offset'] as const).map(parameterMap).join('\n\t')}

	# The folder of the page that is asked for, inside the list's. Where it does not exist the request is refused.
	map "{gamedata_limit}:{gamedata_offset}" {gamedata_folder} {
		${raw(`~^(?:${pageSize})?:0?$`)} ""
		${raw(`~^(?:${pageSize})?:(${OFFSET})$`)} ${pageFolder(routes, `\${1}`)}
		default ${pageFolder(routes, 'none')}
	}

	# A missing final slash, put into the address as it was sent.
	map {uri} {gamedata_with_slash} {
		${raw(`~^(${paths.slashless})(\\?.*)?$`)} \${1}/\${2}
		default ""
	}

	# Renamed records, as the site lists them: with a star it may be missing. Their query is kept.
	map {path} {gamedata_moved} {
		import /srv/gamedata/${MOVED_MAP.replace('.map', '.map*')}
		default ""
	}
	map {uri} {gamedata_query} {
		${raw('~^[^?]*(\\?.*)$')} \${1}
		default ""
	}

	# Paths by regular expression: Caddy's own matching of paths ignores case.
	@api path_regexp ^${prefix.slice(0, -1)}(?:/|$)
	@list path_regexp ^${paths.list}$
	@endpoint path_regexp ^(?:${prefix}|${paths.list}|${paths.record})$
	@hidden path_regexp ${paths.hidden}
	@slashless {
		path_regexp ^${paths.slashless}$
		not vars {gamedata_with_slash} ""
	}
${pictureMatcher}
	# Who asks: a browser, which names HTML, gets the page, everybody else who can read JSON gets JSON.
	@preflight method OPTIONS
	@other_method not method GET HEAD
	@unknown_format not vars_regexp {gamedata_format} ^(?:${formats.join('|')})?$
	@page {
		vars_regexp {gamedata_format} ^(?:${browsable})?$
		header_regexp Accept ${raw(prefers.html)}
		not header_regexp Accept ${raw(prefers.json)}
	}
	@only_page {
		vars_regexp {gamedata_format} ^(?:${browsable})?$
		header_regexp Accept ${raw(accepts.html)}
		not header_regexp Accept ${raw(accepts.json)}
	}
	@unacceptable {
		header Accept *
		not header_regexp Accept ${raw(accepts.json)}
		not {
			vars_regexp {gamedata_format} ^(?:${browsable})?$
			header_regexp Accept ${raw(accepts.html)}
		}
	}
	@html path_regexp (?:^/|\\.html)$
	@download path_regexp ^/${DOWNLOAD_FOLDER}
	${typeMatchers()}

	# In this order: outside of a route Caddy sorts directives, and a browser would get the page for what is not there.
	route {
		${headers('', commonHeaders)}
		${headers('@api ', apiHeaders)}
		${headers('@preflight ', preflightHeaders)}
		respond @preflight 204
		redir @slashless {gamedata_with_slash} 301

		route @endpoint {
			error @unknown_format 404
			error @unacceptable 406
			error @other_method 405
			route @list {
				@unbuilt not file {path}{gamedata_folder}${INDEX_FILE}
				error @unbuilt 400
				rewrite {path}{gamedata_folder}
			}
			@moved {
				not file {path}${INDEX_FILE}
				not vars {gamedata_moved} ""
			}
			redir @moved {gamedata_moved}{gamedata_query} 301
			@missing not file {path}${INDEX_FILE}
			error @missing 404
			rewrite @page /${PAGE_FILE}
			rewrite @only_page /${PAGE_FILE}
			@json path */
			rewrite @json {path}${INDEX_FILE}
		}

		# Hosts' configuration, this file too, is no part of the site.
		error @hidden 404
${pictureRedirect}		# Everything else is a file at its own address, or nothing.
		rewrite / /index.html
		@folder path_regexp /$
		error @folder 404
		@nothing not file
		error @nothing 404
		error @other_method 405
		${headers('@html ', pageHeaders)}
		${headers('@download ', downloadHeaders)}
		${typeHeaders()}
		file_server {
			disable_canonical_uris
		}
	}

	handle_errors {
		@400 expression {err.status_code} == 400
		@404 expression {err.status_code} == 404
		@405 expression {err.status_code} == 405
		@406 expression {err.status_code} == 406
		@refused expression {err.status_code} in [400, 404, 405, 406]
		@not_head not method HEAD
		route {
			${headers('', apiHeaders).replaceAll('\n', '\n\t')}
			header @refused Content-Type application/json
			respond @405 ${body(errorBody(notAllowedDetail('<method>')))} 405
			respond @406 ${body(errorBody(NOT_ACCEPTABLE_DETAIL))} 406
			# A file is sent to who asks for it with GET only, and these answer other methods too.
			method @not_head GET
			rewrite @400 /${errors[400]}
			rewrite @404 /${errors[404]}
			file_server {
				disable_canonical_uris
			}
		}
	}
}
`;
}
