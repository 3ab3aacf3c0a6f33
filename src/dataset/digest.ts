/** The digest of a data set: one value that changes if and only if a record does. */

import { createHash } from 'node:crypto';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { DataSet, EncodedRecord, EncodedRecords } from './data-set.ts';

/** A data set of these records. */
export function digestDataSet(
  records: EncodedRecords,
  about: Pick<DataSet, 'warnings' | 'provenance'>,
): DataSet {
  const counts = mapKinds((kind) => records[kind].length);
  return { ...about, counts, digest: digestRecords(records), records };
}

/** A record as one line of a snapshot. */
export const encodeLine = ({ json }: EncodedRecord): string => `${json}\n`;

/** The digest of all records: `sha256:` and 64 hexadecimal digits. */
export const digestRecords = (records: EncodedRecords): string =>
  digestLines((kind) => records[kind].map(encodeLine).join(''));

/** The same digest from text with one record per line. */
export function digestLines(linesOf: (kind: Kind) => string | Uint8Array): string {
  const hash = createHash('sha256');
  for (const kind of kindNames) {
    hash.update(`${kind}\n`).update(linesOf(kind));
  }
  return `sha256:${hash.digest('hex')}`;
}
