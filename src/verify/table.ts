import { fileRows } from '../contract/files.ts';
import type { GuaranteeName } from '../contract/guarantees.ts';
import { type Kind, kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import type { ProbeRequest } from '../http/probe.ts';
import * as compare from './comparators.ts';
import { type Comparator, matchHeader, matchJson, matchStatus } from './comparators.ts';
import type { ExpectedSite } from './expected.ts';

type Urls = string | ((site: ExpectedSite) => readonly string[]);

interface Requests {
  readonly urls: Urls;
  readonly methods?: readonly string[];
  readonly headers?: ProbeRequest['headers'];
}

type Row = readonly [Urls | Requests, ...Comparator[]];

export function createRequests(requests: Urls | Requests, site: ExpectedSite): ProbeRequest[] {
  const given: Requests = typeof requests === 'object' ? requests : { urls: requests };
  const { urls, methods = ['GET'], headers = {} } = given;
  const all =
    typeof urls === 'string' ? kindNames.flatMap((kind) => expand(urls, site, kind)) : urls(site);
  return [...new Set(all)].flatMap((path) => methods.map((method) => ({ method, path, headers })));
}

/** Drops templates with undefined variables, which occur if a kind has no records. */
function expand(templates: string, site: ExpectedSite, kind: Kind): string[] {
  const variables = readVariables(site, kind);
  return splitWords(templates)
    .map((template) =>
      template.replaceAll(/\{(\S+?)\}/g, (unknown, name) => `${variables[name] ?? unknown}`),
    )
    .filter((url) => !url.includes('{'));
}

const splitWords = (words: string): string[] => words.trim().split(/\s+/);

function readVariables(
  site: ExpectedSite,
  kind: Kind,
): Readonly<Record<string, string | number | undefined>> {
  const { linkBase, records } = site;
  const [count, first] = [records[kind].length, records[kind][0]];
  const offsets = pageOffsets(count);
  const last = offsets.at(-1) ?? 0;
  const [pages, urls] = [listPages(site, kind), listRecords(site, kind)];
  return {
    root: linkBase.links === 'file' ? `/${paths.rootFile}` : paths.API_PREFIX,
    api: paths.API_PREFIX.slice(0, -1),
    list: paths.listPath(kind).slice(0, -1),
    // The first record, and its slug in the wrong case.
    ...(first && {
      record: paths.recordPath(kind, first.slug).slice(0, -1),
      SLUG: first.slug.toUpperCase(),
    }),
    // URLs in the site's link style, which may point to files.
    ...{
      firstPage: pages[0],
      lastPage: pages.at(-1),
      firstRecord: urls[0],
      lastRecord: urls.at(-1),
    },
    ...{
      second: offsets[1] ?? 0,
      last,
      past: last + PAGE_SIZE,
      count,
      less: count - 1,
      more: count + 1,
    },
  };
}

function listPages({ linkBase: { links }, records }: ExpectedSite, kind: Kind): string[] {
  const ranges = pageOffsets(records[kind].length).map((offset) => ({ limit: PAGE_SIZE, offset }));
  return [undefined, ...ranges].map((range) => paths.listUrl({ baseUrl: '', links }, kind, range));
}

const listRecords = ({ linkBase: { links }, records }: ExpectedSite, kind: Kind): string[] =>
  records[kind].map(({ slug }) => paths.recordUrl({ baseUrl: '', links }, kind, slug));

const listNames = ({ languages }: ExpectedSite): string[] =>
  languages.length > 0
    ? [names, ...languages.map((language) => `/${paths.namesFile(language)}`)]
    : [];

/** Lists only the first icon if all are redirected. Plain file servers cannot redirect. */
function listIcons({ linkBase, records, icons }: ExpectedSite): string[] {
  const files = kindNames.flatMap((kind) =>
    records[kind].flatMap(({ icon }) => (icon ? [`/${icon}`] : [])),
  );
  if (icons !== 'link') return files;
  return linkBase.links === 'file' ? [] : files.slice(0, 1);
}

const samples = '{firstPage} {lastPage} {firstRecord} {lastRecord}';
const unknown = '{list}/no-such-slug/';
const endpoints = '{list}/ {record}/';
const names = `/${paths.NAMES_INDEX_FILE}`;
const placeholder = `/${paths.PLACEHOLDER_ICON}`;
const compressed = `/openapi.json /search.json ${names}`;
const siteFiles = fileRows.site
  .map(({ path }) => `/${path}`)
  .filter((path) => !path.includes('{'))
  .join(' ');
const pages = '/ /index.html /browse.html /browse/ /docs/ /docs/index.html /404.html {list}/';
const missing = `{api}/no-such-kind {api}/no-such-kind/ {api}/a/b/c {list}/a/b/ ${unknown}`;

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Content_negotiation/List_of_default_Accept_values */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const preflight = {
  origin: 'https://app.invalid',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization,x-test',
};

/** Joins one word from each part, in every combination; `-` stands for an empty word. */
const combine = (...parts: readonly string[]): string =>
  parts
    .map((words) => splitWords(words).map((word) => (word === '-' ? '' : word)))
    .reduce((all, words) => all.flatMap((start) => words.map((end) => start + end)))
    .join(' ');

const arrange = (values: readonly string[]): string[][] => [
  [],
  ...values.flatMap((value) =>
    arrange(values.filter((other) => other !== value)).map((rest) => [value, ...rest]),
  ),
];

/** The first, the second and the last page, with every order and subset of parameters. */
const builtPages = ['api', 'json'].flatMap((format) =>
  ['0', '{second}', '{last}'].flatMap((offset) =>
    arrange([`format=${format}`, 'limit=100', `offset=${offset}`]).map(
      (all) => `{list}/?${all.join('&')}`,
    ),
  ),
);

const otherPages = combine(
  '{list}/?',
  `
  limit=20 limit=20&offset=100 format=api&limit=20&offset=0 limit=0 limit=-1 limit=abc limit= limit=0100 limit=1e2
  offset=50 limit=100&offset=50 offset=0100 offset=-100 offset=abc offset= offset={past} offset=100000000
  format=api&limit=100&offset={past} OFFSET=100 Limit=20 utm=1 offset=%31%30%30 offset=0&offset=100
  limit=100&limit=20 utm=1&offset=100`,
);

const huge = '9'.repeat(30);
/** An integer is an optional sign and digits; any other value means the default. */
const anyPages = combine(
  '{list}/?',
  `
  ${combine('limit=', `1 5 7 99 101 250 {less} {count} {more} 100000 005 %2B5 ${huge} ${'9'.repeat(4301)}`)}
  ${combine('offset=', '1 50 99 101 150 {less} {count} {more} 1000000000')}
  ${combine('limit=', '0 -1 abc 1.5 1e3 0x10 1_0 +5 5%20 %EF%BC%95 %C2%B2', '&offset=30')}
  ${combine('limit=7&offset=', '-1 abc 1.5 -0')}
  limit=&offset=30 limit=7&offset= limit=5&offset=${huge} limit=10&offset=5 limit=3&offset=199&format=api
  format=json&offset=95&limit=10 limit=3;offset=2 LIMIT=3&unknown=1&limit=4`,
);

const matchCors = matchHeader('Access-Control-Allow-Origin');
const matchCaching = matchHeader('Cache-Control', compare.hasMembers);
const matchAllow = matchHeader('Allow', compare.includesMembers);
const matchType = matchHeader('Content-Type', compare.isSameType);

/** Compares every kind of response. Deployments not built by gamedata may lack some files. */
const everywhere = (comparator: Comparator): Row[] => [
  [`${samples} ${unknown} ${placeholder}`, comparator],
  [`${siteFiles} ${names}`, compare.ifOk(comparator)],
];

export const table: Readonly<Record<GuaranteeName, readonly Row[]>> = {
  root: [['{root}', matchStatus, compare.matchRoot]],
  lists: [[(site) => kindNames.flatMap((kind) => listPages(site, kind)), matchStatus, matchJson]],
  records: [
    [(site) => kindNames.flatMap((kind) => listRecords(site, kind)), matchStatus, matchJson],
  ],
  icons: [
    [placeholder, compare.acceptImage],
    [listIcons, compare.acceptImage],
  ],
  names: [[listNames, matchStatus, matchJson]],
  'media-type': [[samples, matchType]],
  head: [[samples, compare.matchHead]],
  etag: [[samples, compare.checkETag]],
  'not-modified': ['identity', 'gzip'].map((encoding) => [
    { urls: `${samples} ${compressed} ${placeholder}`, headers: { 'Accept-Encoding': encoding } },
    compare.checkNotModified,
  ]),
  cors: everywhere(matchCors),
  exposed: [
    ...everywhere(matchHeader('Access-Control-Expose-Headers', compare.includesMembers)),
    ...everywhere(matchHeader('Cross-Origin-Resource-Policy')),
  ],
  nosniff: everywhere(matchHeader('X-Content-Type-Options')),
  'page-policy': [
    [
      { urls: pages, headers: browser },
      compare.ifPage(matchHeader('Content-Security-Policy', compare.includesMembers)),
      compare.ifPage(matchHeader('X-Content-Type-Options')),
    ],
  ],
  caching: [
    [`${samples} ${names}`, compare.ifOk(matchCaching)],
    [{ urls: samples, headers: browser }, compare.ifPage(matchCaching)],
  ],
  freshness: [[`${siteFiles} ${placeholder} / /style.css`, compare.ifOk(matchCaching)]],
  vary: [[`${samples} ${unknown}`, matchHeader('Vary', compare.includesMembers)]],
  parameters: [[builtPages.join(' '), matchStatus, matchJson]],
  'no-wrong-page': [[otherPages, compare.matchOrReject]],
  'unknown-slug': [
    [`${unknown} ${unknown}?format=api {list}/{SLUG}/ {list}/0/`, compare.matchError],
  ],
  'unknown-path': [['{api}/no-such-kind/ {list}/offset/100/ {record}/more/', compare.matchError]],
  'unknown-format': [[combine('{list}/?format=', 'xml API html'), compare.matchError]],
  moved: [
    [({ moved }) => moved.map((path) => `${path}?format=api`), matchStatus, compare.matchLocation],
  ],
  'unknown-record-format': [[combine('{record}/?format=', 'xml API html'), compare.matchError]],
  'encoded-names': [
    [
      combine('{list}/?', 'o%66fset=100 %6Fffset=100&%6Cimit=100 l%69mit=20'),
      compare.matchOrReject,
    ],
  ],
  allow: [[`${samples} ${unknown}`, matchAllow]],
  slash: [
    [
      combine(
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
  // Servers may reject malformed paths before they apply their configuration.
  'any-path': [
    [
      combine('{list}/', `%zz %00 a%2Fb %5C %0D%0A %E9 ${'x'.repeat(3000)}`, '/'),
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
    ...[browser, { accept: '*/*' }, { accept: 'application/json' }, {}].map(
      (headers): Row => [
        { urls: combine(`${endpoints} ${missing}`, '- ?format=api ?format=json'), headers },
        matchStatus,
        matchType,
      ],
    ),
    [{ urls: '{list}/?format=xml', headers: browser }, matchStatus, matchType],
    // Only hosts that run code have these pages.
    [{ urls: '{list}/?limit=7 {list}/?offset=50', headers: browser }, matchType],
  ],
  windows: [[anyPages, matchStatus, matchJson]],
  repeated: [
    [
      combine(
        '{list}/?',
        'limit=10&limit=20 limit=20&limit=abc offset=10&offset=20 offset=100&offset=0 format=xml&format=json',
      ),
      matchStatus,
      matchJson,
    ],
    [combine(endpoints, '?format=json&format=xml'), compare.matchError],
  ],
};
