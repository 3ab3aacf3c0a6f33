/** The API's files: turns records into what the endpoints serve, one file at a time and in a fixed order. */

import { errorBody, errorDetails, errorFiles } from '../contract/errors.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import { type LinkBase, listUrl, META_FILE, recordFile, rootFile } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import type { EncodedRecord, EncodedRecords } from '../dataset/data-set.ts';
import { builtPages } from '../dataset/encode.ts';

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

/** Yields the pages of a kind, each with its records after it, whose text it contains. */
function* kindFiles(base: LinkBase, kind: Kind, records: readonly EncodedRecord[]): Generator<SiteFile> {
  for (const { path: page, body, listed, results } of builtPages(base, kind, records)) {
    yield { path: page, body };
    for (const [at, { slug }] of listed.entries())
      yield { path: recordFile(kind, slug), body: results[at] ?? '', partOf: page };
  }
}
