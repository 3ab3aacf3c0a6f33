import { type Kind, kindNames } from '../contract/kinds.ts';
import { getLinkBase } from '../contract/meta.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import type { ExpectedSite } from './expected.ts';

/** Lists paths for a site, with their queries. */
export type ListPaths = (site: ExpectedSite) => readonly string[];

/** The paths and numbers from which the requests for one kind are made. */
export interface KindPaths {
  /** The path of the list, without its trailing slash. */
  readonly list: string;
  /** The path of the first record, without its trailing slash. */
  readonly record: string;
  readonly firstSlug: string;
  /** The first and the last page and record, with the URLs that the site links to. */
  readonly samples: readonly string[];
  readonly secondOffset: number;
  readonly lastOffset: number;
  /** The number of records. */
  readonly count: number;
}

/** Lists paths for each kind. A kind without records is omitted. */
export function forEachKind(
  list: (kindPaths: KindPaths) => readonly string[],
): ListPaths {
  return (site) => {
    const all: string[] = [];
    for (const kind of kindNames) {
      const [firstRecord] = site.records[kind];
      if (!firstRecord) continue;
      const kindPaths = collectKindPaths(site, kind, firstRecord.slug);
      all.push(...list(kindPaths));
    }
    return all;
  };
}

/** Collects the paths and numbers of one kind. */
function collectKindPaths(
  site: ExpectedSite,
  kind: Kind,
  firstSlug: string,
): KindPaths {
  const count = site.records[kind].length;
  const pages = listPages(site, kind);
  const records = listRecords(site, kind);
  const offsets = pageOffsets(count);
  return {
    list: paths.removeTrailingSlashes(paths.listPath(kind)),
    record: paths.removeTrailingSlashes(paths.recordPath(kind, firstSlug)),
    firstSlug,
    samples: [...pickEnds(pages), ...pickEnds(records)],
    // A list with only one page has only the offset 0.
    secondOffset: offsets[1] ?? 0,
    lastOffset: offsets.at(-1) ?? 0,
    count,
  };
}

/** Picks the first and the last item, which are the same if there is only one. */
function pickEnds(items: readonly string[]): string[] {
  return [...items.slice(0, 1), ...items.slice(-1)];
}

/** Lists the URL of the list itself, and the URL of each of its pages. */
function listPages({ meta, records }: ExpectedSite, kind: Kind): string[] {
  const base = { ...getLinkBase(meta), baseUrl: '' };
  const urls = [paths.listUrl(base, kind)];
  for (const offset of pageOffsets(records[kind].length)) {
    urls.push(paths.listUrl(base, kind, { limit: PAGE_SIZE, offset }));
  }
  return urls;
}

function listRecords({ meta, records }: ExpectedSite, kind: Kind): string[] {
  const base = { ...getLinkBase(meta), baseUrl: '' };
  return records[kind].map(({ slug }) => paths.recordUrl(base, kind, slug));
}

export const listAllPages: ListPaths = (site) =>
  kindNames.flatMap((kind) => listPages(site, kind));

export const listAllRecords: ListPaths = (site) =>
  kindNames.flatMap((kind) => listRecords(site, kind));

export const listRoot: ListPaths = ({ meta }) =>
  meta.links === 'file' ? [`/${paths.rootFile}`] : [paths.API_PREFIX];

export const listNames: ListPaths = ({ languages }) => {
  if (languages.length === 0) return [];
  const files = languages.map((language) => `/${paths.namesFile(language)}`);
  return [`/${paths.NAMES_INDEX_FILE}`, ...files];
};

/**
 * Lists the icons to check. If icons are redirects, one of them is enough, or none if
 * the site is for plain file servers, which cannot redirect.
 */
export const listIcons: ListPaths = ({ meta, records }) => {
  const placeholder = `/${paths.PLACEHOLDER_ICON}`;
  const icons: string[] = [];
  for (const record of kindNames.flatMap((kind) => records[kind])) {
    if ('icon' in record) icons.push(`/${record.icon}`);
  }
  if (meta.sprites.mode !== 'link') return [placeholder, ...icons];
  if (meta.links === 'file') return [placeholder];
  return [placeholder, ...icons.slice(0, 1)];
};

/** Appends each query to each path: `?a=1` for `a=1`, and nothing for an empty query. */
export function addQueries(
  sentPaths: readonly string[],
  queries: readonly string[],
): string[] {
  const combined: string[] = [];
  for (const path of sentPaths) {
    for (const query of queries) {
      combined.push(query === '' ? path : `${path}?${query}`);
    }
  }
  return combined;
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
