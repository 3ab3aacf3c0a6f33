import { type Kind, kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import type { ProbeRequest } from '../upstream/probe.ts';
import type { ExpectedSite } from './expected.ts';

/**
 * Either path templates separated by spaces, such as `{list}/ {record}/`, or a
 * function that lists paths. Templates are expanded once for each kind.
 */
export type Urls = string | ((site: ExpectedSite) => readonly string[]);

/** Describes one request for each combination of a URL and a method. */
export interface RequestPattern {
  readonly urls: Urls;
  /** Default: GET. */
  readonly methods?: readonly string[];
  readonly headers?: ProbeRequest['headers'];
}

/**
 * Creates one request for each combination of a URL and a method. If the pattern
 * consists only of URLs, the method is GET.
 */
export function createRequests(
  pattern: Urls | RequestPattern,
  site: ExpectedSite,
): ProbeRequest[] {
  const isOnlyUrls = typeof pattern !== 'object';
  const {
    urls,
    methods = ['GET'],
    headers = {},
  }: RequestPattern = isOnlyUrls ? { urls: pattern } : pattern;
  // Two templates may expand to the same path, for example if a list has only one
  // page.
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
  return listForEveryKind((kind) =>
    expandTemplates(templates, readVariables(site, kind)),
  );
}

function listForEveryKind(list: (kind: Kind) => readonly string[]): string[] {
  const all: string[] = [];
  for (const kind of kindNames) {
    for (const path of list(kind)) all.push(path);
  }
  return all;
}

type Variables = Readonly<Record<string, string | number | undefined>>;

/**
 * Drops templates with an undefined variable, which occur if a kind has no records.
 */
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

/** Returns the values of the template variables for one kind. */
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
    // These paths have no trailing slash. Templates add the slash if they need it.
    api: paths.API_PREFIX.slice(0, -1),
    list: paths.listPath(kind).slice(0, -1),
    // These URLs have the site's link style, so they may point to files.
    firstPage: pageUrls[0],
    lastPage: pageUrls.at(-1),
    firstRecord: recordUrls[0],
    lastRecord: recordUrls.at(-1),
    // The offsets of the second page, of the last page, and of a page that does not
    // exist.
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
    // Slugs are always in lower case, so no record has this slug.
    SLUG: slug.toUpperCase(),
  };
}

/** Lists the URL of the list itself and the URL of each of its pages. */
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

/**
 * Lists the icons to check. If all icons are redirects, lists only the first one. If
 * the site also has file links, lists none, because plain file servers cannot
 * redirect.
 */
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

/**
 * Concatenates one word from each part, in every combination. A `-` stands for an
 * empty word.
 */
export function combineWords(...parts: readonly string[]): string {
  let combined = [''];
  for (const part of parts) {
    const longer: string[] = [];
    for (const start of combined) {
      for (const word of splitWords(part)) {
        longer.push(word === '-' ? start : start + word);
      }
    }
    combined = longer;
  }
  return combined.join(' ');
}

/** Lists every subset of the given values in every order. */
export function arrange(values: readonly string[]): string[][] {
  const arrangements: string[][] = [[]];
  for (const value of values) {
    const otherValues = values.filter((other) => other !== value);
    for (const rest of arrange(otherValues)) arrangements.push([value, ...rest]);
  }
  return arrangements;
}
