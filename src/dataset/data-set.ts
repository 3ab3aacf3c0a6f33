/** A data set: every record of every kind, complete and in order, with its provenance and warnings. */

import * as z from 'zod';
import { editionSchema } from '../contract/edition.ts';
import { type Kind, kindNames } from '../contract/kinds.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import { type Counts, skippedSchema } from '../contract/records.ts';

/** Where a data set comes from, and when. Independent of the machine that read it. */
export const provenanceSchema = z.object({
  /** The source that was read originally; `snapshot` if a site does not say more. */
  source: z.enum(['rest', 'csv', 'snapshot']),
  /** The upstream's URL, or a name. */
  upstream: z.string().min(1),
  /** The day on which the data was first seen in its present state, `YYYY-MM-DD`. */
  captured: z.iso.date(),
  /** The edition of the upstream in which it was first seen in its present state; null if the upstream names none. */
  edition: editionSchema.nullable().default(null),
  /** The records that were left out on purpose; missing if none were. */
  skipped: skippedSchema.optional(),
});
export type Provenance = z.infer<typeof provenanceSchema>;

/** Oddities of a record that do not stop a build. FAULTS.md explains each. */
export const warningCodes = [
  'adapted-slug',
  'duplicate-slug',
  'missing-name',
  'no-icon',
  'icon-not-found',
  'conflicting-index',
  'repeated-index',
  'unknown-generation',
] as const;
export type WarningCode = (typeof warningCodes)[number];

export const warningSchema = z.object({
  /** A string, as another version may know other codes. */
  code: z.string(),
  kind: z.enum(kindNames),
  id: z.int(),
  message: z.string(),
});
export type Warning = z.infer<typeof warningSchema>;

/** A record with its JSON text, which is stringified once for its file, its list page and the digest. */
export interface EncodedRecord {
  readonly id: number;
  readonly slug: string;
  /** Compact JSON without `url`. */
  readonly json: string;
}

/** Sorted by id; ids and slugs are unique. */
export type EncodedRecords = Readonly<Record<Kind, readonly EncodedRecord[]>>;

/** The names in every language, and how they are summarized. */
export interface KnownNames {
  /** Undefined if there are none. */
  readonly summary: NamesSummary | undefined;
  /** In alphabetical order of languages. Those of a snapshot are read and checked only where they are needed. */
  read(): readonly Names[];
}

/** Only the text of its records is kept: objects take three times as much memory. */
export interface DataSet {
  readonly warnings: readonly Warning[];
  readonly provenance: Provenance;
  readonly counts: Counts;
  readonly digest: string;
  readonly records: EncodedRecords;
  readonly names: KnownNames;
}
