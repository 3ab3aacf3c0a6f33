/** The data digest: one value that changes when, and only when, a record does. */

import { createHash } from 'node:crypto';
import type { DataSet, EncodedDataSet, EncodedRecord, EncodedRecords } from './contract/data-set.ts';
import { type Kind, kindNames, mapKinds } from './contract/kinds.ts';
import type { Item, Move } from './contract/records.ts';

/** Stringifies a record once, for its file, its page, the snapshot and the digest. */
export const encodeRecord = (record: Move | Item): EncodedRecord => ({
  id: record.id,
  slug: record.slug,
  json: JSON.stringify(record),
});

export const encodeDataSet = ({ records, ...rest }: DataSet): EncodedDataSet => ({
  ...rest,
  records: mapKinds((kind: Kind) => records[kind].map(encodeRecord)),
});

/** The records of their own texts, which were checked before they were made. */
export const decodeDataSet = ({ records, ...rest }: EncodedDataSet): DataSet => ({
  ...rest,
  records: { move: records.move.map(decode<Move>), item: records.item.map(decode<Item>) },
});
const decode = <R>({ json }: EncodedRecord): R => JSON.parse(json);

/** A record as one line of a snapshot. */
export const encodeLine = ({ json }: EncodedRecord): string => `${json}\n`;

/** The digest of all records: `sha256:` and 64 hexadecimal digits. */
export function digestRecords(records: EncodedRecords): string {
  return digestLines((kind) => chunks(records[kind]));
}

/** The same digest, of the text that has every record of a kind on a line of its own, whole or in parts. */
export function digestLines(linesOf: (kind: Kind) => Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const kind of kindNames) {
    hash.update(`${kind}\n`);
    for (const lines of linesOf(kind)) hash.update(lines);
  }
  return `sha256:${hash.digest('hex')}`;
}

/** Lines by the thousand: one text of all would be as large as the data, one for each costs a call for each. */
function* chunks(records: readonly EncodedRecord[]): Generator<string> {
  for (let at = 0; at < records.length; at += 1000)
    yield records
      .slice(at, at + 1000)
      .map(encodeLine)
      .join('');
}
