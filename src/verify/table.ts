import { fileRows } from '../contract/files.ts';
import type { GuaranteeName } from '../contract/guarantees.ts';
import * as paths from '../contract/paths.ts';
import * as compare from './comparators.ts';
import {
  type Comparator,
  matchHeader,
  matchJson,
  matchStatus,
} from './comparators.ts';
import {
  arrange,
  combineWords,
  listAllPages,
  listAllRecords,
  listIcons,
  listNames,
  type RequestPattern,
  type Urls,
} from './requests.ts';

/**
 * Describes requests, and the comparators that must accept every response to them.
 */
type Row = readonly [Urls | RequestPattern, ...Comparator[]];

/** The first and the last page and record, with the URLs that the site links to. */
const samples = '{firstPage} {lastPage} {firstRecord} {lastRecord}';
const unknown = '{list}/no-such-slug/';
const endpoints = '{list}/ {record}/';
const names = `/${paths.NAMES_INDEX_FILE}`;
const placeholder = `/${paths.PLACEHOLDER_ICON}`;
const compressed = `/openapi.json /search.json ${names}`;
/**
 * The files that every site has, except for files whose names depend on the data.
 */
const siteFiles = listSiteFiles().join(' ');
const pages =
  '/ /index.html /browse.html /browse/ /docs/ /docs/index.html /404.html {list}/';
const missing = `{api}/no-such-kind {api}/no-such-kind/ {api}/a/b/c {list}/a/b/ ${unknown}`;

function listSiteFiles(): string[] {
  const files: string[] = [];
  for (const { path } of fileRows.site) {
    if (!path.includes('{')) files.push(`/${path}`);
  }
  return files;
}

/**
 * The default `Accept` header of browsers.
 *
 * @see
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Content_negotiation/List_of_default_Accept_values
 */
const browser = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
};
const acceptHeaders = [
  browser,
  { accept: '*/*' },
  { accept: 'application/json' },
  {},
];
const everyFormat = combineWords(
  `${endpoints} ${missing}`,
  '- ?format=api ?format=json',
);
const preflight = {
  origin: 'https://app.invalid',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization,x-test',
};

/**
 * The first, the second and the last page, with every subset of the parameters in
 * every order.
 */
const builtPages = listBuiltPages().join(' ');

function listBuiltPages(): string[] {
  const templates: string[] = [];
  for (const format of ['api', 'json']) {
    for (const offset of ['0', '{second}', '{last}']) {
      const parameters = [`format=${format}`, 'limit=100', `offset=${offset}`];
      for (const some of arrange(parameters)) {
        templates.push(`{list}/?${some.join('&')}`);
      }
    }
  }
  return templates;
}

const otherPages = combineWords(
  '{list}/?',
  `
  limit=20 limit=20&offset=100 format=api&limit=20&offset=0 limit=0 limit=-1 limit=abc limit= limit=0100 limit=1e2
  offset=50 limit=100&offset=50 offset=0100 offset=-100 offset=abc offset= offset={past} offset=100000000
  format=api&limit=100&offset={past} OFFSET=100 Limit=20 utm=1 offset=%31%30%30 offset=0&offset=100
  limit=100&limit=20 utm=1&offset=100`,
);

const huge = '9'.repeat(30);
/**
 * An integer consists of an optional sign and digits. Any other value is ignored in
 * favor of the default.
 */
const anyPages = combineWords(
  '{list}/?',
  `
  ${combineWords('limit=', `1 5 7 99 101 250 {less} {count} {more} 100000 005 %2B5 ${huge} ${'9'.repeat(4301)}`)}
  ${combineWords('offset=', '1 50 99 101 150 {less} {count} {more} 1000000000')}
  ${combineWords('limit=', '0 -1 abc 1.5 1e3 0x10 1_0 +5 5%20 %EF%BC%95 %C2%B2', '&offset=30')}
  ${combineWords('limit=7&offset=', '-1 abc 1.5 -0')}
  limit=&offset=30 limit=7&offset= limit=5&offset=${huge} limit=10&offset=5 limit=3&offset=199&format=api
  format=json&offset=95&limit=10 limit=3;offset=2 LIMIT=3&unknown=1&limit=4`,
);

const matchCors = matchHeader('Access-Control-Allow-Origin');
const matchCaching = matchHeader('Cache-Control', compare.hasMembers);
const matchAllow = matchHeader('Allow', compare.includesMembers);
const matchType = matchHeader('Content-Type', compare.isSameType);

/** Checks every kind of response. A site without names has no list of languages. */
const everywhere = (comparator: Comparator): Row[] => [
  [`${samples} ${unknown} ${placeholder}`, comparator],
  [`${siteFiles} ${names}`, compare.ifOk(comparator)],
];

export const table: Readonly<Record<GuaranteeName, readonly Row[]>> = {
  root: [['{root}', matchStatus, matchJson]],
  lists: [[listAllPages, matchStatus, matchJson]],
  records: [[listAllRecords, matchStatus, matchJson]],
  icons: [
    [placeholder, compare.acceptImage],
    [listIcons, compare.acceptImage],
  ],
  names: [[listNames, matchStatus, matchJson]],
  'media-type': [[samples, matchType]],
  head: [[samples, compare.matchHead]],
  etag: [[samples, compare.checkETag]],
  'not-modified': ['identity', 'gzip'].map((encoding) => [
    {
      urls: `${samples} ${compressed} ${placeholder}`,
      headers: { 'Accept-Encoding': encoding },
    },
    compare.checkNotModified,
  ]),
  cors: everywhere(matchCors),
  exposed: [
    ...everywhere(
      matchHeader('Access-Control-Expose-Headers', compare.includesMembers),
    ),
    ...everywhere(matchHeader('Cross-Origin-Resource-Policy')),
  ],
  nosniff: everywhere(matchHeader('X-Content-Type-Options')),
  'page-policy': [
    [
      { urls: pages, headers: browser },
      compare.ifPage(
        matchHeader('Content-Security-Policy', compare.includesMembers),
      ),
      compare.ifPage(matchHeader('X-Content-Type-Options')),
    ],
  ],
  caching: [
    [`${samples} ${names}`, compare.ifOk(matchCaching)],
    [{ urls: samples, headers: browser }, compare.ifPage(matchCaching)],
  ],
  freshness: [
    [`${siteFiles} ${placeholder} / /style.css`, compare.ifOk(matchCaching)],
  ],
  vary: [[`${samples} ${unknown}`, matchHeader('Vary', compare.includesMembers)]],
  parameters: [[builtPages, matchStatus, matchJson]],
  'no-wrong-page': [[otherPages, compare.matchOrReject]],
  'unknown-slug': [
    [
      `${unknown} ${unknown}?format=api {list}/{SLUG}/ {list}/0/`,
      compare.matchError,
    ],
  ],
  'unknown-path': [
    ['{api}/no-such-kind/ {list}/offset/100/ {record}/more/', compare.matchError],
  ],
  'unknown-format': [
    [combineWords('{list}/?format=', 'xml API html'), compare.matchError],
  ],
  moved: [
    [
      ({ moved }) => moved.map((path) => `${path}?format=api`),
      matchStatus,
      compare.matchLocation,
    ],
  ],
  'unknown-record-format': [
    [combineWords('{record}/?format=', 'xml API html'), compare.matchError],
  ],
  'encoded-names': [
    [
      combineWords('{list}/?', 'o%66fset=100 %6Fffset=100&%6Cimit=100 l%69mit=20'),
      compare.matchOrReject,
    ],
  ],
  allow: [[`${samples} ${unknown}`, matchAllow]],
  slash: [
    [
      combineWords(
        '{api} {list} {record} {list}/no-such-slug',
        '- ?format=api&limit=100&offset=100 ?x=%20%C3%A9',
      ),
      matchStatus,
      compare.matchLocation,
      matchCors,
    ],
  ],
  options: [
    [
      { urls: endpoints, methods: ['OPTIONS'] },
      compare.acceptStatus(200, 204),
      matchHeader('Allow', compare.hasMembers),
    ],
    [
      { urls: endpoints, methods: ['OPTIONS'], headers: preflight },
      compare.acceptStatus(200, 204),
      matchHeader('Allow', compare.hasMembers),
      matchCors,
      matchHeader('Access-Control-Allow-Methods', compare.includesMembers),
      matchHeader('Access-Control-Allow-Headers', compare.includesMembers),
    ],
  ],
  'fresh-errors': [
    [`${unknown} {api}/no-such-kind/ {list}/?format=xml`, matchCaching],
    [{ urls: unknown, headers: browser }, matchCaching],
  ],
  // Servers may reject malformed paths before they apply their own configuration.
  'any-path': [
    [
      combineWords(
        '{list}/',
        `%zz %00 a%2Fb %5C %0D%0A %E9 ${'x'.repeat(3000)}`,
        '/',
      ),
      compare.acceptError(400, 403, 404, 414),
      matchCors,
    ],
  ],
  compression: [
    [compressed, compare.checkCompression(true)],
    ['{list}/ /meta.json', compare.checkCompression(false)],
  ],
  method: [
    [
      { urls: endpoints, methods: ['POST', 'PUT', 'PATCH', 'DELETE'] },
      compare.matchError,
      matchAllow,
    ],
  ],
  browser: [
    ...acceptHeaders.map(
      (headers): Row => [{ urls: everyFormat, headers }, matchStatus, matchType],
    ),
    [{ urls: '{list}/?format=xml', headers: browser }, matchStatus, matchType],
    // Only hosts that run code serve these pages.
    [{ urls: '{list}/?limit=7 {list}/?offset=50', headers: browser }, matchType],
  ],
  windows: [[anyPages, matchStatus, matchJson]],
  repeated: [
    [
      combineWords(
        '{list}/?',
        'limit=10&limit=20 limit=20&limit=abc offset=10&offset=20 offset=100&offset=0 format=xml&format=json',
      ),
      matchStatus,
      matchJson,
    ],
    [combineWords(endpoints, '?format=json&format=xml'), compare.matchError],
  ],
};
