/** The text of records. */

import type { Kind } from '../contract/kinds.ts';
import { type LinkBase, recordUrl } from '../contract/paths.ts';
import type { Item, Move } from '../contract/records.ts';
import type { EncodedRecord } from './data-set.ts';

/** Stringifies a record once, for its file, its list page, the snapshot and the digest. */
export const encodeRecord = (record: Move | Item): EncodedRecord => ({
  id: record.id,
  slug: record.slug,
  json: JSON.stringify(record),
});

/** The JSON of a record as it is served: with its `url` first. */
export const servedText = (base: LinkBase, kind: Kind, { slug, json }: EncodedRecord): string =>
  `{"url":${JSON.stringify(recordUrl(base, kind, slug))},${json.slice(1)}`;
