/** Data sets with their records as objects, as tests and benchmarks change them. */

import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';
import type { RecordOf } from '../../src/contract/records.ts';
import type { DataSet } from '../../src/dataset/data-set.ts';
import { digestDataSet, knownNames } from '../../src/dataset/digest.ts';
import { encodeRecord } from '../../src/dataset/encode.ts';
import { selectNames } from '../../src/dataset/names.ts';

export type Records = { readonly [K in Kind]: readonly RecordOf<K>[] };

export interface DecodedDataSet extends Pick<DataSet, 'warnings' | 'provenance'> {
  readonly names: readonly Names[];
  readonly records: Records;
}

export function decodeDataSet({ records, warnings, provenance, names }: DataSet): DecodedDataSet {
  const decoded = mapKinds((kind) => records[kind].map(({ json }) => JSON.parse(json))) as Records;
  return { warnings, provenance, names: names.read(), records: decoded };
}

export function encodeDataSet({ records, names, ...about }: DecodedDataSet): DataSet {
  const encoded = mapKinds((kind) => records[kind].map(encodeRecord));
  return digestDataSet(encoded, { ...about, names: knownNames(selectNames(names, encoded)) });
}
