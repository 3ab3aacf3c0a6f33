/** The snapshot source: a data set in files with one record per line, so that a diff is a changelog of the data. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ignoreDamage } from '../built/damage.ts';
import { readManifest } from '../built/own-files.ts';
import { INTERRUPTED, withRestoreHint } from '../built/previous-site.ts';
import { readNames } from '../built/site-data.ts';
import { folderStorage, readOrThrow } from '../built/storage.ts';
import { rejectDamagedText, rejectMissingLineBreak } from '../built/text-damage.ts';
import { entriesByPath, readVerified } from '../built/verified-files.ts';
import type { History } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { limitMemory } from '../contract/limits.ts';
import { FORMAT, formatField, rejectOtherFormat, type SiteFile } from '../contract/meta.ts';
import { type Names, namesSummarySchema } from '../contract/names.ts';
import { parse, parseJsonRecord } from '../contract/parse.ts';
import { CHANGES_FILE, FORMER_FILE, MANIFEST_FILE, namesFile } from '../contract/paths.ts';
import { countsSchema, type RecordOf, recordSchemas } from '../contract/records.ts';
import {
  type AnyRecords,
  anyRecordSchema,
  type DataSet,
  digestLines,
  encodeLine,
  type Provenance,
  provenanceSchema,
  summarizeNames,
  warningSchema,
} from '../dataset/data-set.ts';
import { decodeHistory, emptyHistory } from '../dataset/history.ts';
import {
  type AddressedRecords,
  decodeOldSlugs,
  noOldSlugs,
  type OldSlugs,
} from '../dataset/old-slugs.ts';
import { type Past, type PastWithNotices, RESTART } from '../dataset/past.ts';
import type { Previous } from '../dataset/update.ts';
import { DataError, type DataLocation, OutputError } from '../errors.ts';
import { removeSkipped, type Source } from './source.ts';

export const PROVENANCE_FILE = 'provenance.json';
const recordsFile = (kind: Kind): string => `${kind}.ndjson`;

const RESTORE = 'Restore the snapshot from a copy, or write a new one into another folder.';
const expected = { what: 'a snapshot', hint: 'Create one with: gamedata snapshot --data <dir>' };

export const snapshot: Source = async (context) => {
  const opened = openSnapshot(context.upstream ?? context.dataFolder);
  const whole = opened.data(context.hasNames);
  const dataSet = removeSkipped(whole, context);
  const readPast = (): Past => ({
    // The history describes all records.
    history: dataSet.digest === whole.digest ? opened.history() : emptyHistory,
    oldSlugs: opened.oldSlugs(),
  });
  return { dataSet, readPast, source: 'snapshot', isCopy: true };
};

const snapshotSchema = z.object({
  ...formatField,
  ...provenanceSchema.shape,
  counts: countsSchema,
  digest: z.string(),
  names: namesSummarySchema.optional(),
  warnings: z.array(warningSchema),
});

export function snapshotFiles(data: DataSet): SiteFile[] {
  const { provenance, counts, digest, warnings, records, names, namesSummary } = data;
  const summary = { format: FORMAT, ...provenance, counts, digest, names: namesSummary, warnings };
  return [
    ...kindNames.map((kind) => ({
      path: recordsFile(kind),
      body: records[kind].map(encodeLine).join(''),
    })),
    ...names.map((own) => ({
      path: namesFile(own.language),
      body: `${JSON.stringify(own, null, 1)}\n`,
    })),
    { path: PROVENANCE_FILE, body: `${JSON.stringify(summary, null, 2)}\n` },
  ];
}

/** Returns functions that read data and compare it with `provenance.json`. Each throws `OutputError` or `DataError`. */
export function openSnapshot(folder: string) {
  const storage = folderStorage(folder);
  const read = (file: string): Buffer => readOrThrow(storage, file, expected);
  const json = (file: string): unknown => {
    const body = read(file);
    try {
      return parseJsonRecord(body, storage.at(file), RESTORE);
    } catch (error) {
      rejectDamagedText(storage.at(file), body);
      throw error;
    }
  };
  const has = (file: string): boolean => existsSync(storage.at(file));
  const written = json(PROVENANCE_FILE);
  rejectOtherFormat(
    written,
    (problem, options) => new OutputError(problem, storage.at(PROVENANCE_FILE), options),
  );
  const summary = parse(
    snapshotSchema,
    written,
    { record: storage.at(PROVENANCE_FILE) },
    { hint: RESTORE },
  );
  const { format: _, digest, warnings, counts, names: namesSummary, ...provenance } = summary;
  const readAllNames = (records: AddressedRecords): Names[] => {
    const keep = limitMemory(folder);
    return readNames({ summary: namesSummary, readJson: json, at: storage.at, records, keep });
  };

  function readRecordFiles(): Record<Kind, string> {
    const bodies = mapKinds((kind) => (counts[kind] === 0 ? Buffer.of() : read(recordsFile(kind))));
    const found = digestLines((kind) => bodies[kind]);
    if (found !== digest) {
      for (const kind of kindNames) {
        const file = storage.at(recordsFile(kind));
        rejectDamagedText(file, bodies[kind]);
        rejectMissingLineBreak(file, bodies[kind]);
      }
    }
    assertDigest({ record: folder, field: 'digest' }, found, digest);
    return mapKinds((kind) => bodies[kind].toString());
  }

  function parseRecords<T>(schemas: Record<Kind, z.ZodType<T>>, hint?: string): Record<Kind, T[]> {
    const texts = readRecordFiles();
    return mapKinds((kind) => {
      const lines = texts[kind] === '' ? [] : texts[kind].replace(/\n$/, '').split('\n');
      return lines.map((line, at) => {
        const record = `${storage.at(recordsFile(kind))} line ${at + 1}`;
        return parse(schemas[kind], parseJsonRecord(line, record, RESTORE), { record }, { hint });
      });
    });
  }

  return {
    summary,
    data(hasNames = true): DataSet {
      const hint =
        'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>';
      const records = parseRecords<RecordOf<Kind>>(recordSchemas, hint);
      for (const kind of kindNames) {
        if (records[kind].length === counts[kind]) continue;
        const problem = `got ${records[kind].length} records, expected ${counts[kind]}, as in ${PROVENANCE_FILE}`;
        throw new DataError(problem, { record: folder, field: kind }, { hint: RESTORE });
      }
      const names = hasNames ? readAllNames(records) : [];
      const own = summarizeNames(names);
      const location = { record: folder, field: 'names.digest' };
      if (hasNames) assertDigest(location, own?.digest, namesSummary?.digest);
      return { warnings, provenance, counts, digest, records, names, namesSummary: own };
    },
    /** @throws DataError if the history is damaged or ends at another data set */
    history(): History {
      if (!has(CHANGES_FILE)) return emptyHistory;
      return decodeHistory(json(CHANGES_FILE), digest, {
        record: storage.at(CHANGES_FILE),
        hint: `Delete ${CHANGES_FILE} to start a new history.`,
      });
    },
    oldSlugs(mayBeLost?: boolean): OldSlugs {
      if (!has(MANIFEST_FILE) && !has(FORMER_FILE)) return noOldSlugs;
      const about = { name: folder, wayOut: 'Restore the folder from a copy' };
      const read = (): OldSlugs => {
        if (has(MANIFEST_FILE)) {
          const entries = entriesByPath(readManifest(storage));
          readVerified(storage, entries, FORMER_FILE);
        }
        return decodeOldSlugs(json(FORMER_FILE));
      };
      return withRestoreHint(about, read, mayBeLost);
    },
    /** Reads old slugs from a file that differs from the manifest. */
    unverifiedOldSlugs: (): OldSlugs => decodeOldSlugs(json(FORMER_FILE)),
    /** Reads records written by any gamedata version. */
    records: (): AnyRecords => parseRecords(mapKinds(() => anyRecordSchema)),
    readNames: readAllNames,
  };
}

function assertDigest(
  location: DataLocation,
  found: string | undefined,
  expected: string | undefined,
  hint = RESTORE,
): void {
  if (found !== expected)
    throw new DataError(`got ${found}, expected ${expected}, as in ${PROVENANCE_FILE}`, location, {
      hint,
    });
}

/** Reads the bundled data set, or returns undefined if it is damaged, because it only guards a first build. */
export const readBundledSnapshot = (folder: string): ReturnType<typeof readPreviousSnapshot> =>
  ignoreDamage(() => {
    const bundled = readPreviousSnapshot(folder);
    // Reading the records now detects damage before data sets are compared.
    bundled?.records();
    bundled?.readPast(false);
    return bundled;
  });

export function readPreviousSnapshot(folder: string): (Previous & Provenance) | undefined {
  if (!existsSync(path.join(folder, PROVENANCE_FILE))) return undefined;
  const opened = openSnapshot(folder);
  return {
    ...opened.summary,
    records: opened.records,
    readNames: opened.readNames,
    readPast: (mayBeLost) => readPublishedPast(opened, mayBeLost),
  };
}

type OpenedSnapshot = ReturnType<typeof openSnapshot>;

/** Reads the past of a data set in the user's own folder, where an interrupted change may have replaced a file. */
function readPublishedPast(opened: OpenedSnapshot, mayBeLost: boolean): PastWithNotices {
  const history = ignoreDamage(opened.history);
  const notices = history ? [] : [RESTART];
  const verifiedSlugs = ignoreDamage(() => opened.oldSlugs());
  const unverifiedSlugs = verifiedSlugs ?? ignoreDamage(opened.unverifiedOldSlugs);
  if (!verifiedSlugs && unverifiedSlugs) notices.push(`${FORMER_FILE} ${INTERRUPTED}`);
  // Reading the file again throws an error with a way out.
  const oldSlugs = unverifiedSlugs ?? opened.oldSlugs(mayBeLost);
  return { history: history ?? emptyHistory, oldSlugs, notices };
}
