/** The records of a data set whose text was validated when it was written. */

import type { Item, Move } from '../../src/contract/records.ts';
import type { DataSet, EncodedDataSet, EncodedRecord } from '../../src/dataset/data-set.ts';

export const decodeDataSet = ({ records, ...rest }: EncodedDataSet): DataSet => ({
  ...rest,
  records: { move: records.move.map(decode<Move>), item: records.item.map(decode<Item>) },
});

const decode = <R>({ json }: EncodedRecord): R => JSON.parse(json);
