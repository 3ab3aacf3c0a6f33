/** Data sets with their records as objects, as tests and benchmarks change them. */

import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import type { Item, Move, RecordOf } from '../../src/contract/records.ts';
import type { DataSet, EncodedRecord } from '../../src/dataset/data-set.ts';
import { digestDataSet } from '../../src/dataset/digest.ts';
import { encodeRecord } from '../../src/dataset/encode.ts';

export type Records = { readonly [K in Kind]: readonly RecordOf<K>[] };

export interface DecodedDataSet extends Pick<DataSet, 'warnings' | 'provenance'> {
  readonly records: Records;
}

export function decodeDataSet({ records, warnings, provenance }: DataSet): DecodedDataSet {
  const { move, item } = records;
  return { warnings, provenance, records: { move: move.map(decode<Move>), item: item.map(decode<Item>) } };
}

const decode = <R>({ json }: EncodedRecord): R => JSON.parse(json);

export const encodeDataSet = ({ records, ...about }: DecodedDataSet): DataSet =>
  digestDataSet(
    mapKinds((kind) => records[kind].map(encodeRecord)),
    about,
  );
