/** The site: turns a data set into the files that are served, one at a time and in a fixed order. */

import { type LinkBase, listUrl, pageFile, recordFile, recordUrl, rootFile } from './addresses.ts';
import type { EncodedRecord, EncodedRecords } from './data-set.ts';
import { errorBody, errorDetails, errorFiles } from './errors.ts';
import { type Kind, kindNames, mapKinds } from './kinds.ts';
import { META_FILE, type Meta } from './meta.ts';
import { nextWindow, PAGE_SIZE, pageOffsets, previousWindow } from './windows.ts';

/** A file of the site. `path` is relative to the site's folder, with forward slashes. */
export interface SiteFile {
  readonly path: string;
  readonly body: string | Uint8Array;
}

/** A file that is costly to make out of others: while those are as published, it is too, and is not made again. */
export interface DerivedFile {
  readonly path: string;
  /** The files that it is made of, which come before it. What `make` does may change with the version only. */
  readonly of: readonly string[];
  make(): Uint8Array | Promise<Uint8Array>;
}

export interface SitePlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly linkBase: LinkBase;
  /** Files that do not depend on the data: hand-written assets and hosts' configuration. */
  readonly extras: Iterable<SiteFile>;
}

/** Yields every file of the site but its manifest. Bodies are made as they are asked for and not kept. */
export function* siteFiles({ records, meta, linkBase, extras }: SitePlan): Generator<SiteFile> {
  yield { path: rootFile, body: JSON.stringify(mapKinds((kind) => listUrl(linkBase, kind))) };
  for (const kind of kindNames) yield* kindFiles(linkBase, kind, records[kind]);
  for (const [status, path] of Object.entries(errorFiles)) {
    yield { path, body: errorBody(errorDetails[Number(status) as keyof typeof errorFiles]) };
  }
  yield { path: META_FILE, body: JSON.stringify(meta) };
  yield* extras;
}

/** The JSON of a record as it is served: with its `url` before everything else. */
export const servedText = (base: LinkBase, kind: Kind, { slug, json }: EncodedRecord): string =>
  `{"url":${JSON.stringify(recordUrl(base, kind, slug))},${json.slice(1)}`;

/** Yields the pages of a kind, each after the records on it: a record's text is made once and used in both. */
function* kindFiles(base: LinkBase, kind: Kind, records: readonly EncodedRecord[]): Generator<SiteFile> {
  for (const offset of pageOffsets(records.length)) {
    const results: string[] = [];
    for (const record of records.slice(offset, offset + PAGE_SIZE)) {
      const body = servedText(base, kind, record);
      results.push(body);
      yield { path: recordFile(kind, record.slug), body };
    }
    yield {
      path: pageFile(kind, offset),
      body: listPage(base, kind, { offset, count: records.length, results }),
    };
  }
}

/** The JSON of a list page around the JSON of its records. */
function listPage(
  base: LinkBase,
  kind: Kind,
  { offset, count, results }: { offset: number; count: number; results: readonly string[] },
): string {
  const window = { limit: PAGE_SIZE, offset };
  const next = nextWindow(window, count);
  const previous = previousWindow(window);
  const link = (to: typeof next): string => JSON.stringify(to && listUrl(base, kind, to));
  return `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[${results.join(',')}]}`;
}
