/** The maps of nginx's configuration: what of a request its server block decides by. */

import { NOT_FOUND_FILE } from '../contract/paths.ts';
import { type Parameter, parameters } from './host.ts';
import * as server from './web-server.ts';

/** Included by the configuration, if it exists, when nginx loads it. */
export const MOVED_MAP = '_hosts/nginx-moved.map';

/** A string of the configuration, in which a dollar starts a variable. A backslash is literal except before these letters. */
export function quote(text: string): string {
  const mark = text.includes("'") ? '"' : "'";
  return mark + text.replaceAll(/\\(?=["'\\tnr])/g, '\\\\').replaceAll(mark, `\\${mark}`) + mark;
}

/** A line of a map, for a regular expression. */
export const matching = (pattern: string, value: string): string => `${quote(`~${pattern}`)} ${value};`;

const parameterMap = (parameter: Parameter): string => `map $args $gamedata_${parameter} {
    ${matching(server.lastValue(parameter), '$1')}
    default '';
}`;

const belowMap = ({ base, basePattern }: server.WebServer): string =>
  base === ''
    ? ''
    : `
map $request_uri $gamedata_below {
    ${matching(`^/+${basePattern.slice(1)}/`, 'yes')}
    ${matching(`^/+${basePattern.slice(1)}(?:\\?|$)`, 'slashless')}
    default '';
}
`;

export const maps = (
  web: server.WebServer,
): string => `# Parameters, from the query as it was sent. $arg_limit would ignore letter case and return the first of repeated ones.
${parameters.map(parameterMap).join('\n')}

# The folder of the requested page, inside that of its list. If it does not exist, the response is an error.
map "$gamedata_limit:$gamedata_offset" $gamedata_folder {
    ':' '';
    ${matching(`^(?:${web.pageSize})?:0?$`, "''")}
    ${matching(`^(?:${web.pageSize})?:(${server.OFFSET})$`, server.pageFolder('$1'))}
    default ${server.pageFolder('none')};
}

# Content negotiation: clients that list HTML, as browsers do, get the page; any other that accepts JSON gets JSON.
map $http_accept $gamedata_json {
    '' yes;
    ${matching(server.accepts.json, 'yes')}
    default no;
}
map $http_accept $gamedata_html {
    '' no;
    ${matching(server.prefers.json, 'no')}
    ${matching(server.prefers.html, 'first')}
    ${matching(server.accepts.html, 'yes')}
    default no;
}
map "$gamedata_json:$gamedata_html:$gamedata_format" $gamedata_answer {
    yes:no: json;
    ${matching(`^yes:no:(?:${web.anyFormat})$`, 'json')}
    ${matching(`:first:(?:${web.browsable})?$`, 'page')}
    ${matching(`^yes:[a-z]+:(?:${web.anyFormat})?$`, 'json')}
    ${matching(`^no:yes:(?:${web.browsable})?$`, 'page')}
    ${matching(`^no:[a-z]+:(?:${web.anyFormat})?$`, 'unacceptable')}
    default unknown;
}
# For an error, too, browsers get a page: that of the API shows the JSON.
map "$gamedata_json:$gamedata_html:$gamedata_format" $gamedata_browser {
    ${matching(':json$', "''")}
    ${matching('^(?:[a-z]+:first|no:yes):', '1')}
    default '';
}
map "$request_method:$gamedata_browser:$request_uri" $gamedata_not_found {
    ${matching(`^(?:GET|HEAD):1:/*${web.basePattern}${web.prefix}`, '/_page')}
    ${matching('^(?:GET|HEAD):1:', `/${NOT_FOUND_FILE}`)}
    default /${web.errors[404]};
}
map $request_method $gamedata_other_method { GET ''; HEAD ''; default 1; }

# The next build may have what this one has not: errors are not kept.
map $status $gamedata_api_caching { ${matching('^[45]', quote(server.headerSets.error['Cache-Control']))} default ${quote(server.headerSets.api['Cache-Control'])}; }
map $status $gamedata_file_caching { ${matching('^[45]', quote(server.headerSets.error['Cache-Control']))} default ${quote(server.headerSets.file['Cache-Control'])}; }
map $status $gamedata_reason {
    ${Object.entries(server.earlyErrors)
      .map(([status, reason]) => `${status} ${quote(reason)};`)
      .join('\n    ')}
    default 'Error.';
}

# The URL as it was sent, with the missing trailing slash.
map $request_uri $gamedata_with_slash {
    ${matching(`^(${web.basePattern}${web.paths.slashless})(\\?.*)?$`, '$1/$2')}
    default '';
}

# Renamed records, as listed by the site; the asterisk makes the file optional.
map $uri $gamedata_moved {
    include ${quote(`${web.root}/${MOVED_MAP.replace('.map', '.map*')}`)};
    default '';
}
${belowMap(web)}`;
