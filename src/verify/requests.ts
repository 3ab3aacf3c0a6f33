import { type Kind, kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import type { ProbeRequest } from '../http/probe.ts';
import type { ExpectedSite } from './expected.ts';

/**
 * Templates of paths, separated by spaces, such as `{list}/ {record}/`, or a function that lists
 * paths. Templates are expanded once for each kind.
 */
export type Urls = string | ((site: ExpectedSite) => readonly string[]);

/** Requests of every URL with every method. */
export interface RequestPattern {
  readonly urls: Urls;
  /** Default: GET. */
  readonly methods?: readonly string[];
  readonly headers?: ProbeRequest['headers'];
}

/** Creates a request of each URL with each method. A pattern of URLs alone means GET requests. */
export function createRequests(pattern: Urls | RequestPattern, site: ExpectedSite): ProbeRequest[] {
  const isOnlyUrls = typeof pattern !== 'object';
  const {
    urls,
    methods = ['GET'],
    headers = {},
  }: RequestPattern = isOnlyUrls ? { urls: pattern } : pattern;
  // Templates may name the same page twice, for example if there is only one page.
  const uniquePaths = new Set(listPaths(urls, site));
  const requests: ProbeRequest[] = [];
  for (const path of uniquePaths) {
    for (const method of methods) requests.push({ method, path, headers });
  }
  return requests;
}

function listPaths(urls: Urls, site: ExpectedSite): readonly string[] {
  if (typeof urls === 'function') return urls(site);
  return expandForEveryKind(urls, site);
}

function expandForEveryKind(templates: string, site: ExpectedSite): string[] {
  return listForEveryKind((kind) => expandTemplates(templates, readVariables(site, kind)));
}

function listForEveryKind(list: (kind: Kind) => readonly string[]): string[] {
  const all: string[] = [];
  for (const kind of kindNames) {
    for (const path of list(kind)) all.push(path);
  }
  return all;
}

type Variables = Readonly<Record<string, string | number | undefined>>;

/** Drops templates with undefined variables, which occur if a kind has no records. */
function expandTemplates(templates: string, variables: Variables): string[] {
  const expanded: string[] = [];
  for (const template of splitWords(templates)) {
    const path = template.replaceAll(/\{(\S+?)\}/g, (whole, name) => {
      return String(variables[name] ?? whole);
    });
    if (!path.includes('{')) expanded.push(path);
  }
  return expanded;
}

const splitWords = (words: string): string[] => words.trim().split(/\s+/);

/** Returns what the variables in templates stand for. */
function readVariables(site: ExpectedSite, kind: Kind): Variables {
  const records = site.records[kind];
  const count = records.length;
  const offsets = pageOffsets(count);
  const lastOffset = offsets.at(-1) ?? 0;
  const pageUrls = listPageUrls(site, kind);
  const recordUrls = listRecordUrls(site, kind);
  const hasFileLinks = site.linkBase.links === 'file';
  const variables: Variables = {
    root: hasFileLinks ? `/${paths.rootFile}` : paths.API_PREFIX,
    // Without a slash at the end, which templates add if they need it.
    api: paths.API_PREFIX.slice(0, -1),
    list: paths.listPath(kind).slice(0, -1),
    // URLs in the site's link style, which may point to files.
    firstPage: pageUrls[0],
    lastPage: pageUrls.at(-1),
    firstRecord: recordUrls[0],
    lastRecord: recordUrls.at(-1),
    // Offsets of the second and the last page, and of a page that does not exist.
    second: offsets[1] ?? 0,
    last: lastOffset,
    past: lastOffset + PAGE_SIZE,
    count,
    less: count - 1,
    more: count + 1,
  };
  const [firstRecord] = records;
  if (!firstRecord) return variables;
  const { slug } = firstRecord;
  return {
    ...variables,
    record: paths.recordPath(kind, slug).slice(0, -1),
    // Slugs are in lower case.
    SLUG: slug.toUpperCase(),
  };
}

/** Lists the URL of the list itself, and of each of its pages. */
function listPageUrls({ linkBase, records }: ExpectedSite, kind: Kind): string[] {
  const base = { baseUrl: '', links: linkBase.links };
  const urls = [paths.listUrl(base, kind)];
  for (const offset of pageOffsets(records[kind].length)) {
    urls.push(paths.listUrl(base, kind, { limit: PAGE_SIZE, offset }));
  }
  return urls;
}

function listRecordUrls({ linkBase, records }: ExpectedSite, kind: Kind): string[] {
  const base = { baseUrl: '', links: linkBase.links };
  return records[kind].map(({ slug }) => paths.recordUrl(base, kind, slug));
}

export const listAllPages = (site: ExpectedSite): string[] =>
  listForEveryKind((kind) => listPageUrls(site, kind));

export const listAllRecords = (site: ExpectedSite): string[] =>
  listForEveryKind((kind) => listRecordUrls(site, kind));

export function listNames({ languages }: ExpectedSite): string[] {
  if (languages.length === 0) return [];
  const files = languages.map((language) => `/${paths.namesFile(language)}`);
  return [`/${paths.NAMES_INDEX_FILE}`, ...files];
}

/** Lists only the first icon if all are redirected. Plain file servers cannot redirect. */
export function listIcons({ linkBase, records, icons }: ExpectedSite): string[] {
  const files: string[] = [];
  for (const kind of kindNames) {
    for (const { icon } of records[kind]) {
      if (icon) files.push(`/${icon}`);
    }
  }
  if (icons !== 'link') return files;
  const canRedirect = linkBase.links !== 'file';
  return canRedirect ? files.slice(0, 1) : [];
}

/** Joins one word from each part, in every combination; `-` stands for an empty word. */
export function combineWords(...parts: readonly string[]): string {
  let combined = [''];
  for (const part of parts) {
    const longer: string[] = [];
    for (const start of combined) {
      for (const word of splitWords(part)) longer.push(word === '-' ? start : start + word);
    }
    combined = longer;
  }
  return combined.join(' ');
}

/** Lists every order of every subset of these values. */
export function arrange(values: readonly string[]): string[][] {
  const arrangements: string[][] = [[]];
  for (const value of values) {
    const otherValues = values.filter((other) => other !== value);
    for (const rest of arrange(otherValues)) arrangements.push([value, ...rest]);
  }
  return arrangements;
}
