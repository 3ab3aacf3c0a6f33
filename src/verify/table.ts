/** The table of guarantees: requests, and how their responses are compared with the request handler's. */

import { fileRows } from '../contract/files.ts';
import type { GuaranteeName } from '../contract/guarantees.ts';
import * as compare from './comparators.ts';
import { type Comparator, sameHeader, sameJson, sameStatus } from './comparators.ts';
import { hasETag, sameCompressed, sameHead, sameNotModified } from './follow-ups.ts';
import * as requests from './requests.ts';

export type Row = readonly [requests.Urls | requests.Requests, ...Comparator[]];

/** The first and last page and record of each kind. */
const samples = '{firstPage} {lastPage} {firstRecord} {lastRecord}';
const unknown = '{list}/no-such-slug/';
const endpoints = '{list}/ {record}/';
const names = '/names/index.json';
const placeholder = '/sprites/items/unknown.png';
const compressed = `/openapi.json /search.json ${names}`;
const siteFiles = fileRows.site
  .map(({ path }) => `/${path}`)
  .filter((path) => !path.includes('{'))
  .join(' ');
/** URLs that may be HTML. */
const pages = '/ /index.html /browse.html /browse/ /docs/ /docs/index.html /404.html {list}/';
const missing = `{api}/no-such-kind {api}/no-such-kind/ {api}/a/b/c {list}/a/b/ ${unknown}`;

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Content_negotiation/List_of_default_Accept_values */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const preflight = {
  origin: 'https://app.invalid',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization,x-test',
};

/** Maps each word of a text. */
const mapWords = (words: string, map: (word: string) => string | readonly string[]): string =>
  words.trim().split(/\s+/).flatMap(map).join(' ');

/** Adds each query to each list. */
const toQueries = (queries: string): string => mapWords(queries, (query) => `{list}/?${query}`);

/** Lists every order of every subset. */
const arrange = (values: readonly string[]): string[][] => [
  [],
  ...values.flatMap((value) =>
    arrange(values.filter((other) => other !== value)).map((rest) => [value, ...rest]),
  ),
];

/** The first, the second and the last page, with every order and subset of parameters. */
const builtPages = mapWords('0 {second} {last}', (offset) =>
  mapWords('api json', (format) =>
    arrange([`format=${format}`, 'limit=100', `offset=${offset}`]).map(
      (pairs) => `{list}/?${pairs.join('&')}`,
    ),
  ),
);

const otherPages = toQueries(`
  limit=20 limit=20&offset=100 format=api&limit=20&offset=0 limit=0 limit=-1 limit=abc limit= limit=0100 limit=1e2
  offset=50 limit=100&offset=50 offset=0100 offset=-100 offset=abc offset= offset={past} offset=100000000
  format=api&limit=100&offset={past} OFFSET=100 Limit=20 utm=1 offset=%31%30%30 offset=0&offset=100
  limit=100&limit=20 utm=1&offset=100`);

const huge = '9'.repeat(30);
/** An integer is an optional sign and digits; any other value means the default. */
const anyPages = toQueries(`
  ${mapWords(`1 5 7 99 101 250 {less} {count} {more} 100000 005 %2B5 ${huge} ${'9'.repeat(4301)}`, (limit) => `limit=${limit}`)}
  ${mapWords('1 50 99 101 150 {less} {count} {more} 1000000000', (offset) => `offset=${offset}`)}
  ${mapWords('0 -1 abc 1.5 1e3 0x10 1_0 +5 5%20 %EF%BC%95 %C2%B2', (limit) => `limit=${limit}&offset=30`)}
  ${mapWords('-1 abc 1.5 -0', (offset) => `limit=7&offset=${offset}`)}
  limit=&offset=30 limit=7&offset= limit=5&offset=${huge} limit=10&offset=5 limit=3&offset=199&format=api
  format=json&offset=95&limit=10 limit=3;offset=2 LIMIT=3&unknown=1&limit=4`);

const sameCors = sameHeader('Access-Control-Allow-Origin');
const sameCaching = sameHeader('Cache-Control', compare.hasMembers);
const sameAllow = sameHeader('Allow', compare.includesMembers);
const sameType = sameHeader('Content-Type', compare.isSameType);

/** Compares every kind of response. Deployments of other programs may lack some files. */
const everywhere = (comparator: Comparator): Row[] => [
  [`${samples} ${unknown} ${placeholder}`, comparator],
  [`${siteFiles} ${names}`, compare.ifOk(comparator)],
];

export const table: Readonly<Record<GuaranteeName, readonly Row[]>> = {
  root: [['{root}', sameStatus, compare.sameRoot]],
  lists: [[requests.everyPage, sameStatus, sameJson]],
  records: [[requests.everyRecord, sameStatus, sameJson]],
  icons: [
    [placeholder, compare.isImage],
    [requests.everyIcon, compare.isImage],
  ],
  names: [[requests.everyName, sameStatus, sameJson]],
  'media-type': [[samples, sameType]],
  head: [[samples, sameHead]],
  etag: [[samples, hasETag]],
  'not-modified': ['identity', 'gzip'].map((encoding) => [
    { urls: `${samples} ${compressed} ${placeholder}`, headers: { 'Accept-Encoding': encoding } },
    sameNotModified,
  ]),
  cors: everywhere(sameCors),
  exposed: [
    ...everywhere(sameHeader('Access-Control-Expose-Headers', compare.includesMembers)),
    ...everywhere(sameHeader('Cross-Origin-Resource-Policy')),
  ],
  nosniff: everywhere(sameHeader('X-Content-Type-Options')),
  'page-policy': [
    [
      { urls: pages, headers: browser },
      compare.ifPage(sameHeader('Content-Security-Policy', compare.includesMembers)),
      compare.ifPage(sameHeader('X-Content-Type-Options')),
    ],
  ],
  caching: [
    [`${samples} ${names}`, compare.ifOk(sameCaching)],
    [{ urls: samples, headers: browser }, compare.ifPage(sameCaching)],
  ],
  freshness: [[`${siteFiles} ${placeholder} / /style.css`, compare.ifOk(sameCaching)]],
  vary: [[`${samples} ${unknown}`, sameHeader('Vary', compare.includesMembers)]],
  parameters: [[builtPages, sameStatus, sameJson]],
  'no-wrong-page': [[otherPages, compare.sameOrRejected]],
  'unknown-slug': [[`${unknown} ${unknown}?format=api {list}/{SLUG}/ {list}/0/`, compare.sameError]],
  'unknown-path': [['{api}/no-such-kind/ {list}/offset/100/ {record}/more/', compare.sameError]],
  'unknown-format': [[toQueries('format=xml format=API format=html'), compare.sameError]],
  moved: [[requests.everyMovedRecord, sameStatus, compare.sameLocation]],
  'unknown-record-format': [
    ['{record}/?format=xml {record}/?format=API {record}/?format=html', compare.sameError],
  ],
  'encoded-names': [[toQueries('o%66fset=100 %6Fffset=100&%6Cimit=100 l%69mit=20'), compare.sameOrRejected]],
  allow: [[`${samples} ${unknown}`, sameAllow]],
  slash: [
    [
      mapWords('{api} {list} {record} {list}/no-such-slug', (path) => [
        path,
        `${path}?format=api&limit=100&offset=100`,
        `${path}?x=%20%C3%A9`,
      ]),
      sameStatus,
      compare.sameLocation,
      sameCors,
    ],
  ],
  options: [
    [
      { urls: endpoints, methods: ['OPTIONS'] },
      compare.hasStatus(200, 204),
      sameHeader('Allow', compare.hasMembers),
    ],
    [
      { urls: endpoints, methods: ['OPTIONS'], headers: preflight },
      compare.hasStatus(200, 204),
      sameHeader('Allow', compare.hasMembers),
      sameCors,
      sameHeader('Access-Control-Allow-Methods', compare.includesMembers),
      sameHeader('Access-Control-Allow-Headers', compare.includesMembers),
    ],
  ],
  'fresh-errors': [
    [`${unknown} {api}/no-such-kind/ {list}/?format=xml`, sameCaching],
    [{ urls: unknown, headers: browser }, sameCaching],
  ],
  // Servers may reject malformed paths before they apply their configuration.
  'any-path': [
    [
      mapWords(`%zz %00 a%2Fb %5C %0D%0A %E9 ${'x'.repeat(3000)}`, (slug) => `{list}/${slug}/`),
      compare.isError(400, 403, 404, 414),
      sameCors,
    ],
  ],
  compression: [
    [compressed, sameCompressed(true)],
    ['{list}/ /meta.json', sameCompressed(false)],
  ],
  method: [[{ urls: endpoints, methods: ['POST', 'PUT', 'PATCH', 'DELETE'] }, compare.sameError, sameAllow]],
  browser: [
    ...[browser, { accept: '*/*' }, { accept: 'application/json' }, {}].map(
      (headers): Row => [
        {
          urls: mapWords(`${endpoints} ${missing}`, (path) => [
            path,
            `${path}?format=api`,
            `${path}?format=json`,
          ]),
          headers,
        },
        sameStatus,
        sameType,
      ],
    ),
    [{ urls: '{list}/?format=xml', headers: browser }, sameStatus, sameType],
    // These pages exist only where code runs.
    [{ urls: '{list}/?limit=7 {list}/?offset=50', headers: browser }, sameType],
  ],
  windows: [[anyPages, sameStatus, sameJson]],
  repeated: [
    [
      toQueries(
        'limit=10&limit=20 limit=20&limit=abc offset=10&offset=20 offset=100&offset=0 format=xml&format=json',
      ),
      sameStatus,
      sameJson,
    ],
    [mapWords(endpoints, (path) => `${path}?format=json&format=xml`), compare.sameError],
  ],
};
