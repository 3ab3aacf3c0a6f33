/** The snapshot source: a data set as files, one record per line, so that a diff of it is a change log of the data. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type History, historySchema } from '../contract/changes.ts';
import { FORMAT, formatField, refuseNewerFormat } from '../contract/format.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { CHANGES_FILE } from '../contract/paths.ts';
import { type Counts, countsSchema, recordSchemas } from '../contract/records.ts';
import type { SiteFile } from '../contract/site-file.ts';
import {
  type DataSet,
  type EncodedRecord,
  type EncodedRecords,
  type FindPublished,
  type Provenance,
  provenanceSchema,
  warningSchema,
} from '../dataset/data-set.ts';
import { digestLines, encodeLine } from '../dataset/digest.ts';
import { encodeRecord } from '../dataset/encode.ts';
import type { PreviousDataSet } from '../dataset/previous.ts';
import { DataError, errorCode, OutputError } from '../errors.ts';
import { readText } from '../files.ts';

/** The file that marks a folder as a snapshot. */
export const PROVENANCE_FILE = 'provenance.json';
const recordsFile = (kind: Kind): string => `${kind}.ndjson`;

/** `provenance.json`: where the records come from, their warnings and their digest. */
const snapshotSchema = z.object({
  ...formatField,
  ...provenanceSchema.shape,
  counts: countsSchema,
  digest: z.string(),
  warnings: z.array(warningSchema),
});

type SnapshotSummary = z.infer<typeof snapshotSchema>;

/** The files of a snapshot: the same data set gives the same bytes. */
export function snapshotFiles(data: DataSet): SiteFile[] {
  const { provenance, counts, digest } = data;
  const summary: SnapshotSummary = {
    format: FORMAT,
    ...provenance,
    counts,
    digest,
    warnings: [...data.warnings],
  };
  const records = data.records();
  return [
    ...kindNames.map((kind) => ({ path: recordsFile(kind), body: records[kind].map(encodeLine).join('') })),
    { path: PROVENANCE_FILE, body: `${JSON.stringify(summary, null, 2)}\n` },
  ];
}

/**
 * Reads a snapshot. Its records are validated when they are asked for.
 *
 * @throws OutputError if a file cannot be read
 * @throws DataError if a record is invalid, or the records do not match the digest
 */
export function readSnapshot(folder: string): DataSet {
  const { format: _, digest, warnings, counts, ...provenance } = readSummary(folder);
  const texts = readTexts(folder, digest);
  let records: EncodedRecords | undefined;
  return {
    warnings,
    provenance,
    counts,
    digest,
    records(findPublished) {
      records ??= mapKinds((kind) => readLines(texts[kind], kind, findPublished));
      for (const kind of kindNames) {
        if (records[kind].length === counts[kind]) continue;
        const problem = `got ${records[kind].length} records: expected ${counts[kind]}, as in ${PROVENANCE_FILE}`;
        throw new DataError(problem, { kind });
      }
      return records;
    },
  };
}

/** The text of each kind's records, which have to match the digest. */
function readTexts(folder: string, digest: string): Record<Kind, string> {
  const texts = mapKinds((kind) =>
    explained(folder, recordsFile(kind), () => readText(folder, recordsFile(kind))),
  );
  const found = digestLines((kind) => texts[kind]);
  if (found === digest) return texts;
  throw new DataError(`got ${found}: expected ${digest}, as in ${PROVENANCE_FILE}`, {
    record: 'snapshot',
    field: 'digest',
  });
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

const readLines = (
  text: string,
  kind: Kind,
  findPublished: FindPublished = () => undefined,
): EncodedRecord[] =>
  linesOf(text).map((json, at) => {
    const record = guessRecord(json);
    return findPublished(kind, record) ? record : validate(json, { kind, at });
  });

/** A record that lacks a field may be complete as far as the version that wrote it is concerned. */
function validate(json: string, place: Place): EncodedRecord {
  const record = nameOf(place);
  const value = parseJsonOf(json, record);
  try {
    return encodeRecord(parse(recordSchemas[place.kind], value, { record }));
  } catch (cause) {
    if (!(cause instanceof DataError)) throw cause;
    throw new DataError(cause.problem, cause.location, {
      cause,
      hint: 'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>',
    });
  }
}

/** As much of a record of any version as a comparison needs. Its text is kept as it is. */
const anyRecordSchema = z.object({ id: z.int(), slug: z.string() });

/** A line of the file of a kind, from 0. */
interface Place {
  readonly kind: Kind;
  readonly at: number;
}

const nameOf = ({ kind, at }: Place): string => `${recordsFile(kind)} line ${at + 1}`;

/** The record that a line should be: parsed only if it turns out not to be published. */
const guessRecord = (json: string): EncodedRecord => ({
  id: Number(/^\{"id":(\d+),/.exec(json)?.[1]),
  slug: /"slug":"([^"\\]+)"/.exec(json)?.[1] ?? '',
  json,
});

function readAnyRecord(json: string, place: Place): EncodedRecord {
  const record = nameOf(place);
  const value = parseJsonOf(json, record);
  return { ...parse(anyRecordSchema, value, { record }), json };
}

const isSnapshot = (folder: string): boolean => existsSync(path.join(folder, PROVENANCE_FILE));

/** How many records a snapshot has; undefined if there is none. */
export const readSnapshotCounts = (folder: string): Counts | undefined =>
  isSnapshot(folder) ? readSummary(folder).counts : undefined;

/** The data set of a snapshot as the previous one, whatever version wrote it; undefined if there is none. */
export function previousOfSnapshot(folder: string): (PreviousDataSet & Provenance) | undefined {
  if (!isSnapshot(folder)) return undefined;
  const summary = readSummary(folder);
  const readAll = (): EncodedRecords => {
    const texts = readTexts(folder, summary.digest);
    return mapKinds((kind) => linesOf(texts[kind]).map((json, at) => readAnyRecord(json, { kind, at })));
  };
  return {
    ...summary,
    slugs: (kind) => readAll()[kind].map(({ slug }) => slug),
    differences: (after) => ({ before: readAll(), after }),
    history: () => readSnapshotHistory(folder),
  };
}

/**
 * The history of a snapshot; undefined if it has none.
 *
 * @throws DataError if it belongs to other data
 */
export function readSnapshotHistory(folder: string): History | undefined {
  if (!existsSync(path.join(folder, CHANGES_FILE))) return undefined;
  const json = readJson(folder, CHANGES_FILE);
  const history = parse(historySchema, json, { record: CHANGES_FILE });
  const { digest } = readSummary(folder);
  const [newest] = history.steps;
  if (!newest || newest.to.digest === digest) return history;
  throw new DataError(
    `got ${newest.to.digest}: expected ${digest}, as in ${PROVENANCE_FILE}`,
    { record: CHANGES_FILE, field: 'steps[0].to.digest' },
    { hint: `Delete ${CHANGES_FILE} to start a new history.` },
  );
}

function readSummary(folder: string): SnapshotSummary {
  const json = readJson(folder, PROVENANCE_FILE);
  const file = path.join(folder, PROVENANCE_FILE);
  refuseNewerFormat(json, (problem, options) => new OutputError(problem, file, options));
  return parse(snapshotSchema, json, { record: PROVENANCE_FILE });
}

const readJson = (folder: string, file: string): unknown =>
  parseJsonOf(
    explained(folder, file, () => readText(folder, file)),
    file,
  );

function parseJsonOf(text: string, record: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DataError(`${(cause as SyntaxError).message}: expected JSON`, { record }, { cause });
  }
}

function explained<T>(folder: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new OutputError(
      `cannot be read (${errorCode(cause)}), expected a snapshot`,
      path.join(folder, file),
      { cause, hint: 'Create one with: gamedata snapshot --data <dir>' },
    );
  }
}
