/** The API's files: turns records into what the endpoints serve, one file at a time and in a fixed order. */

import { errorBody, errorDetails, errorFiles } from '../contract/errors.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import { type LinkBase, listPageFile, listUrl, META_FILE, recordFile, rootFile } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import type { EncodedRecords } from '../dataset/data-set.ts';
import { listPage, servedText } from '../dataset/encode.ts';

export interface ApiPlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly linkBase: LinkBase;
}

/** Yields the files of every endpoint, of errors, and `meta.json`. Bodies are made on demand and not kept. */
export function* apiFiles(plan: ApiPlan): Generator<SiteFile> {
  const { records, meta, linkBase } = plan;
  yield { path: rootFile, body: JSON.stringify(mapKinds((kind) => listUrl(linkBase, kind))) };
  // Early: files derived from it can then be compressed while the rest is written.
  yield { path: META_FILE, body: JSON.stringify(meta) };
  for (const kind of kindNames)
    for (const offset of pageOffsets(records[kind].length)) yield* pageFiles(plan, kind, offset);
  for (const [status, path] of Object.entries(errorFiles)) {
    yield { path, body: errorBody(errorDetails[Number(status) as keyof typeof errorFiles]) };
  }
}

/** Yields a page, and after it its records, whose text it contains. */
function* pageFiles({ records, linkBase }: ApiPlan, kind: Kind, offset: number): Generator<SiteFile> {
  const listed = records[kind].slice(offset, offset + PAGE_SIZE);
  const results = listed.map((record) => servedText(linkBase, kind, record));
  const window = { limit: PAGE_SIZE, offset };
  yield {
    path: listPageFile(kind, offset),
    body: listPage(linkBase, kind, { window, count: records[kind].length, results }),
  };
  for (const [at, { slug }] of listed.entries())
    yield { path: recordFile(kind, slug), body: results[at] ?? '' };
}
