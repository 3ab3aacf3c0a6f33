import { compare, type SummarizedRecords } from '../../src/data/compare.ts';
import { emptyHistory, extendHistory } from '../../src/data/history.ts';
import type { RawRecord } from '../../src/upstream/normalize.ts';
import { encodeDataSet } from './decode.ts';
import { dataSetOf, rawItem, rawMove, type SiteOptions, siteOf } from './sites.ts';

export function versionOf(
  move: readonly RawRecord<'move'>[],
  item: readonly RawRecord<'item'>[] = [],
  captured = '2026-01-02',
): SummarizedRecords {
  const dataSet = encodeDataSet(dataSetOf({ move: [...move], item: [...item] }));
  const { digest, counts } = dataSet;
  const records = dataSet.readRecords();
  return { digest, captured, counts, edition: null, records };
}

/** A site of three moves. The first is `new`, and its old slug is `move-1`. */
export function renamedSite(options: SiteOptions = {}) {
  const others = [rawMove(2), rawMove(3)];
  const raw = { move: [rawMove(1, { slug: 'new' }), ...others], item: [rawItem(1)] };
  const step = compare(
    versionOf([rawMove(1), ...others], raw.item),
    versionOf(raw.move, raw.item),
  );
  return siteOf(raw, { ...options, history: extendHistory(emptyHistory, step) });
}
