/** The snapshot source: a data set as files, one record per line, so that a diff of it is a change log of the data. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { History } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { FORMAT, formatField, rejectOtherFormat, type SiteFile } from '../contract/meta.ts';
import { type Names, namesSummarySchema } from '../contract/names.ts';
import { parse } from '../contract/parse.ts';
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
import { decodeFormer, type Former, noFormer } from '../dataset/former.ts';
import { decodeHistory, emptyHistory } from '../dataset/history.ts';
import { selectNames } from '../dataset/names.ts';
import type { Previous } from '../dataset/replacement.ts';
import { DataError, type DataLocation, OutputError } from '../errors.ts';
import { parseText } from '../files.ts';
import {
  entriesByPath,
  ignoreDamage,
  readFormer,
  readManifest,
  readNames,
  readVerified,
  withRestoreHint,
} from './site/read.ts';
import { folderStorage, readOrThrow } from './site/storage.ts';
import { leaveOut } from './skip.ts';
import type { Source } from './source.ts';

/** The file that marks a folder as a snapshot. */
export const PROVENANCE_FILE = 'provenance.json';
const recordsFile = (kind: Kind): string => `${kind}.ndjson`;

const wanted = { what: 'a snapshot', hint: 'Create one with: gamedata snapshot --data <dir>' };

export const snapshot: Source = async (context) => {
  const { data, history, former } = openSnapshot(context.upstream ?? context.dataFolder);
  return {
    ...leaveOut(data(context), history, context),
    former: readFormer(former, context.forgetHistory),
    source: 'snapshot',
  };
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

/** The files of a snapshot: the same data set gives the same bytes. */
export function snapshotFiles(data: DataSet): SiteFile[] {
  const { provenance, counts, digest, warnings, records, names, namesSummary } = data;
  const summary = { format: FORMAT, ...provenance, counts, digest, names: namesSummary, warnings };
  return [
    ...kindNames.map((kind) => ({ path: recordsFile(kind), body: records[kind].map(encodeLine).join('') })),
    // One line for each name, too.
    ...names.map((own) => ({ path: namesFile(own.language), body: `${JSON.stringify(own, null, 1)}\n` })),
    { path: PROVENANCE_FILE, body: `${JSON.stringify(summary, null, 2)}\n` },
  ];
}

/** What is read has to match `provenance.json`: each function throws `OutputError` or `DataError`. */
export function openSnapshot(folder: string) {
  const storage = folderStorage(folder);
  const text = (file: string): string => `${readOrThrow(storage, file, wanted)}`;
  const json = (file: string): unknown => parseText(text(file), file);
  const written = json(PROVENANCE_FILE);
  rejectOtherFormat(
    written,
    (problem, options) => new OutputError(problem, storage.at(PROVENANCE_FILE), options),
  );
  const summary = parse(snapshotSchema, written, { record: PROVENANCE_FILE });
  const { format: _, digest, warnings, counts, names: namesSummary, ...provenance } = summary;

  /** The records that match the digest, by schemas of this version or of any. */
  function recordsBy<T>(schemas: Record<Kind, z.ZodType<T>>, hint?: string): Record<Kind, T[]> {
    const texts = mapKinds((kind) => (counts[kind] === 0 ? '' : text(recordsFile(kind))));
    const found = digestLines((kind) => texts[kind]);
    expectDigest({ record: 'snapshot', field: 'digest' }, found, digest);
    return mapKinds((kind) =>
      linesOf(texts[kind]).map((line, at) => {
        const record = `${recordsFile(kind)} line ${at + 1}`;
        return parse(schemas[kind], parseText(line, record), { record }, { hint });
      }),
    );
  }

  const readAllNames = (): Names[] => readNames(namesSummary, json);
  const has = (file: string): boolean => existsSync(storage.at(file));

  return {
    ...{ summary, readNames: readAllNames },
    data({ hasNames = true }: { hasNames?: boolean | undefined } = {}): DataSet {
      // A record that lacks a field may be complete as far as the version that wrote it is concerned.
      const hint =
        'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>';
      const records = recordsBy<RecordOf<Kind>>(recordSchemas, hint);
      for (const kind of kindNames) {
        if (records[kind].length === counts[kind]) continue;
        const problem = `got ${records[kind].length} records: expected ${counts[kind]}, as in ${PROVENANCE_FILE}`;
        throw new DataError(problem, { kind });
      }
      // Those of records that it does not have would show in the digest.
      const names = hasNames ? selectNames(readAllNames(), records) : [];
      const location = { record: 'snapshot', field: 'names.digest' };
      const own = summarizeNames(names);
      if (hasNames) expectDigest(location, own?.digest, namesSummary?.digest);
      return { warnings, provenance, counts, digest, records, names, namesSummary: own };
    },
    /** Whatever version wrote them. */
    records: (): AnyRecords => recordsBy(mapKinds(() => anyRecordSchema)),
    /** Undefined if there is none. Throws `DataError` if it belongs to other data, too. */
    history(): History | undefined {
      if (!has(CHANGES_FILE)) return undefined;
      const history = decodeHistory(json(CHANGES_FILE));
      const newest = history.steps[0]?.to.digest ?? digest;
      const location = { record: CHANGES_FILE, field: 'steps[0].to.digest' };
      expectDigest(location, newest, digest, `Delete ${CHANGES_FILE} to start a new history.`);
      return history;
    },
    /** A folder with a manifest must have the old slugs that the manifest lists. */
    former(): Former {
      const read = (): string =>
        has(MANIFEST_FILE)
          ? `${readVerified(storage, entriesByPath(readManifest(storage)), FORMER_FILE)}`
          : text(FORMER_FILE);
      if (!has(MANIFEST_FILE) && !has(FORMER_FILE)) return noFormer;
      const about = { name: folder, wayOut: 'Restore the folder from a copy' };
      return withRestoreHint(about, () => decodeFormer(parseText(read(), FORMER_FILE)));
    },
  };
}

export const readSnapshot = (folder: string, options?: { hasNames?: boolean }): DataSet =>
  openSnapshot(folder).data(options);

function expectDigest(
  location: DataLocation,
  found: string | undefined,
  expected: string | undefined,
  hint = 'Restore the snapshot from a copy, or write a new one into another folder.',
): void {
  if (found !== expected)
    throw new DataError(`got ${found}: expected ${expected}, as in ${PROVENANCE_FILE}`, location, { hint });
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The data set of a snapshot as the previous one, whatever version wrote it; undefined if there is none. */
export function readPreviousSnapshot(folder: string): (Previous & Provenance) | undefined {
  if (!existsSync(path.join(folder, PROVENANCE_FILE))) return undefined;
  const { summary, history, ...data } = openSnapshot(folder);
  return { ...summary, ...data, history: () => ignoreDamage(() => history() ?? emptyHistory) };
}
