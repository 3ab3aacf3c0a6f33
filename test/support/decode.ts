/** The records of a data set whose text was validated when it was written. */

import type { Item, Move } from '../../src/contract/records.ts';
import type { DataSet, EncodedDataSet, EncodedRecord } from '../../src/dataset/data-set.ts';

export function decodeDataSet({ records, warnings, provenance }: EncodedDataSet): DataSet {
  const { move, item } = records();
  return { warnings, provenance, records: { move: move.map(decode<Move>), item: item.map(decode<Item>) } };
}

const decode = <R>({ json }: EncodedRecord): R => JSON.parse(json);
