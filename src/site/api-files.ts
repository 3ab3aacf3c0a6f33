/** The API's files: turns records into what the endpoints serve. */

import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { linkBaseOf, type Meta, type SiteFile } from '../contract/meta.ts';
import {
  type LinkBase,
  listPage,
  listPageFile,
  listUrl,
  META_FILE,
  recordFile,
  rootFile,
} from '../contract/paths.ts';
import { errorBody, errorDetails, errorFiles } from '../contract/routes.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import type { ServedRecords } from '../dataset/data-set.ts';

/** Makes the files of every endpoint, of errors, and `meta.json`. */
export function apiFiles(served: ServedRecords, meta: Meta): SiteFile[] {
  const linkBase = linkBaseOf(meta);
  return [
    { path: rootFile, body: JSON.stringify(mapKinds((kind) => listUrl(linkBase, kind))) },
    { path: META_FILE, body: JSON.stringify(meta) },
    ...kindNames.flatMap((kind) => kindFiles(kind, served[kind], linkBase)),
    ...([400, 404, 405] as const).map((status) => ({
      path: errorFiles[status],
      body: errorBody(errorDetails[status]),
    })),
  ];
}

/** Every record, and the pages. */
function kindFiles(kind: Kind, records: ServedRecords[Kind], linkBase: LinkBase): SiteFile[] {
  const count = records.length;
  const pages = pageOffsets(count).map((offset) => {
    const results = records.slice(offset, offset + PAGE_SIZE);
    const page = listPage(linkBase, kind, { window: { limit: PAGE_SIZE, offset }, count, results });
    return { path: listPageFile(kind, offset), body: JSON.stringify(page) };
  });
  const single = records.map((record) => ({
    path: recordFile(kind, record.slug),
    body: JSON.stringify(record),
  }));
  return [...pages, ...single];
}
