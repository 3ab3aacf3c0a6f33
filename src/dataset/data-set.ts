/** A data set: every record of every kind, complete and in order, with its provenance and warnings. */

import { createHash, hash } from 'node:crypto';
import * as z from 'zod';
import type { FieldChange } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { editionSchema } from '../contract/meta.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import { type LinkBase, recordUrl } from '../contract/paths.ts';
import { type Counts, type RecordOf, skippedSchema } from '../contract/records.ts';
import type { ServedRecord } from '../contract/served.ts';

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

/** Of values that a record can do without, and now does. */
export const unusableCodes = ['unusable-icon', 'unusable-name'] as const;

/** Problems of a record that do not stop a build: docs/DATA.md. */
export const warningCodes = [
  'adapted-slug',
  'duplicate-slug',
  'missing-name',
  'trimmed-name',
  'no-icon',
  'icon-not-found',
  'conflicting-index',
  'repeated-index',
  'unknown-generation',
  ...unusableCodes,
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

/** Without `url`, which depends on the base URL. Sorted by id; ids and slugs are unique. */
export type Records = Readonly<Record<Kind, readonly RecordOf<Kind>[]>>;
export type ServedRecords = Readonly<Record<Kind, readonly ServedRecord[]>>;

/** A record of any version, with its fields in their order. */
export type AnyRecord = { readonly id: number; readonly slug: string } & {
  readonly [field: string]: FieldChange['from'];
};
/** Whose fields keep their order, as the digest depends on it: that tells whether it is the one that was built. */
export const anyRecordSchema = z.custom<AnyRecord>((value) => {
  const { id, slug } = (value ?? {}) as Partial<Record<'id' | 'slug', unknown>>;
  return Number.isInteger(id) && typeof slug === 'string';
}, 'expected a record');
export type AnyRecords = Readonly<Record<Kind, readonly AnyRecord[]>>;

/** A record as it is served: with its `url` first. */
export const addUrl = (base: LinkBase, kind: Kind, record: RecordOf<Kind>): ServedRecord => ({
  url: recordUrl(base, kind, record.slug),
  ...record,
});

export const addUrls = (base: LinkBase, records: Records): ServedRecords =>
  mapKinds((kind) => records[kind].map((record) => addUrl(base, kind, record)));

/** The reverse. */
export const removeUrl = ({ url: _, ...record }: AnyRecord): AnyRecord => record;

export interface DataSet {
  readonly warnings: readonly Warning[];
  readonly provenance: Provenance;
  readonly counts: Counts;
  readonly digest: string;
  readonly records: Records;
  /** In alphabetical order of languages; empty if none are known. */
  readonly names: readonly Names[];
  readonly namesSummary: NamesSummary | undefined;
}

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
