import { fileRows } from '../contract/files.ts';
import type { GuaranteeName } from '../contract/guarantees.ts';
import * as paths from '../contract/paths.ts';
import {
  acceptImage,
  acceptOptions,
  type Comparator,
  checkCompression,
  checkNotModified,
  ifOk,
  includesMembers,
  isSameType,
  matchError,
  matchHead,
  matchHeader,
  matchJson,
  matchLocation,
  matchOrReject,
  matchStatus,
} from './comparators.ts';
import {
  addQueries,
  arrange,
  forEachKind,
  type ListPaths,
  listAllPages,
  listAllRecords,
  listIcons,
  listNames,
  listRoot,
} from './requests.ts';

/**
 * One request for each combination of a path and a method. Every comparator must
 * accept every response.
 */
export interface Row {
  readonly paths: ListPaths;
  readonly comparators: readonly Comparator[];
  /** The default is GET. */
  readonly methods?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

const row = (list: ListPaths, ...comparators: Comparator[]): Row => ({
  paths: list,
  comparators,
});

const api = paths.removeTrailingSlashes(paths.API_PREFIX);

/** The files that every site has, except for files whose names depend on the data. */
const siteFiles = listSiteFiles();

function listSiteFiles(): string[] {
  const names = [paths.OFFLINE_FILE, paths.PLACEHOLDER_ICON, paths.NAMES_INDEX_FILE];
  const files = ['/', '/docs/', '/style.css', ...names.map((name) => `/${name}`)];
  for (const { path } of fileRows.site) {
    if (!path.includes('{')) files.push(`/${path}`);
  }
  return files;
}

const samples = forEachKind((kind) => kind.samples);
const endpoints = forEachKind(({ list, record }) => [`${list}/`, `${record}/`]);
const samplesAndUnknown = forEachKind((kind) => [
  ...kind.samples,
  `${kind.list}/no-such-slug/`,
]);
const unknown = forEachKind(({ list, record, firstSlug }) => [
  `${list}/no-such-slug/`,
  `${list}/no-such-slug/?format=api`,
  `${list}/${firstSlug.toUpperCase()}/`,
  `${list}/offset/100/`,
  `${record}/more/`,
  `${api}/no-such-kind/`,
  `${list}/?format=xml`,
  `${list}/?format=API`,
]);
const unknownRecordFormats = forEachKind(({ record }) => [
  `${record}/?format=xml`,
  `${record}/?format=API`,
  `${record}/?format=json&format=xml`,
]);
const withoutSlash = forEachKind(({ list, record }) =>
  addQueries(
    [api, list, record, `${list}/no-such-slug`],
    ['', 'format=api&limit=100&offset=100', 'x=%20%C3%A9'],
  ),
);
/** Paths at which browsers get a page, and programs get JSON. */
const negotiated = forEachKind(({ list, record }) => [
  ...addQueries(
    [`${list}/`, `${record}/`, `${list}/no-such-slug/`, `${list}/a/b/`],
    ['', 'format=api', 'format=json'],
  ),
  `${api}/no-such-kind`,
  `${list}/?format=xml`,
]);

/**
 * The first, the second and the last page, with every subset of the parameters in
 * every order.
 */
const builtPages = forEachKind(({ list, secondOffset, lastOffset }) => {
  const queries: string[] = [];
  for (const format of ['api', 'json']) {
    for (const offset of [0, secondOffset, lastOffset]) {
      const parameters = [`format=${format}`, 'limit=100', `offset=${offset}`];
      for (const arrangement of arrange(parameters)) {
        queries.push(arrangement.join('&'));
      }
    }
  }
  return addQueries([`${list}/`], queries);
});

/** Page ranges, most of which are not built pages. */
const pageRanges = forEachKind(({ list, count }) => {
  const numbers = [1, 20, 50, 99, 101, count - 1, count, count + 1, 1_000_000_000];
  const queries: string[] = [];
  for (const number of numbers) queries.push(`limit=${number}`, `offset=${number}`);
  for (const invalid of ['0', '-1', 'abc', '1.5', '']) {
    queries.push(`limit=${invalid}&offset=30`, `limit=7&offset=${invalid}`);
  }
  queries.push('limit=20&offset=100', 'format=json&offset=95&limit=10');
  queries.push('utm=1', 'utm=1&offset=100');
  // The last value of a repeated parameter wins.
  queries.push('limit=100&limit=20', 'limit=20&limit=abc', 'offset=0&offset=100');
  return addQueries([`${list}/`], queries);
});

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
const gzip = { 'accept-encoding': 'gzip' };
const preflight = {
  origin: 'https://app.invalid',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization,x-test',
};

const matchCors = matchHeader('Access-Control-Allow-Origin');
const matchCaching = matchHeader('Cache-Control');
const matchPolicy = matchHeader('Content-Security-Policy', includesMembers);
const matchAllow = matchHeader('Allow', includesMembers);
const matchType = matchHeader('Content-Type', isSameType);

/** Checks API responses, including an error, and the site's other files. */
const everywhere = (comparator: Comparator): Row[] => [
  row(samplesAndUnknown, comparator),
  // Some of these files may be missing. For example, a site without names has no list
  // of languages.
  row(() => siteFiles, ifOk(comparator)),
];

export const table: Readonly<Record<GuaranteeName, readonly Row[]>> = {
  root: [row(listRoot, matchJson)],
  lists: [row(listAllPages, matchJson)],
  records: [row(listAllRecords, matchJson)],
  icons: [row(listIcons, acceptImage)],
  names: [row(listNames, matchJson)],
  'media-type': [row(samples, matchType)],
  head: [row(samples, matchHead)],
  etag: [
    row(samples, checkNotModified),
    row(() => siteFiles, ifOk(checkNotModified)),
    { ...row(samples, checkNotModified), headers: gzip },
  ],
  cors: everywhere(matchCors),
  exposed: [
    ...everywhere(matchHeader('Access-Control-Expose-Headers', includesMembers)),
    ...everywhere(matchHeader('Cross-Origin-Resource-Policy')),
  ],
  security: [
    ...everywhere(matchHeader('X-Content-Type-Options')),
    ...everywhere(matchPolicy),
  ],
  caching: [row(samples, matchCaching), row(() => siteFiles, ifOk(matchCaching))],
  vary: [row(samplesAndUnknown, matchHeader('Vary', includesMembers))],
  parameters: [row(builtPages, matchJson)],
  'no-wrong-page': [row(pageRanges, matchOrReject)],
  unknown: [row(unknown, matchError)],
  moved: [
    row(
      ({ moved }) => addQueries(moved, ['format=api']),
      matchStatus,
      matchLocation,
    ),
  ],
  'unknown-record-format': [row(unknownRecordFormats, matchError)],
  allow: [row(samplesAndUnknown, matchAllow)],
  slash: [row(withoutSlash, matchStatus, matchLocation, matchCors)],
  options: [
    { ...row(endpoints, acceptOptions, matchAllow), methods: ['OPTIONS'] },
    {
      ...row(
        endpoints,
        acceptOptions,
        matchCors,
        matchHeader('Access-Control-Allow-Methods', includesMembers),
        matchHeader('Access-Control-Allow-Headers', includesMembers),
      ),
      methods: ['OPTIONS'],
      headers: preflight,
    },
  ],
  'fresh-errors': [row(unknown, matchCaching)],
  compression: everywhere(checkCompression),
  method: [
    {
      ...row(endpoints, matchError, matchAllow),
      methods: ['POST', 'PUT', 'PATCH', 'DELETE'],
    },
  ],
  browser: [
    ...acceptHeaders.map((headers) => ({
      ...row(negotiated, matchStatus, matchType),
      headers,
    })),
    { ...row(samples, matchCaching, matchPolicy), headers: browser },
  ],
  'page-ranges': [row(pageRanges, matchJson)],
};
