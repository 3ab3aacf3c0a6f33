/** Data sets with their records as objects, as tests and benchmarks change them. */

import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';
import type { Item, Move, RecordOf } from '../../src/contract/records.ts';
import type { DataSet, EncodedRecord } from '../../src/dataset/data-set.ts';
import { digestDataSet, knownNames } from '../../src/dataset/digest.ts';
import { encodeRecord } from '../../src/dataset/encode.ts';
import { selectNames } from '../../src/dataset/names.ts';

export type Records = { readonly [K in Kind]: readonly RecordOf<K>[] };

export interface DecodedDataSet extends Pick<DataSet, 'warnings' | 'provenance'> {
  readonly names: readonly Names[];
  readonly records: Records;
}

export function decodeDataSet({ records, warnings, provenance, names }: DataSet): DecodedDataSet {
  const { move, item } = records;
  const decoded = { move: move.map(decode<Move>), item: item.map(decode<Item>) };
  return { warnings, provenance, names: names.read(), records: decoded };
}

const decode = <R>({ json }: EncodedRecord): R => JSON.parse(json);

export function encodeDataSet({ records, names, ...about }: DecodedDataSet): DataSet {
  const encoded = mapKinds((kind) => records[kind].map(encodeRecord));
  return digestDataSet(encoded, { ...about, names: knownNames(selectNames(names, encoded)) });
}
