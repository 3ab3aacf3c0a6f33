/** A data set: every record of every kind, complete and in order, with where it came from and what was odd about it. */

import * as z from 'zod';
import { type Kind, kindNames, mapKinds } from './kinds.ts';
import type { RecordOf } from './records.ts';

/** Where a data set was read and when. Nothing in it depends on the machine that read it. */
export const provenanceSchema = z.strictObject({
  /** The kind of source that was read first-hand. */
  source: z.enum(['rest', 'csv']),
  /** The upstream's address, or what its operator calls it. */
  upstream: z.string().min(1),
  /** The day on which the data was captured as it is now, `YYYY-MM-DD`. */
  captured: z.iso.date(),
});
export type Provenance = z.infer<typeof provenanceSchema>;

/** What can be odd about a record without stopping a build. The README says what each means. */
export const warningCodes = [
  'duplicate-slug',
  'missing-name',
  'missing-sprite',
  'missing-picture',
  'conflicting-index',
  'repeated-index',
  'unknown-generation',
] as const;
export type WarningCode = (typeof warningCodes)[number];

export const warningSchema = z.strictObject({
  code: z.enum(warningCodes),
  kind: z.enum(kindNames),
  id: z.int(),
  message: z.string(),
});
export type Warning = z.infer<typeof warningSchema>;

export type Records = { readonly [K in Kind]: readonly RecordOf<K>[] };

export interface DataSet {
  /** Sorted by id, ids and slugs distinct. */
  readonly records: Records;
  readonly warnings: readonly Warning[];
  readonly provenance: Provenance;
}

/** A record with its JSON text, which is stringified once and used in its file, its page and the digest. */
export interface EncodedRecord {
  readonly id: number;
  readonly slug: string;
  /** Compact JSON without `url`. */
  readonly json: string;
}
export type EncodedRecords = Readonly<Record<Kind, readonly EncodedRecord[]>>;

/** A data set whose records are kept as their texts only, which takes a third of the memory. */
export interface EncodedDataSet extends Omit<DataSet, 'records'> {
  readonly records: EncodedRecords;
}

/** How many records of each kind there are. */
export const countsSchema = z.strictObject(mapKinds(() => z.int().min(0)));
export type Counts = Readonly<Record<Kind, number>>;

/** How many records of each kind have a warning of each code. */
export function countWarnings(
  warnings: readonly Warning[],
): Record<Kind, Partial<Record<WarningCode, number>>> {
  const counts = mapKinds<Partial<Record<WarningCode, number>>>(() => ({}));
  for (const { kind, code } of warnings) counts[kind][code] = (counts[kind][code] ?? 0) + 1;
  return counts;
}
