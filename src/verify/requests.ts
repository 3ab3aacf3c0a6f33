/** Requests for any site, as URL templates with variables such as `{list}`. */

import { type Kind, kindNames } from '../contract/kinds.ts';
import * as paths from '../contract/paths.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import type { ProbeRequest } from '../http/probe.ts';
import type { ExpectedSite } from './expected.ts';

/** Templates separated by spaces, or URLs relative to the base URL. */
export type Urls = string | ((site: ExpectedSite) => readonly string[]);

export interface Requests {
  readonly urls: Urls;
  /** Default: GET. */
  readonly methods?: readonly string[];
  readonly headers?: ProbeRequest['headers'];
}

export function createRequests(requests: Urls | Requests, site: ExpectedSite): ProbeRequest[] {
  const {
    urls,
    methods = ['GET'],
    headers = {},
  } = typeof requests === 'object' ? requests : { urls: requests };
  const expanded =
    typeof urls === 'string' ? kindNames.flatMap((kind) => expand(urls, site, kind)) : urls(site);
  return [...new Set(expanded)].flatMap((path) => methods.map((method) => ({ method, path, headers })));
}

/** Drops templates whose variables have no value, because a kind has no records. */
function expand(templates: string, site: ExpectedSite, kind: Kind): string[] {
  const variables = readVariables(site, kind);
  return templates
    .trim()
    .split(/\s+/)
    .flatMap((template) => {
      const names = Array.from(template.matchAll(/\{(\S+?)\}/g), ([, name = '']) => name);
      if (names.some((name) => variables[name] === undefined)) return [];
      return template.replaceAll(/\{(\S+?)\}/g, (_, name) => String(variables[name]));
    });
}

function readVariables(
  site: ExpectedSite,
  kind: Kind,
): Readonly<Record<string, string | number | undefined>> {
  const { linkBase, records } = site;
  const [count, first, last] = [records[kind].length, records[kind].at(0), records[kind].at(-1)];
  const lastOffset = pageOffsets(count).at(-1) ?? 0;
  return {
    root: linkBase.links === 'file' ? `/${paths.rootFile}` : paths.API_PREFIX,
    api: withoutSlash(paths.API_PREFIX),
    list: withoutSlash(paths.listPath(kind)),
    /** The first record, and its slug in the wrong case. */
    record: first && withoutSlash(paths.recordPath(kind, first.slug)),
    SLUG: first?.slug.toUpperCase(),
    /** As in links, which may point to files. */
    ...{ firstPage: pageUrl(linkBase, kind), lastPage: pageUrl(linkBase, kind, lastOffset) },
    ...{
      firstRecord: first && recordUrl(linkBase, kind, first),
      lastRecord: last && recordUrl(linkBase, kind, last),
    },
    /** Offsets, and the number of records. */
    ...{ second: pageOffsets(count)[1] ?? 0, last: lastOffset, past: lastOffset + PAGE_SIZE },
    ...{ count, less: count - 1, more: count + 1 },
  };
}

const withoutSlash = (path: string): string => path.slice(0, -1);

const pageUrl = (linkBase: paths.LinkBase, kind: Kind, offset?: number): string => {
  const window = offset === undefined ? undefined : { limit: PAGE_SIZE, offset };
  return paths.listUrl(linkBase, kind, window).slice(linkBase.baseUrl.length);
};

const recordUrl = (linkBase: paths.LinkBase, kind: Kind, { slug }: { readonly slug: string }): string =>
  paths.recordUrl(linkBase, kind, slug).slice(linkBase.baseUrl.length);

/** Every built page. */
export const everyPage: Urls = ({ linkBase, records }) =>
  kindNames.flatMap((kind) => [
    pageUrl(linkBase, kind),
    ...pageOffsets(records[kind].length).map((offset) => pageUrl(linkBase, kind, offset)),
  ]);

export const everyRecord: Urls = ({ linkBase, records }) =>
  kindNames.flatMap((kind) => records[kind].map((record) => recordUrl(linkBase, kind, record)));

export const everyMovedRecord: Urls = ({ moved }) => moved.map((path) => `${path}?format=api`);

export const everyName: Urls = ({ languages }) =>
  languages.length === 0
    ? []
    : [paths.NAMES_INDEX_FILE, ...languages.map(paths.namesFile)].map((file) => `/${file}`);

/** The first icon is enough if all are redirected; plain file servers cannot redirect. */
export const everyIcon: Urls = ({ linkBase, records, icons }) => {
  const files = kindNames.flatMap((kind) => records[kind].flatMap(({ icon }) => (icon ? [`/${icon}`] : [])));
  if (icons !== 'link') return files;
  return linkBase.links === 'file' ? [] : files.slice(0, 1);
};
