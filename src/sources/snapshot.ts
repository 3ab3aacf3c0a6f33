/** The snapshot source: a data set as files, one record per line, so that a diff of it is a change log of the data. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type History, historySchema } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { FORMAT, formatField, refuseNewerFormat } from '../contract/meta.ts';
import { namesSummarySchema } from '../contract/names.ts';
import { parse } from '../contract/parse.ts';
import { CHANGES_FILE, FORMER_FILE, MANIFEST_FILE, namesFile } from '../contract/paths.ts';
import { countsSchema, recordSchemas } from '../contract/records.ts';
import type { SiteFile } from '../contract/site-file.ts';
import {
  type AnyRecords,
  anyRecordSchema,
  type DataSet,
  type Provenance,
  provenanceSchema,
  warningSchema,
} from '../dataset/data-set.ts';
import { digestLines, encodeLine, summarizeNames } from '../dataset/digest.ts';
import { decodeFormer, type Former, formerOf, noFormer } from '../dataset/former.ts';
import { emptyHistory, type Previous } from '../dataset/history.ts';
import { selectNames } from '../dataset/names.ts';
import { DataError, OutputError } from '../errors.ts';
import { parseText, readFileText, readJson } from '../files.ts';
import { folderPlace } from './site/place.ts';
import { entriesOf, explainFormer, readListed, readManifest, readNames, undamaged } from './site/read.ts';
import { leaveOut } from './skip.ts';
import type { Source } from './source.ts';

/** The file that marks a folder as a snapshot. */
export const PROVENANCE_FILE = 'provenance.json';
const recordsFile = (kind: Kind): string => `${kind}.ndjson`;

/** What errors say of files that cannot be read. */
const expected = {
  expected: 'a snapshot',
  hint: 'Create one with: gamedata snapshot --data <dir>',
} as const;

export const snapshot: Source = {
  name: 'snapshot',
  async load(context) {
    const folder = context.upstream ?? context.dataFolder;
    const whole = readSnapshot(folder, context);
    const dataSet = leaveOut(whole, context);
    const former = readSnapshotFormer(folder);
    // The history leads to all of its records.
    const history = dataSet.digest === whole.digest ? readSnapshotHistory(folder) : undefined;
    return { dataSet, history, former, source: 'snapshot' };
  },
};

/** `provenance.json`: where the records come from, their warnings and their digest. */
const snapshotSchema = z.object({
  ...formatField,
  ...provenanceSchema.shape,
  counts: countsSchema,
  digest: z.string(),
  /** Missing if there are none, or an earlier version wrote it. */
  names: namesSummarySchema.optional(),
  warnings: z.array(warningSchema),
});

type SnapshotSummary = z.infer<typeof snapshotSchema>;

/** The files of a snapshot: the same data set gives the same bytes. */
export function snapshotFiles(data: DataSet): SiteFile[] {
  const { provenance, counts, digest, warnings, records, names } = data;
  const summary = { format: FORMAT, ...provenance, counts, digest, names: summarizeNames(names), warnings };
  return [
    ...kindNames.map((kind) => ({ path: recordsFile(kind), body: records[kind].map(encodeLine).join('') })),
    // One line for each name, too.
    ...names.map((own) => ({ path: namesFile(own.language), body: `${JSON.stringify(own, null, 1)}\n` })),
    { path: PROVENANCE_FILE, body: `${JSON.stringify(summary, null, 2)}\n` },
  ];
}

/**
 * Reads a snapshot.
 *
 * @throws OutputError if a file cannot be read
 * @throws DataError if a record is invalid, or the records do not match the digest
 */
export function readSnapshot(
  folder: string,
  { hasNames = true }: { hasNames?: boolean | undefined } = {},
): DataSet {
  const { format: _, digest, warnings, counts, names: summary, ...provenance } = readSummary(folder);
  const lines = readLines(folder, digest);
  // A record that lacks a field may be complete as far as the version that wrote it is concerned.
  const hint =
    'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>';
  const records = mapKinds((kind) =>
    lines[kind].map(({ json, record }) => parse(recordSchemas[kind], json, { record }, { hint })),
  );
  for (const kind of kindNames) {
    if (records[kind].length === counts[kind]) continue;
    const problem = `got ${records[kind].length} records: expected ${counts[kind]}, as in ${PROVENANCE_FILE}`;
    throw new DataError(problem, { kind });
  }
  if (!hasNames) return { warnings, provenance, counts, digest, records, names: [] };
  // Those of records that it does not have would show in the digest.
  const names = selectNames(
    readNames(summary, (file) => readJson(folder, file)),
    records,
  );
  expectDigest('names.digest', summarizeNames(names)?.digest, summary?.digest);
  return { warnings, provenance, counts, digest, records, names };
}

/** Reads the lines of records that match the digest; `record` names one in errors. */
function readLines(folder: string, digest: string): Record<Kind, { json: unknown; record: string }[]> {
  const texts = mapKinds((kind) => readFileText(folder, recordsFile(kind), expected));
  const found = digestLines((kind) => texts[kind]);
  expectDigest('digest', found, digest);
  return mapKinds((kind) =>
    linesOf(texts[kind]).map((text, at) => {
      const record = `${recordsFile(kind)} line ${at + 1}`;
      return { json: parseText(text, record), record };
    }),
  );
}

function expectDigest(field: string, found: string | undefined, expected: string | undefined): void {
  if (found === expected) return;
  const location = { record: 'snapshot', field };
  const hint = 'Restore the snapshot from a copy, or write a new one into another folder.';
  throw new DataError(`got ${found}: expected ${expected}, as in ${PROVENANCE_FILE}`, location, { hint });
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

function readAnyRecords(folder: string, digest: string): AnyRecords {
  const lines = readLines(folder, digest);
  return mapKinds((kind) => lines[kind].map(({ json, record }) => parse(anyRecordSchema, json, { record })));
}

/** The data set of a snapshot as the previous one, whatever version wrote it; undefined if there is none. */
export function previousOfSnapshot(folder: string): (Previous & Provenance) | undefined {
  if (!existsSync(path.join(folder, PROVENANCE_FILE))) return undefined;
  const summary = readSummary(folder);
  return {
    ...summary,
    records: () => readAnyRecords(folder, summary.digest),
    readNames: () => readNames(summary.names, (file) => readJson(folder, file)),
    history: () => undamaged(() => readSnapshotHistory(folder) ?? emptyHistory),
    former: () => readSnapshotFormer(folder),
  };
}

/**
 * The history of a snapshot; undefined if it has none.
 *
 * @throws DataError if it belongs to other data
 */
export function readSnapshotHistory(folder: string): History | undefined {
  if (!existsSync(path.join(folder, CHANGES_FILE))) return undefined;
  const json = readJson(folder, CHANGES_FILE, expected);
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

/**
 * The former slugs of a snapshot, which an earlier version kept in its history.
 *
 * @throws OutputError or DataError if they cannot be read, or are not as the manifest says
 */
export function readSnapshotFormer(folder: string): Former {
  const place = folderPlace(folder);
  const entries = existsSync(path.join(folder, MANIFEST_FILE)) ? entriesOf(readManifest(place)) : undefined;
  const read = (file: string): unknown => {
    if (!entries?.has(file) && !existsSync(path.join(folder, file))) return undefined;
    const text = entries?.has(file)
      ? `${readListed(place, entries, file)}`
      : readFileText(folder, file, expected);
    return parseText(text, file);
  };
  return explainFormer({ name: folder, wayOut: 'Restore the folder from a copy' }, () => {
    const former = read(FORMER_FILE);
    if (former !== undefined) return decodeFormer(former);
    const changes = read(CHANGES_FILE);
    if (changes === undefined) return noFormer;
    return formerOf(
      parse(historySchema, changes, { record: CHANGES_FILE }),
      {},
      mapKinds(() => []),
    );
  });
}

function readSummary(folder: string): SnapshotSummary {
  const json = readJson(folder, PROVENANCE_FILE, expected);
  const file = path.join(folder, PROVENANCE_FILE);
  refuseNewerFormat(json, (problem, options) => new OutputError(problem, file, options));
  return parse(snapshotSchema, json, { record: PROVENANCE_FILE });
}
