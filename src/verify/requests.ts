/** Requests for any site, as URL templates with variables such as `{list}`. */

import { type Kind, kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
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
  const given: Requests = typeof requests === 'object' ? requests : { urls: requests };
  const { urls, methods = ['GET'], headers = {} } = given;
  const all = typeof urls === 'string' ? kindNames.flatMap((kind) => expand(urls, site, kind)) : urls(site);
  return [...new Set(all)].flatMap((path) => methods.map((method) => ({ method, path, headers })));
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

function readVariables(site: ExpectedSite, kind: Kind) {
  const { linkBase, records } = site;
  const [count, first] = [records[kind].length, records[kind][0]];
  const offsets = pageOffsets(count);
  const last = offsets.at(-1) ?? 0;
  const [pages, urls] = [listPages(site, kind), listRecords(site, kind)];
  const variables: Readonly<Record<string, string | number | undefined>> = {
    root: linkBase.links === 'file' ? `/${paths.rootFile}` : paths.API_PREFIX,
    api: paths.API_PREFIX.slice(0, -1),
    list: paths.listPath(kind).slice(0, -1),
    // The first record, and its slug in the wrong case.
    ...(first && { record: paths.recordPath(kind, first.slug).slice(0, -1), SLUG: first.slug.toUpperCase() }),
    // URLs as in links, which may point to files.
    ...{ firstPage: pages[0], lastPage: pages.at(-1), firstRecord: urls[0], lastRecord: urls.at(-1) },
    // Offsets, and numbers of records.
    ...{ second: offsets[1] ?? 0, last, past: last + PAGE_SIZE, count, less: count - 1, more: count + 1 },
  };
  return variables;
}

const withoutBase = ({ baseUrl }: paths.LinkBase, url: string): string => url.slice(baseUrl.length);

function listPages({ linkBase, records }: ExpectedSite, kind: Kind): string[] {
  const windows = pageOffsets(records[kind].length).map((offset) => ({ limit: PAGE_SIZE, offset }));
  return [undefined, ...windows].map((window) =>
    withoutBase(linkBase, paths.listUrl(linkBase, kind, window)),
  );
}

const listRecords = ({ linkBase, records }: ExpectedSite, kind: Kind): string[] =>
  records[kind].map(({ slug }) => withoutBase(linkBase, paths.recordUrl(linkBase, kind, slug)));

export const everyPage: Urls = (site) => kindNames.flatMap((kind) => listPages(site, kind));

export const everyRecord: Urls = (site) => kindNames.flatMap((kind) => listRecords(site, kind));

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
