/**
 * Data sets with a record type for each kind, for tests and benchmarks that change
 * records.
 */

import type { Kind } from '../../src/contract/kinds.ts';
import type { RecordOf } from '../../src/contract/records.ts';
import { createDataSet, type DataSet } from '../../src/dataset/data-set.ts';
import { selectNames } from '../../src/dataset/names.ts';

export type Records = { readonly [K in Kind]: readonly RecordOf<K>[] };

export interface DecodedDataSet
  extends Pick<DataSet, 'warnings' | 'provenance' | 'names'> {
  readonly records: Records;
}

export const decodeDataSet = ({
  records,
  warnings,
  provenance,
  names,
}: DataSet): DecodedDataSet => ({
  ...{ warnings, provenance, names },
  records: records as Records,
});

export const encodeDataSet = ({
  records,
  names,
  ...about
}: DecodedDataSet): DataSet =>
  createDataSet(records, {
    ...about,
    names: names.map((own) => selectNames(own, records)),
  });
