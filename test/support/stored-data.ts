/** Data sets with a past, and data set folders in memory. */

import path from 'node:path';
import fsExtra from 'fs-extra';
import { withRecords } from '../../src/data/advance.ts';
import type { SummarizedRecords } from '../../src/data/compare.ts';
import type { DataSet, Provenance } from '../../src/data/data-set.ts';
import {
  createDataSetFiles,
  type DataSetSource,
} from '../../src/data/data-set-folder.ts';
import { emptyPast, type Past } from '../../src/data/past.ts';
import { normalize, type RawRecord } from '../../src/upstream/normalize.ts';
import { allRaw, PROVENANCE, type SomeRecords } from './sites.ts';
import { temporaryFolder } from './temporary.ts';

interface Facts {
  readonly provenance?: Partial<Provenance>;
  readonly past?: Past;
}

/** Creates a data set from raw records, with one plain record of each other kind. */
export function createStoredData(raw: SomeRecords, facts: Facts = {}): DataSet {
  const { past = emptyPast } = facts;
  const provenance = { ...PROVENANCE, ...facts.provenance };
  return { ...normalize(allRaw(raw), provenance), readPast: () => past };
}

/** Creates a data set for comparisons. */
export function versionOf(
  move: readonly RawRecord<'move'>[],
  item: readonly RawRecord<'item'>[] = [],
  captured = '2026-01-02',
): SummarizedRecords {
  const dataSet = createStoredData({ move, item }, { provenance: { captured } });
  return withRecords(dataSet);
}

/** The content of each file in a data set folder, by its path. */
export type Bodies = Map<string, Uint8Array>;

export function storeData(dataSet: DataSet): Bodies {
  const { files, description } = createDataSetFiles(dataSet, 'the license\n');
  const bodies: Bodies = new Map();
  for (const { path, body } of [...files, description]) {
    bodies.set(path, Buffer.from(body));
  }
  return bodies;
}

/** Writes a data set into a folder, and returns the folder. */
export function writeDataSet(
  dataSet: DataSet,
  folder = path.join(temporaryFolder(), 'data'),
): string {
  for (const [file, body] of storeData(dataSet)) {
    fsExtra.outputFileSync(path.join(folder, file), body);
  }
  return folder;
}

export const createSource = (bodies: Bodies): DataSetSource => ({
  name: 'stored',
  get: (path) => bodies.get(path),
});
