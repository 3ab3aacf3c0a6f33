/** What is built: the real data as the product itself captures it, and made data of its shape, as snapshots and tables. */

import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readSnapshot, snapshotFiles } from '../../src/sources/snapshot.ts';
import { type DecodedDataSet, decodeDataSet, encodeDataSet } from '../../test/support/decode.ts';
import { tablesOf, writeTables } from '../../test/support/tables.ts';
import { hasRecordedUpstream, recordedUpstream } from '../../test/support/upstream-data.ts';
import { madeUpstream } from './made-upstream.ts';
import { changeOneRecord, scaleDataSet, scaleTables } from './scale.ts';

/** Folders that `--upstream` may name. */
export interface DataSets {
  readonly records: number;
  readonly snapshot: string;
  /** The same but for one record. */
  readonly changed: string;
  readonly tables: string;
}

/** @param real the folder of a snapshot */
export function makeDataSets(real: string, { scale, folder }: { scale: number; folder: string }): DataSets {
  const dataSet = scaleDataSet(decodeDataSet(readSnapshot(real)), scale);
  const sets = {
    records: dataSet.records.move.length + dataSet.records.item.length,
    snapshot: path.join(folder, 'snapshot'),
    changed: path.join(folder, 'changed'),
    tables: path.join(folder, 'tables'),
  };
  writeSnapshot(sets.snapshot, dataSet);
  writeSnapshot(sets.changed, changeOneRecord(dataSet));
  const upstream = hasRecordedUpstream ? recordedUpstream() : madeUpstream();
  writeTables(sets.tables, scaleTables(tablesOf(upstream), scale));
  return sets;
}

function writeSnapshot(folder: string, dataSet: DecodedDataSet): void {
  mkdirSync(folder, { recursive: true });
  for (const { path: file, body } of snapshotFiles(encodeDataSet(dataSet)))
    writeFileSync(path.join(folder, file), body);
}

/** The files of a site that do not depend on its records. */
export function copyExtras(site: string, to: string): void {
  const isListFolder = (file: string): boolean =>
    /^api.gamedata.(?:move|item)$/.test(path.relative(site, file));
  cpSync(site, to, { recursive: true, filter: (file) => !isListFolder(file) });
  if (!existsSync(path.join(to, 'manifest.json'))) throw new Error(`${site} is no built site`);
}
