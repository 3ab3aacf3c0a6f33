/** Examples that are true: the first records of the site, as it serves them. */

import { type LinkBase, listUrl } from '../addresses.ts';
import type { EncodedRecords } from '../data-set.ts';
import { type Kind, mapKinds } from '../kinds.ts';
import { listPage, servedText } from '../site.ts';

/** Kind → what is shown of it; a kind without records has nothing to show. */
export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record: object; readonly page: object } | undefined>
>;

/** How many records the page has that is shown. */
const SHOWN = 2;

export function examplesOf(records: EncodedRecords, linkBase: LinkBase): Examples {
  const kinds = mapKinds((kind) => {
    const [first] = records[kind];
    if (!first) return undefined;
    const results = records[kind].slice(0, SHOWN).map((record) => servedText(linkBase, kind, record));
    const window = { limit: SHOWN, offset: 0 };
    const page = listPage(linkBase, kind, { window, count: records[kind].length, results });
    return { record: JSON.parse(servedText(linkBase, kind, first)), page: JSON.parse(page) };
  });
  return { root: mapKinds((kind) => listUrl(linkBase, kind)), ...kinds };
}
