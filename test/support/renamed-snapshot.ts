import { advance } from '../../src/data/advance.ts';
import { manyRecords } from './known-records.ts';
import { createStoredData, writeDataSet } from './stored-data.ts';

/** Maps current slugs to old slugs. */
const oldSlugsBySlug: ReadonlyMap<string, string> = new Map([
  ['pound', 'old-pound'],
  ['karate-chop', 'taken-again'],
  ['master-ball', 'old-master-ball'],
]);

/** Returns a record as it was before it was renamed. */
function renameBack<R extends { readonly slug: string }>(record: R): R {
  const slug = oldSlugsBySlug.get(record.slug) ?? record.slug;
  return { ...record, slug };
}

/**
 * Writes a data set with a past in which some records were renamed.
 *
 * @param count the number of records of each kind
 */
export async function renamedSnapshot(folder: string, count = 250): Promise<string> {
  const { move = [], item = [] } = manyRecords(count, count);
  const before = createStoredData({
    move: move.map(renameBack),
    item: item.map(renameBack),
  });
  const after = createStoredData({ move, item });
  return writeDataSet(advance(before, after).dataSet, folder);
}
