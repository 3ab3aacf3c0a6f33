/** The digest of a data set: one value that changes if and only if a record does. */

import { createHash, hash } from 'node:crypto';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import type { AnyRecord, AnyRecords, DataSet, Records } from './data-set.ts';

export function digestDataSet(
  records: Records,
  about: Pick<DataSet, 'warnings' | 'provenance' | 'names'>,
): DataSet {
  const counts = mapKinds((kind) => records[kind].length);
  const namesSummary = summarizeNames(about.names);
  return { ...about, counts, digest: digestRecords(records), records, namesSummary };
}

/** A record as one line of a snapshot. */
export const encodeLine = (record: AnyRecord): string => `${JSON.stringify(record)}\n`;

/** The digest of all records: `sha256:` and 64 hexadecimal digits. */
export const digestRecords = (records: AnyRecords): string =>
  digestLines((kind) => records[kind].map(encodeLine).join(''));

/** The same digest from text with one record per line. */
export function digestLines(linesOf: (kind: Kind) => string | Uint8Array): string {
  const sum = createHash('sha256');
  for (const kind of kindNames) {
    const lines = linesOf(kind);
    // A new kind, of which there are no records yet, is no change.
    if (lines.length > 0) sum.update(`${kind}\n`).update(lines);
  }
  return `sha256:${sum.digest('hex')}`;
}

/** How many names there are, and their own digest; undefined if there are none. */
export function summarizeNames(names: readonly Names[]): NamesSummary | undefined {
  if (names.length === 0) return undefined;
  const digest = hash('sha256', names.map((own) => `${JSON.stringify(own)}\n`).join(''));
  const counts = names.map((own) => [own.language, mapKinds((kind) => Object.keys(own[kind]).length)]);
  return { digest: `sha256:${digest}`, languages: Object.fromEntries(counts) };
}
