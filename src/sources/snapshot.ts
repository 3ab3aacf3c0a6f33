/** The snapshot source: a data set as files, one record a line, so that its diff is the change log of the data. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { CHANGES_FILE, type History, historySchema } from '../contract/changes.ts';
import {
  countsSchema,
  type EncodedDataSet,
  type EncodedRecord,
  type Provenance,
  provenanceSchema,
  warningSchema,
} from '../contract/data-set.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { recordSchemas } from '../contract/records.ts';
import type { SiteFile } from '../contract/site.ts';
import { digestLines, digestRecords, encodeLine, encodeRecord } from '../digest.ts';
import { DataError, errorCode, OutputError } from '../errors.ts';
import type { Past } from '../past.ts';

/** The file that makes a folder a snapshot. */
export const PROVENANCE_FILE = 'provenance.json';
const recordsFile = (kind: Kind): string => `${kind}.ndjson`;

/** `provenance.json`: where the records are from, what was odd about them, and their digest. */
const snapshotSchema = z.strictObject({
  ...provenanceSchema.shape,
  counts: countsSchema,
  digest: z.string(),
  warnings: z.array(warningSchema),
});

type SnapshotSummary = z.infer<typeof snapshotSchema>;

/** The files of a snapshot: the same data set gives the same bytes. */
export function snapshotFiles({ records, warnings, provenance }: EncodedDataSet): SiteFile[] {
  const summary: SnapshotSummary = {
    ...provenance,
    counts: mapKinds((kind) => records[kind].length),
    digest: digestRecords(records),
    warnings: [...warnings],
  };
  return [
    ...kindNames.map((kind) => ({ path: recordsFile(kind), body: records[kind].map(encodeLine).join('') })),
    { path: PROVENANCE_FILE, body: `${JSON.stringify(summary, null, 2)}\n` },
  ];
}

/**
 * Reads a snapshot and checks every record.
 *
 * @throws OutputError where a file cannot be read
 * @throws DataError where a record is not one, or the records are not those that the digest was made of
 */
export function readSnapshot(folder: string): EncodedDataSet {
  const { digest, warnings, counts, ...provenance } = readSummary(folder);
  const files = mapKinds((kind) => readBytes(folder, recordsFile(kind)));
  const found = digestLines((kind) => [files[kind]]);
  if (found !== digest) {
    throw new DataError(`got ${found}: expected ${digest}, as ${PROVENANCE_FILE} says`, {
      record: 'snapshot',
      field: 'digest',
    });
  }
  const records = mapKinds((kind) => parseLines(kind, files[kind]));
  for (const kind of kindNames) {
    if (records[kind].length === counts[kind]) continue;
    throw new DataError(
      `got ${records[kind].length} records: expected ${counts[kind]}, as ${PROVENANCE_FILE} says`,
      { kind },
    );
  }
  return { records, warnings, provenance };
}

/** One record at a time: its text is kept, what was parsed is not. A text of all would take twice the memory of its bytes. */
function parseLines(kind: Kind, lines: Buffer): EncodedRecord[] {
  const records: EncodedRecord[] = [];
  for (let from = 0, end = 0; from < lines.length; from = end + 1) {
    end = lines.indexOf('\n', from);
    if (end === -1) end = lines.length;
    const record = `${recordsFile(kind)} line ${records.length + 1}`;
    const value = parseJson(lines.toString('utf8', from, end), record);
    records.push(encodeRecord(parse(recordSchemas[kind], value, { record })));
  }
  return records;
}

/** What a snapshot says of itself, and has; undefined where there is none. */
export function readPastSnapshot(folder: string): (Past & Provenance) | undefined {
  if (!existsSync(path.join(folder, PROVENANCE_FILE))) return undefined;
  const slugs = (kind: Kind): string[] =>
    parseLines(kind, readBytes(folder, recordsFile(kind))).map(({ slug }) => slug);
  return {
    ...readSummary(folder),
    slugs,
    records: () => readSnapshot(folder).records,
    history: () => readSnapshotHistory(folder),
  };
}

/**
 * How a snapshot's data came about; undefined where it does not say.
 *
 * @throws DataError where it says so of other data
 */
export function readSnapshotHistory(folder: string): History | undefined {
  if (!existsSync(path.join(folder, CHANGES_FILE))) return undefined;
  const json = readJson(folder, CHANGES_FILE);
  const history = parse(historySchema, json, { record: CHANGES_FILE });
  const { digest } = readSummary(folder);
  const [newest] = history.steps;
  if (!newest || newest.to.digest === digest) return history;
  throw new DataError(
    `got ${newest.to.digest}: expected ${digest}, as ${PROVENANCE_FILE} says`,
    { record: CHANGES_FILE, field: 'steps[0].to.digest' },
    { hint: `Without ${CHANGES_FILE} a new history begins.` },
  );
}

function readSummary(folder: string): SnapshotSummary {
  const record = PROVENANCE_FILE;
  return parse(snapshotSchema, readJson(folder, record), { record });
}

const readJson = (folder: string, file: string): unknown => parseJson(`${readBytes(folder, file)}`, file);

function parseJson(text: string, record: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DataError(`${(cause as SyntaxError).message}: expected JSON`, { record }, { cause });
  }
}

function readBytes(folder: string, file: string): Buffer {
  try {
    return readFileSync(path.join(folder, file));
  } catch (cause) {
    throw new OutputError(
      `cannot be read (${errorCode(cause)}), expected a snapshot`,
      path.join(folder, file),
      {
        cause,
        hint: 'Make one with: gamedata snapshot --data <dir>',
      },
    );
  }
}
