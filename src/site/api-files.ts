/** The API's files: turns records into what the endpoints serve. */

import { errorBody, errorDetails, errorFiles } from '../contract/errors.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { linkBaseOf, type Meta } from '../contract/meta.ts';
import { type LinkBase, listPageFile, listUrl, META_FILE, recordFile, rootFile } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import type { EncodedRecords } from '../dataset/data-set.ts';
import { listPage, type ServedTexts } from '../dataset/encode.ts';

/** Makes the files of every endpoint, of errors, and `meta.json`. */
export function apiFiles(records: EncodedRecords, served: ServedTexts, meta: Meta): SiteFile[] {
  const linkBase = linkBaseOf(meta);
  return [
    { path: rootFile, body: JSON.stringify(mapKinds((kind) => listUrl(linkBase, kind))) },
    { path: META_FILE, body: JSON.stringify(meta) },
    ...kindNames.flatMap((kind) => kindFiles(kind, { slugs: records[kind], served: served[kind], linkBase })),
    ...([400, 404, 405] as const).map((status) => ({
      path: errorFiles[status],
      body: errorBody(errorDetails[status]),
    })),
  ];
}

/** Every record, and the pages, which contain the same texts. */
function kindFiles(
  kind: Kind,
  { slugs, served, linkBase }: { slugs: EncodedRecords[Kind]; served: readonly string[]; linkBase: LinkBase },
): SiteFile[] {
  const pages = pageOffsets(served.length).map((offset) => ({
    path: listPageFile(kind, offset),
    body: Buffer.from(
      listPage(linkBase, kind, {
        window: { limit: PAGE_SIZE, offset },
        count: served.length,
        results: served.slice(offset, offset + PAGE_SIZE),
      }),
    ),
  }));
  const single = slugs.map(({ slug }, at) => ({ path: recordFile(kind, slug), body: served[at] ?? '' }));
  return [...pages, ...single];
}
