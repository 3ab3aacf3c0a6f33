/** The text of records. */

import { type Kind, mapKinds } from '../contract/kinds.ts';
import { type LinkBase, recordUrl } from '../contract/paths.ts';
import type { Item, Move } from '../contract/records.ts';
import type { DataSet, EncodedDataSet, EncodedRecord } from './data-set.ts';

/** Stringifies a record once, for its file, its list page, the snapshot and the digest. */
export const encodeRecord = (record: Move | Item): EncodedRecord => ({
  id: record.id,
  slug: record.slug,
  json: JSON.stringify(record),
});

export const encodeDataSet = ({ records, ...rest }: DataSet): EncodedDataSet => ({
  ...rest,
  records: mapKinds((kind: Kind) => records[kind].map(encodeRecord)),
});

/** The JSON of a record as it is served: with its `url` first. */
export const servedText = (base: LinkBase, kind: Kind, { slug, json }: EncodedRecord): string =>
  `{"url":${JSON.stringify(recordUrl(base, kind, slug))},${json.slice(1)}`;

/** A record as one line of a snapshot. */
export const encodeLine = ({ json }: EncodedRecord): string => `${json}\n`;
