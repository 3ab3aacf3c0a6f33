/** The data digest: one value that changes when, and only when, a record does. */

import { createHash } from 'node:crypto';
import type { DataSet, EncodedDataSet, EncodedRecord, EncodedRecords, Records } from './contract/data-set.ts';
import { type Kind, kindNames, mapKinds } from './contract/kinds.ts';

/** Stringifies every record once, for its file, its page, the snapshot and the digest. */
export function encodeRecords(records: Records): EncodedRecords {
  return mapKinds((kind: Kind) =>
    records[kind].map((record) => ({ id: record.id, slug: record.slug, json: JSON.stringify(record) })),
  );
}

export const encodeDataSet = ({ records, ...rest }: DataSet): EncodedDataSet => ({
  ...rest,
  records: encodeRecords(records),
});

/** A record as one line of a snapshot. */
export const encodeLine = ({ json }: EncodedRecord): string => `${json}\n`;

/** The digest of all records: `sha256:` and 64 hexadecimal digits. */
export function digestRecords(records: EncodedRecords): string {
  return digestLines((kind) => records[kind].map(encodeLine).join(''));
}

/** The same digest, of the text that has every record of a kind on a line of its own. */
export function digestLines(linesOf: (kind: Kind) => string): string {
  const hash = createHash('sha256');
  for (const kind of kindNames) hash.update(`${kind}\n`).update(linesOf(kind));
  return `sha256:${hash.digest('hex')}`;
}
