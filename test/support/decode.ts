/**
 * Data sets with a record type for each kind, for tests and benchmarks that change
 * records.
 */

import type { Kind } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';
import type { RecordOf } from '../../src/contract/records.ts';
import { createDataSet, type DataSet } from '../../src/data/data-set.ts';
import { selectNames } from '../../src/data/names.ts';

export type Records = { readonly [K in Kind]: readonly RecordOf<K>[] };

export interface DecodedDataSet extends Pick<DataSet, 'warnings' | 'provenance'> {
  readonly records: Records;
  readonly names: readonly Names[];
}

/** Reads a data set's names, and gives its records their exact types. */
export function decodeDataSet(dataSet: DataSet): DecodedDataSet {
  const { warnings, provenance } = dataSet;
  return {
    warnings,
    provenance,
    records: dataSet.readRecords() as Records,
    names: dataSet.readNames(),
  };
}

/** Creates a data set from changed records, and keeps only these records' names. */
export function encodeDataSet(decoded: DecodedDataSet): DataSet {
  const { records, names, ...about } = decoded;
  const recordNames = names.map((languageNames) =>
    selectNames(languageNames, records),
  );
  return createDataSet(records, recordNames, about);
}
