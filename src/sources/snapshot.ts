/**
 * The snapshot source. A snapshot is a data set in files with one record per line,
 * so that a diff shows which records have changed.
 */

import * as z from 'zod';
import { ignoreDamage } from '../built/damage.ts';
import { readManifest } from '../built/own-files.ts';
import {
  type PastReader,
  readIntactPast,
  readPublishedPast,
} from '../built/past.ts';
import { readNames } from '../built/site-data.ts';
import { folderStorage } from '../built/site-folder.ts';
import { hasFile, readOrThrow, type SiteStorage } from '../built/storage.ts';
import { rejectDamagedText, rejectMissingLineBreak } from '../built/text-damage.ts';
import { entriesByPath, readVerified } from '../built/verified-files.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { limitMemory } from '../contract/limits.ts';
import {
  FORMAT,
  formatField,
  rejectOtherFormat,
  type SiteFile,
} from '../contract/meta.ts';
import { type Names, namesSummarySchema } from '../contract/names.ts';
import { parse, parseJsonRecord } from '../contract/parse.ts';
import {
  CHANGES_FILE,
  FORMER_FILE,
  MANIFEST_FILE,
  namesFile,
} from '../contract/paths.ts';
import {
  type Counts,
  countsSchema,
  type RecordOf,
  recordSchemas,
} from '../contract/records.ts';
import {
  type AnyRecords,
  anyRecordSchema,
  type DataSet,
  digestLines,
  encodeLine,
  type Provenance,
  provenanceSchema,
  type Records,
  summarizeNames,
  warningSchema,
} from '../dataset/data-set.ts';
import {
  decodeHistory,
  decodeHistoryUpTo,
  emptyHistory,
} from '../dataset/history.ts';
import {
  type AddressedRecords,
  decodeOldSlugs,
  noOldSlugs,
  type OldSlugs,
} from '../dataset/old-slugs.ts';
import type { Past } from '../dataset/past.ts';
import type { Previous } from '../dataset/update.ts';
import { DataError, type DataLocation, OutputError } from '../errors.ts';
import { removeSkipped, type Source } from '../upstream/source.ts';

export const PROVENANCE_FILE = 'provenance.json';
const recordsFile = (kind: Kind): string => `${kind}.ndjson`;

const RESTORE =
  'Restore the snapshot from a copy, or write a new one into another folder.';
const RESTORE_FOLDER = 'Restore the folder from a copy';
const REFRESH =
  'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>';
const expected = {
  what: 'a snapshot',
  hint: 'Create one with: gamedata snapshot --data <dir>',
};

export const snapshotSource: Source = async (context) => {
  const snapshot = openSnapshot(context.upstream ?? context.dataFolder);
  const completeData = snapshot.data(context.hasNames);
  const dataSet = removeSkipped(completeData, context);
  const readPast = (): Past => {
    const isComplete = dataSet.digest === completeData.digest;
    return readIntactPast(snapshot.past, { isComplete, wayOut: RESTORE_FOLDER });
  };
  return { dataSet, readPast, source: 'snapshot', isCopy: true };
};

const summarySchema = z.object({
  ...formatField,
  ...provenanceSchema.shape,
  counts: countsSchema,
  digest: z.string(),
  names: namesSummarySchema.optional(),
  warnings: z.array(warningSchema),
});

/** The record summary in `provenance.json`. */
type SnapshotSummary = z.infer<typeof summarySchema>;

/**
 * Returns a snapshot's files: one record file for each kind, one name file for each
 * language, and `provenance.json`.
 */
export function snapshotFiles(data: DataSet): SiteFile[] {
  const { provenance, counts, digest, warnings, records, namesSummary } = data;
  const files: SiteFile[] = [];
  for (const kind of kindNames) {
    const lines = records[kind].map(encodeLine);
    files.push({ path: recordsFile(kind), body: lines.join('') });
  }
  for (const languageNames of data.readNames()) {
    const body = `${JSON.stringify(languageNames, null, 1)}\n`;
    files.push({ path: namesFile(languageNames.language), body });
  }
  const summary = {
    format: FORMAT,
    ...provenance,
    counts,
    digest,
    names: namesSummary,
    warnings,
  };
  files.push({
    path: PROVENANCE_FILE,
    body: `${JSON.stringify(summary, null, 2)}\n`,
  });
  return files;
}

/**
 * Reads a snapshot's files, and compares them with `provenance.json`. All methods
 * throw `OutputError` or `DataError` if a file is missing or damaged.
 */
export interface Snapshot {
  readonly summary: SnapshotSummary;
  data(hasNames?: boolean): DataSet;
  readonly past: PastReader;
  /**
   * Reads records that may have been written by any version of gamedata, so they may
   * have other fields.
   */
  records(): AnyRecords;
  readNames(records: AddressedRecords): Names[];
}

/**
 * Opens a snapshot.
 *
 * @throws OutputError or DataError if `provenance.json` is missing, invalid or in
 * another format
 */
export function openSnapshot(folder: string): Snapshot {
  const storage = folderStorage(folder);
  const summary = readSummary(storage);
  const files: SnapshotFiles = { storage, summary };
  return {
    summary,
    data: (hasNames = true) => readDataSet(files, hasNames),
    past: createPastReader(files),
    records: () => parseRecords(storage, readRecordFiles(files), anySchemas),
    readNames: (records) => readSnapshotNames(files, records),
  };
}

/** A snapshot's folder, and the summary of its files from `provenance.json`. */
interface SnapshotFiles {
  readonly storage: SiteStorage;
  readonly summary: SnapshotSummary;
}

/**
 * Reads the data set.
 *
 * First, the record files are compared with the digest in `provenance.json`. Records
 * are parsed and name files are read only when they are needed, and only once.
 */
function readDataSet(files: SnapshotFiles, hasNames: boolean): DataSet {
  const {
    format: _,
    counts,
    digest,
    warnings,
    names,
    ...provenance
  } = files.summary;
  const texts = readRecordFiles(files);
  let parsedRecords: Records | undefined;
  const parseOnce = (): Records => {
    parsedRecords ??= parseDataSet(files, texts);
    return parsedRecords;
  };
  let listedNames: Names[] | undefined;
  const readNamesOnce = (): Names[] => {
    listedNames ??= readListedNames(files, parseOnce());
    return listedNames;
  };
  return {
    warnings,
    provenance,
    counts,
    digest,
    get records() {
      return parseOnce();
    },
    namesSummary: hasNames ? names : undefined,
    readNames: () => (hasNames ? readNamesOnce() : []),
  };
}

function parseDataSet(
  { storage, summary }: SnapshotFiles,
  texts: RecordTexts,
): Records {
  const records = parseRecords<RecordOf<Kind>>(
    storage,
    texts,
    recordSchemas,
    REFRESH,
  );
  assertCounts(storage.name, records, summary.counts);
  return records;
}

/**
 * Reads the names of the records, and compares them with the summary in
 * `provenance.json`.
 */
function readListedNames(files: SnapshotFiles, records: AddressedRecords): Names[] {
  const record = files.storage.name;
  const names = readSnapshotNames(files, records);
  const summary = summarizeNames(names);
  const listedSummary = files.summary.names;
  assertListed(
    { record, field: 'names.digest' },
    summary?.digest,
    listedSummary?.digest,
  );
  assertListed(
    { record, field: 'names.languages' },
    JSON.stringify(summary?.languages),
    JSON.stringify(listedSummary?.languages),
  );
  return names;
}

/** Schemas for records that any version of gamedata may have written. */
const anySchemas = mapKinds(() => anyRecordSchema);

/** The text of each kind's record file. */
type RecordTexts = Readonly<Record<Kind, string>>;

/**
 * Parses the records of each kind, one per line.
 *
 * @param hint suggests how to fix an invalid record
 */
function parseRecords<T>(
  storage: SiteStorage,
  texts: RecordTexts,
  schemas: Record<Kind, z.ZodType<T>>,
  hint?: string,
): Record<Kind, T[]> {
  return mapKinds((kind) => {
    const file = storage.at(recordsFile(kind));
    const text = texts[kind];
    const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
    return lines.map((line, at) => {
      const record = `${file} line ${at + 1}`;
      const json = parseJsonRecord(line, record, RESTORE);
      return parse(schemas[kind], json, { record }, { hint });
    });
  });
}

/**
 * Reads the record files as text. If they do not match the digest, the error names a
 * cause that the user can understand, such as CRLF line breaks.
 */
function readRecordFiles({ storage, summary }: SnapshotFiles): RecordTexts {
  const bodies = mapKinds((kind) => {
    // If a kind has no records, its file would be empty, so it may be missing.
    if (summary.counts[kind] === 0) return Buffer.of();
    return readOrThrow(storage, recordsFile(kind), expected);
  });
  const digest = digestLines((kind) => bodies[kind]);
  if (digest !== summary.digest) {
    for (const kind of kindNames) {
      const file = storage.at(recordsFile(kind));
      rejectDamagedText(file, bodies[kind]);
      rejectMissingLineBreak(file, bodies[kind]);
    }
  }
  assertListed({ record: storage.name, field: 'digest' }, digest, summary.digest);
  return mapKinds((kind) => bodies[kind].toString());
}

function readSnapshotNames(
  { storage, summary }: SnapshotFiles,
  records: AddressedRecords,
): Names[] {
  return readNames({
    summary: summary.names,
    readJson: (file) => readJson(storage, file),
    at: storage.at,
    records,
    keep: limitMemory(storage.name),
  });
}

function createPastReader({ storage, summary }: SnapshotFiles): PastReader {
  const { digest } = summary;
  const record = storage.at(CHANGES_FILE);
  return {
    name: storage.name,
    history() {
      if (!hasFile(storage, CHANGES_FILE)) return emptyHistory;
      const json = readJson(storage, CHANGES_FILE);
      const hint = `Delete ${CHANGES_FILE} to start a new history.`;
      return decodeHistory(json, digest, { record, hint });
    },
    historyUpToData() {
      const json = readJson(storage, CHANGES_FILE);
      return decodeHistoryUpTo(json, digest, record);
    },
    oldSlugs: () => readOldSlugs(storage),
    unverifiedOldSlugs: () => readUnverifiedOldSlugs(storage),
    redirects: () => noOldSlugs,
  };
}

/** Reads the old slugs. If the folder has a manifest, the file must match it. */
function readOldSlugs(storage: SiteStorage): OldSlugs {
  const hasManifest = hasFile(storage, MANIFEST_FILE);
  if (!hasManifest && !hasFile(storage, FORMER_FILE)) return noOldSlugs;
  if (hasManifest) {
    const entries = entriesByPath(readManifest(storage));
    readVerified(storage, entries, FORMER_FILE);
  }
  return readUnverifiedOldSlugs(storage);
}

const readUnverifiedOldSlugs = (storage: SiteStorage): OldSlugs =>
  decodeOldSlugs(readJson(storage, FORMER_FILE));

function readSummary(storage: SiteStorage): SnapshotSummary {
  const file = storage.at(PROVENANCE_FILE);
  const json = readJson(storage, PROVENANCE_FILE);
  rejectOtherFormat(
    json,
    (problem, options) => new OutputError(problem, file, options),
  );
  return parse(summarySchema, json, { record: file }, { hint: RESTORE });
}

/**
 * Reads a JSON file. If the JSON is invalid, damage to the whole text, such as CRLF
 * line breaks, is reported first, because it is a better explanation.
 */
function readJson(storage: SiteStorage, file: string): unknown {
  const body = readOrThrow(storage, file, expected);
  try {
    return parseJsonRecord(body, storage.at(file), RESTORE);
  } catch (error) {
    rejectDamagedText(storage.at(file), body);
    throw error;
  }
}

function assertCounts(
  folder: string,
  records: Record<Kind, readonly unknown[]>,
  counts: Counts,
): void {
  for (const kind of kindNames) {
    const actual = records[kind].length;
    if (actual === counts[kind]) continue;
    throw new DataError(
      `got ${actual} records, expected ${counts[kind]}, as in ${PROVENANCE_FILE}`,
      { record: folder, field: kind },
      { hint: RESTORE },
    );
  }
}

/** Compares a value from the files with the same value in `provenance.json`. */
function assertListed(
  location: DataLocation,
  actual: string | undefined,
  expected: string | undefined,
): void {
  if (actual === expected) return;
  const problem = `got ${actual}, expected ${expected}, as in ${PROVENANCE_FILE}`;
  throw new DataError(problem, location, { hint: RESTORE });
}

/** The snapshot that an update replaces. */
export type PreviousSnapshot = Previous & Provenance;

/**
 * Reads the bundled data set. Returns undefined if it is damaged, because it is
 * needed only to guard a first build.
 */
export function readBundledSnapshot(folder: string): PreviousSnapshot | undefined {
  return ignoreDamage(() => {
    const bundled = readPreviousSnapshot(folder);
    // We read the records here, so that damage is detected before data sets are
    // compared.
    bundled?.records();
    bundled?.readPast(false);
    return bundled;
  });
}

export function readPreviousSnapshot(folder: string): PreviousSnapshot | undefined {
  if (!hasFile(folderStorage(folder), PROVENANCE_FILE)) return undefined;
  const snapshot = openSnapshot(folder);
  return {
    ...snapshot.summary,
    records: snapshot.records,
    readNames: snapshot.readNames,
    readPast: (mayBeLost) =>
      readPublishedPast(snapshot.past, { mayBeLost, wayOut: RESTORE_FOLDER }),
  };
}
