/** Data sets to be compared, made of raw records. */

import type { Edition } from '../../src/changes/compare.ts';
import { mapKinds } from '../../src/contract/kinds.ts';
import { digestRecords, encodeRecords } from '../../src/digest.ts';
import type { RawItem, RawMove } from '../../src/sources/raw.ts';
import { dataSetOf } from './sites.ts';

export function editionOf(
  move: readonly RawMove[],
  item: readonly RawItem[] = [],
  captured = '2026-01-02',
): Edition {
  const records = encodeRecords(dataSetOf({ move: [...move], item: [...item] }).records);
  const counts = mapKinds((kind) => records[kind].length);
  return { digest: digestRecords(records), captured, counts, records };
}
