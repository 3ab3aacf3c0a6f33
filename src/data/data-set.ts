import * as z from 'zod';
import type { FieldValue } from '../contract/changes.ts';
import { fieldSchema, namedSchema } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { editionSchema } from '../contract/meta.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import { type Counts, type RecordOf, skippedSchema } from '../contract/records.ts';
import type { ServedRecord } from '../contract/served.ts';
import { createDigester, sha256 } from '../sha256.ts';
import { emptyPast, type Past } from './past.ts';

/**
 * The origin of a data set. It does not depend on the machine that read the data.
 */
export const provenanceSchema = z.object({
  /**
   * The source that originally provided the data, or `snapshot` if that is not
   * recorded.
   */
  source: z.enum(['rest', 'csv', 'snapshot']),
  upstream: z.string().min(1),
  /**
   * The first day on which the data was seen in this state, in the form
   * `YYYY-MM-DD`.
   */
  captured: z.iso.date(),
  /**
   * The upstream's edition in which the data was first seen in this state. Null if
   * the upstream does not publish editions.
   */
  edition: editionSchema.nullable().default(null),
  skipped: skippedSchema.optional(),
});
export type Provenance = z.infer<typeof provenanceSchema>;

export const warningCodes = [
  'adapted-slug',
  'duplicate-slug',
  'missing-name',
  'trimmed-name',
  'no-icon',
  'conflicting-index',
  'repeated-index',
  'unknown-generation',
  'unusable-icon',
  'unusable-name',
] as const;
export type WarningCode = (typeof warningCodes)[number];

export const warningSchema = z.object({
  /**
   * This is a string instead of an enum because another version of gamedata may use
   * other codes.
   */
  code: z.string(),
  kind: z.enum(kindNames),
  id: z.int(),
  message: z.string(),
});
export type Warning = z.infer<typeof warningSchema>;

/**
 * Counts the records that have at least one of the given warnings, all of which must be
 * about the same kind, because records of different kinds may have the same id. A
 * record may have several warnings, for example one for each language.
 */
export const countWarnedRecords = (warnings: readonly Warning[]): number =>
  new Set(warnings.map(({ id }) => id)).size;

/**
 * Records without the `url` field, which depends on the base URL. They are sorted by
 * id, and all ids and slugs are unique.
 */
export type Records = Readonly<Record<Kind, readonly RecordOf<Kind>[]>>;
export type ServedRecords = Readonly<Record<Kind, readonly ServedRecord[]>>;

/** A record that another version of gamedata may have written, with other fields. */
export type AnyRecord = { readonly id: number; readonly slug: string } & {
  readonly [field: string]: FieldValue;
};

const MAX_FIELDS = 100;

/**
 * Validates without copying, because `z.object` would change the order of the keys, on
 * which the digest depends.
 */
export const anyRecordSchema = z.custom<AnyRecord>(isAnyRecord, 'expected a record');

/**
 * Returns whether a value is a record that the history can describe. Rejects nested
 * values and thousands of fields, because they would need far more memory than their
 * text.
 */
function isAnyRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (!namedSchema.safeParse(value).success) return false;
  const names = Object.keys(value);
  if (names.length > MAX_FIELDS || !names.every(isFieldName)) return false;
  return Object.values(value).every(isFieldValue);
}

const isFieldName = (name: string): boolean => fieldSchema.safeParse(name).success;

const isFieldValue = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number';

export type AnyRecords = Readonly<Record<Kind, readonly AnyRecord[]>>;

/** The first and the last generation that the records cover. */
export interface GenerationRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the first and the last generation. Returns undefined if no record has a
 * `generation` field. Items never have one.
 */
export function findGenerations(records: Records): GenerationRange | undefined {
  const generations = new Set<number>();
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      if ('generation' in record) generations.add(record.generation);
    }
  }
  if (generations.size === 0) return undefined;
  return { first: Math.min(...generations), last: Math.max(...generations) };
}

/**
 * A complete data set from one edition of the upstream, including its past. A data set
 * that is read from a folder parses its files only when one of the functions is called,
 * because a build that changes nothing needs only the digests.
 */
export interface DataSet<R extends AnyRecords = Records> {
  readonly provenance: Provenance;
  readonly counts: Counts;
  /** The digest of the records. It does not cover names, warnings or the past. */
  readonly digest: string;
  /** Undefined if the data set has no names. */
  readonly namesSummary: NamesSummary | undefined;
  readonly warnings: readonly Warning[];
  /** @throws GamedataError if a record is invalid */
  readRecords(): R;
  /**
   * Returns the names in every language, sorted by language.
   *
   * @throws GamedataError if a name is invalid
   */
  readNames(): readonly Names[];
  /** @throws GamedataError if the history or the old slugs are invalid */
  readPast(): Past;
}

/**
 * The previous data set, which the next one will replace. Another version of gamedata
 * may have written it, so its records may have other fields.
 */
export type PreviousDataSet = DataSet<AnyRecords>;

/** Creates a data set from records in memory. It has no past yet. */
export function createDataSet(
  records: Records,
  names: readonly Names[],
  about: Pick<DataSet, 'warnings' | 'provenance'>,
): DataSet {
  return {
    ...about,
    counts: mapKinds((kind) => records[kind].length),
    digest: digestRecords(records),
    namesSummary: summarizeNames(names),
    readRecords: () => records,
    readNames: () => names,
    readPast: () => emptyPast,
  };
}

export const encodeLine = (record: AnyRecord): string =>
  `${JSON.stringify(record)}\n`;

/**
 * Returns `sha256:` and 64 hexadecimal digits. The digest changes if and only if the
 * line of a record changes, for example because of a new field.
 */
export function digestRecords(records: AnyRecords): string {
  const digester = createDigester();
  for (const kind of kindNames) {
    // Skips empty kinds, so that adding a new kind without records does not change
    // the digest.
    if (records[kind].length === 0) continue;
    digester.update(`${kind}\n`);
    for (const record of records[kind]) digester.update(encodeLine(record));
  }
  return `sha256:${digester.finish()}`;
}

/**
 * Returns the same digest as `digestRecords`, but computes it from the lines of NDJSON
 * files without parsing them.
 */
export function digestLines(readLines: (kind: Kind) => string | Uint8Array): string {
  const digester = createDigester();
  for (const kind of kindNames) {
    const lines = readLines(kind);
    if (lines.length === 0) continue;
    digester.update(`${kind}\n`);
    digester.update(lines);
  }
  return `sha256:${digester.finish()}`;
}

/**
 * Computes the digest of all names, and counts the names in each language. Returns
 * undefined if there are no names.
 */
export function summarizeNames(names: readonly Names[]): NamesSummary | undefined {
  if (names.length === 0) return undefined;
  let lines = '';
  const languages: NamesSummary['languages'] = {};
  for (const languageNames of names) {
    lines += `${JSON.stringify(languageNames)}\n`;
    languages[languageNames.language] = mapKinds((kind) =>
      countKeys(languageNames[kind]),
    );
  }
  return { digest: `sha256:${sha256(lines)}`, languages };
}

const countKeys = (namesBySlug: object): number => Object.keys(namesBySlug).length;
