/** The API's files: turns records into what the endpoints serve, one file at a time and in a fixed order. */

import { errorBody, errorDetails, errorFiles } from '../contract/errors.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import { type LinkBase, listPageFile, listUrl, META_FILE, recordFile, rootFile } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { nextWindow, PAGE_SIZE, pageOffsets, previousWindow, type Window } from '../contract/windows.ts';
import type { EncodedRecord, EncodedRecords } from '../dataset/data-set.ts';
import { servedText } from '../dataset/encode.ts';

export interface ApiPlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly linkBase: LinkBase;
}

/** Yields the files of every endpoint, of errors, and `meta.json`. Bodies are made on demand and not kept. */
export function* apiFiles({ records, meta, linkBase }: ApiPlan): Generator<SiteFile> {
  yield { path: rootFile, body: JSON.stringify(mapKinds((kind) => listUrl(linkBase, kind))) };
  // Early: files derived from it can then be compressed while the rest is written.
  yield { path: META_FILE, body: JSON.stringify(meta) };
  for (const kind of kindNames) yield* kindFiles(linkBase, kind, records[kind]);
  for (const [status, path] of Object.entries(errorFiles)) {
    yield { path, body: errorBody(errorDetails[Number(status) as keyof typeof errorFiles]) };
  }
}

/** Yields the pages of a kind, each after its records: a record's text is made once for both. */
function* kindFiles(base: LinkBase, kind: Kind, records: readonly EncodedRecord[]): Generator<SiteFile> {
  for (const offset of pageOffsets(records.length)) {
    const results: string[] = [];
    for (const record of records.slice(offset, offset + PAGE_SIZE)) {
      const body = servedText(base, kind, record);
      results.push(body);
      yield { path: recordFile(kind, record.slug), body };
    }
    yield {
      path: listPageFile(kind, offset),
      body: listPage(base, kind, { window: { limit: PAGE_SIZE, offset }, count: records.length, results }),
    };
  }
}

/** The JSON of a list page around the JSON of its records. */
export function listPage(
  base: LinkBase,
  kind: Kind,
  { window, count, results }: { window: Window; count: number; results: readonly string[] },
): string {
  const next = nextWindow(window, count);
  const previous = previousWindow(window);
  const link = (to: typeof next): string => JSON.stringify(to && listUrl(base, kind, to));
  return `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[${results.join(',')}]}`;
}
