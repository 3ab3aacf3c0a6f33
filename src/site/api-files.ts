/** The API's files: turns records into what the endpoints serve, one file at a time and in a fixed order. */

import { errorBody, errorDetails, errorFiles } from '../contract/errors.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { ManifestEntry, Meta } from '../contract/meta.ts';
import { type LinkBase, listPageFile, listUrl, META_FILE, recordFile, rootFile } from '../contract/paths.ts';
import type { AnyFile } from '../contract/site-file.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import type { EncodedRecords } from '../dataset/data-set.ts';
import { builtPage, servedText } from '../dataset/encode.ts';

export interface ApiPlan {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly linkBase: LinkBase;
  /** Finds the published list page with an offset, if it would be made as it is: its records need not be encoded then. */
  readonly findPage?: ((kind: Kind, offset: number) => ManifestEntry | undefined) | undefined;
}

/** Yields the files of every endpoint, of errors, and `meta.json`. Bodies are made on demand and not kept. */
export function* apiFiles(plan: ApiPlan): Generator<AnyFile> {
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
function* pageFiles(
  { records, linkBase, findPage }: ApiPlan,
  kind: Kind,
  offset: number,
): Generator<AnyFile> {
  const make = () => builtPage(linkBase, kind, records[kind], offset);
  const published = findPage?.(kind, offset);
  if (!published) {
    const { body, listed, results } = make();
    const page = listPageFile(kind, offset);
    yield { path: page, body };
    for (const [at, { slug }] of listed.entries())
      yield { path: recordFile(kind, slug), body: results[at] ?? '', partOf: page };
    return;
  }
  yield { ...published, make: () => make().body };
  for (const record of records[kind].slice(offset, offset + PAGE_SIZE)) {
    const text = () => servedText(linkBase, kind, record);
    yield { path: recordFile(kind, record.slug), make: text, partOf: published.path };
  }
}
