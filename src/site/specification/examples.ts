/** Real examples: the first records of the site, as it serves them. */

import { type Kind, mapKinds } from '../../contract/kinds.ts';
import { type LinkBase, listUrl } from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import type { EncodedRecords } from '../../dataset/data-set.ts';
import { listPage, servedText } from '../../dataset/encode.ts';

/** Kind → its examples; undefined for a kind without records. */
export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record: object; readonly page: object } | undefined>
>;

/** The number of records on the example page, which is the first one otherwise. */
const SHOWN = 2;

export function examplesOf(records: EncodedRecords, linkBase: LinkBase): Examples {
  const kinds = mapKinds((kind) => {
    const [first] = records[kind];
    if (!first) return undefined;
    const results = records[kind].slice(0, SHOWN).map((record) => servedText(linkBase, kind, record));
    const window = { limit: PAGE_SIZE, offset: 0 };
    const page = listPage(linkBase, kind, { window, count: records[kind].length, results });
    return { record: JSON.parse(servedText(linkBase, kind, first)), page: JSON.parse(page) };
  });
  return { root: mapKinds((kind) => listUrl(linkBase, kind)), ...kinds };
}
