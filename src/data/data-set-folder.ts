/**
 * Reads and writes data set folders, the only form in which a data set is stored:
 *
 *     dataset.json     the provenance, the digests, the warnings, and a list of all
 *                      other files with their hashes
 *     LICENSE.txt      the license of the data
 *     <kind>.ndjson    one record per line, without `url`
 *     names/<language>.json
 *     changes.json     the history
 *     old-slugs.json
 *
 * A diff of two such folders shows which records have changed.
 */

import * as z from 'zod';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { describeExcess, MAX_MEMORY_BYTES } from '../contract/limits.ts';
import {
  encodeBody,
  FORMAT,
  formatField,
  type ManifestEntry,
  manifestEntrySchema,
  type SiteFile,
} from '../contract/meta.ts';
import { type Names, namesReader, namesSummarySchema } from '../contract/names.ts';
import { parseOwnJson } from '../contract/own-files.ts';
import { formatValue, parse, parseJsonRecord } from '../contract/parse.ts';
import {
  CHANGES_FILE,
  DATA_SET_FILE,
  namesFile,
  OLD_SLUGS_FILE,
  recordsFile,
} from '../contract/paths.ts';
import { countsSchema, recordSchemas } from '../contract/records.ts';
import { GamedataError } from '../errors.ts';
import {
  type AnyRecord,
  type AnyRecords,
  anyRecordSchema,
  type DataSet,
  digestLines,
  encodeLine,
  type PreviousDataSet,
  provenanceSchema,
  type Records,
  summarizeNames,
  warningSchema,
} from './data-set.ts';
import { createEntry, findMismatch } from './entries.ts';
import { decodeHistory, encodeHistory } from './history.ts';
import { selectNames } from './names.ts';
import { decodeOldSlugs, encodeOldSlugs } from './old-slugs.ts';
import type { Past } from './past.ts';

export const LICENSE_FILE = 'LICENSE.txt';

/** A data set has one file for each kind and language, and a few others. */
const MAX_FILES = 500;

const summarySchema = z.object({
  ...formatField,
  ...provenanceSchema.shape,
  counts: countsSchema,
  digest: z.string(),
  names: namesSummarySchema.optional(),
  files: z.array(manifestEntrySchema).max(MAX_FILES),
  warnings: z.array(warningSchema),
});

/** The content of `dataset.json`. */
export type DataSetDescription = z.infer<typeof summarySchema>;

/** The files of a data set folder. */
export interface DataSetFiles {
  /** All files but `dataset.json`, sorted by path. */
  readonly files: readonly SiteFile[];
  /** `dataset.json`, which lists the other files with their hashes. */
  readonly description: SiteFile;
}

/**
 * Creates the files of a data set folder.
 *
 * @param license the license of the data
 */
export function createDataSetFiles(
  dataSet: DataSet,
  license: SiteFile['body'],
): DataSetFiles {
  const records = dataSet.readRecords();
  const { history, oldSlugs } = dataSet.readPast();
  const files: SiteFile[] = [
    { path: LICENSE_FILE, body: license },
    { path: CHANGES_FILE, body: encodeHistory(history) },
    { path: OLD_SLUGS_FILE, body: encodeOldSlugs(oldSlugs) },
  ];
  for (const kind of kindNames) {
    const lines = records[kind].map(encodeLine);
    files.push({ path: recordsFile(kind), body: lines.join('') });
  }
  for (const names of dataSet.readNames()) {
    const body = `${JSON.stringify(names, null, 1)}\n`;
    files.push({ path: namesFile(names.language), body });
  }
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const entries = files.map((file) => createEntry(file.path, encodeBody(file)));
  const body = encodeDescription(dataSet, entries);
  return { files, description: { path: DATA_SET_FILE, body } };
}

/** Encodes `dataset.json` with one file and one warning per line. */
function encodeDescription(
  { provenance, counts, digest, namesSummary, warnings }: DataSet,
  files: readonly ManifestEntry[],
): string {
  const about = {
    format: FORMAT,
    ...provenance,
    counts,
    digest,
    names: namesSummary,
  };
  const fields: string[] = [];
  for (const [name, value] of Object.entries(about)) {
    if (value === undefined) continue;
    fields.push(` ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  }
  fields.push(` "files": ${encodeLines(files)}`);
  fields.push(` "warnings": ${encodeLines(warnings)}`);
  return `{\n${fields.join(',\n')}\n}\n`;
}

function encodeLines(values: readonly object[]): string {
  if (values.length === 0) return '[]';
  const lines = values.map((value) => `  ${JSON.stringify(value)}`);
  return `[\n${lines.join(',\n')}\n ]`;
}

/**
 * Returns the content of a file in a data set folder, or undefined if there is no
 * such file. The path is relative to the folder.
 */
export type Get = (
  path: string,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/** A data set folder to read from. */
export interface DataSetSource {
  /** The folder or URL, for error messages. */
  readonly name: string;
  readonly get: Get;
}

const REFRESH =
  'If another version of gamedata wrote this data set, create a new one: gamedata snapshot --data <dir>';

/**
 * Reads a data set, and checks every file against `dataset.json`. The records, names
 * and history are parsed when they are first used.
 *
 * @throws GamedataError that names the file that is missing, damaged or invalid
 */
export async function readDataSet(source: DataSetSource): Promise<DataSet> {
  const files = await readFiles(source);
  const dataSet = createStoredDataSet(files, parseRecords);
  // The summary of the names is copied into `meta.json`, so it must be correct.
  return { ...dataSet, readNames: () => assertSummary(files, dataSet.readNames()) };
}

/**
 * Reads the previous data set, which the next one will replace. An older version of
 * gamedata may have written it, so a missing kind counts as empty, and a missing field
 * of a record counts as null.
 *
 * @throws GamedataError that names the file that is missing, damaged or invalid
 */
export async function readPreviousDataSet(
  source: DataSetSource,
): Promise<PreviousDataSet> {
  return createStoredDataSet(await readFiles(source), parseAnyRecords);
}

/** The files of a data set folder. All of them match `dataset.json`. */
interface StoredFiles {
  readonly name: string;
  readonly description: DataSetDescription;
  readonly bodies: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads `dataset.json` and then every file that it lists. Checks the listed sizes
 * before it reads the files, because anyone may have written the data set.
 */
async function readFiles({ name, get }: DataSetSource): Promise<StoredFiles> {
  const description = parseDescription(name, await get(DATA_SET_FILE));
  assertFitsIntoMemory(name, description);
  const bodies = new Map<string, Uint8Array>();
  await Promise.all(
    description.files.map(async (entry) => {
      const body = await get(entry.path);
      assertIntact(`${name}/${entry.path}`, entry, body);
      bodies.set(entry.path, body);
    }),
  );
  assertDigest(name, description, bodies);
  return { name, description, bodies };
}

/**
 * Parses `dataset.json`.
 *
 * @param name the name of the data set folder
 * @throws GamedataError if the file is missing, invalid or in another format
 */
export function parseDescription(
  name: string,
  body: Uint8Array | undefined,
): DataSetDescription {
  const record = `${name}/${DATA_SET_FILE}`;
  if (!body) {
    const problem = 'does not exist, expected a data set';
    throw new GamedataError('data', `${record}: ${problem}`);
  }
  return parse(summarySchema, parseOwnJson(body, record), { record });
}

function assertFitsIntoMemory(name: string, { files }: DataSetDescription): void {
  let bytes = 0;
  for (const entry of files) bytes += entry.bytes;
  const problem = describeExcess(bytes, MAX_MEMORY_BYTES);
  if (problem !== undefined) throw new GamedataError('data', `${name}: ${problem}`);
}

function assertIntact(
  record: string,
  entry: ManifestEntry,
  body: Uint8Array | undefined,
): asserts body is Uint8Array {
  if (!body) throw new GamedataError('data', `${record}: does not exist`);
  const problem = findMismatch(entry, body);
  if (problem !== undefined)
    throw new GamedataError('data', `${record}: ${problem}`);
}

/** Checks the records against their digest, which identifies the data set. */
function assertDigest(
  name: string,
  { digest }: DataSetDescription,
  bodies: ReadonlyMap<string, Uint8Array>,
): void {
  const actual = digestLines((kind) => bodies.get(recordsFile(kind)) ?? '');
  if (actual === digest) return;
  throw new GamedataError(
    'data',
    `${name}/${DATA_SET_FILE} › digest: got ${digest}, expected ${actual}, the digest of the records`,
  );
}

/**
 * Creates a data set that parses its files when they are first used, because a build
 * that changes nothing needs only `dataset.json`. Each file is parsed at most once.
 *
 * @param parseAll parses the records, as strictly as the caller needs
 */
function createStoredDataSet<R extends AnyRecords>(
  files: StoredFiles,
  parseAll: (files: StoredFiles) => R,
): DataSet<R> {
  const {
    format: _,
    counts,
    digest,
    names,
    files: __,
    warnings,
    // All other fields of `dataset.json` belong to the provenance.
    ...provenance
  } = files.description;
  const readRecords = callOnce(() => parseAll(files));
  return {
    provenance,
    counts,
    digest,
    namesSummary: names,
    warnings,
    readRecords,
    readNames: callOnce(() => parseNames(files, readRecords())),
    readPast: callOnce(() => parsePast(files)),
  };
}

/**
 * Returns a function that calls `create` the first time, and then returns the same
 * result.
 */
function callOnce<T extends object>(create: () => T): () => T {
  let result: T | undefined;
  return () => {
    result ??= create();
    return result;
  };
}

/** Parses the records strictly, with the schemas of this version of gamedata. */
function parseRecords(files: StoredFiles): Records {
  return mapKinds((kind) => {
    let lastId = 0;
    const slugs = new Set<string>();
    return parseLines(files, kind, (line, record) => {
      const json = parseJsonRecord(line, record);
      const parsed = parse(recordSchemas[kind], json, { record }, REFRESH);
      const isAscending = parsed.id > lastId;
      const isUnique = !slugs.has(parsed.slug);
      // The digest of the data set is the digest of its lines, so each line must be
      // exactly what this version would write.
      const isSameLine = encodeLine(parsed) === `${line}\n`;
      const isValid = isAscending && isUnique && isSameLine;
      if (!isValid) {
        const problem = `got ${formatValue(line)}, expected ascending ids, unique slugs, and fields in the usual order`;
        throw new GamedataError('data', `${record}: ${problem}`);
      }
      lastId = parsed.id;
      slugs.add(parsed.slug);
      return parsed;
    });
  });
}

function parseAnyRecords(files: StoredFiles): AnyRecords {
  return mapKinds((kind) =>
    parseLines<AnyRecord>(files, kind, (line, record) =>
      parse(anyRecordSchema, parseJsonRecord(line, record), { record }),
    ),
  );
}

/** Parses each line of a kind's file as a record. */
function parseLines<T>(
  { name, bodies, description }: StoredFiles,
  kind: Kind,
  parseLine: (line: string, record: string) => T,
): T[] {
  const file = `${name}/${recordsFile(kind)}`;
  // A data set from an older version of gamedata may lack a kind and therefore the
  // kind's file.
  const body = bodies.get(recordsFile(kind)) ?? new Uint8Array();
  const text = new TextDecoder().decode(body);
  const records: T[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    // The text ends with a line break, so the last line is empty.
    if (line === '') continue;
    records.push(parseLine(line, `${file} line ${index + 1}`));
  }
  const expected = description.counts[kind];
  if (records.length === expected) return records;
  throw new GamedataError(
    'data',
    `${file}: got ${records.length} records, expected ${expected}, as in ${DATA_SET_FILE}`,
    { hint: REFRESH },
  );
}

/** Parses the names, and drops names of records that the data set does not contain. */
function parseNames(files: StoredFiles, records: AnyRecords): Names[] {
  const { name, description } = files;
  const allNames: Names[] = [];
  for (const language of Object.keys(description.names?.languages ?? {})) {
    const file = namesFile(language);
    const names = parse(namesReader, readJson(files, file), {
      record: `${name}/${file}`,
    });
    allNames.push(selectNames(names, records));
  }
  return allNames;
}

/** Returns the names if they match their summary, and throws otherwise. */
function assertSummary(
  { name, description }: StoredFiles,
  names: readonly Names[],
): readonly Names[] {
  const actual = JSON.stringify(summarizeNames(names));
  if (actual === JSON.stringify(description.names)) return names;
  throw new GamedataError(
    'data',
    `${name}/${DATA_SET_FILE} › names: does not match the names of the records`,
  );
}

/** Parses the history and the old slugs. */
function parsePast(files: StoredFiles): Past {
  const { name, description } = files;
  return {
    history: decodeHistory(
      readJson(files, CHANGES_FILE),
      description.digest,
      `${name}/${CHANGES_FILE}`,
    ),
    oldSlugs: decodeOldSlugs(
      readJson(files, OLD_SLUGS_FILE),
      `${name}/${OLD_SLUGS_FILE}`,
    ),
  };
}

function readJson({ name, bodies }: StoredFiles, file: string): unknown {
  const record = `${name}/${file}`;
  const body = bodies.get(file);
  if (body) return parseJsonRecord(body, record);
  throw new GamedataError('data', `${record}: is not listed in ${DATA_SET_FILE}`);
}
