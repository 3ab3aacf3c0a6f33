import { mapKinds } from '../../src/contract/kinds.ts';
import { advance } from '../../src/data/advance.ts';
import { encodeDataSet, type Records } from './decode.ts';
import { manyRecords } from './known-records.ts';
import { dataSetOf } from './sites.ts';
import { writeDataSet } from './stored-data.ts';

/** Maps current slugs to old slugs. */
const oldSlugsBySlug: ReadonlyMap<string, string> = new Map([
  ['pound', 'old-pound'],
  ['karate-chop', 'taken-again'],
  ['master-ball', 'old-master-ball'],
]);

/** Returns the records as they were before some of them were renamed. */
function renameBack(records: Records): Records {
  return mapKinds((kind) =>
    records[kind].map((record) => {
      const oldSlug = oldSlugsBySlug.get(record.slug) ?? record.slug;
      return { ...record, slug: oldSlug };
    }),
  ) as Records;
}

/**
 * Writes a data set with a past in which some records were renamed.
 *
 * @param count the number of records of each kind
 */
export async function renamedSnapshot(folder: string, count = 250): Promise<string> {
  const dataSet = dataSetOf(manyRecords(count, count));
  const { records } = dataSet;
  const before = encodeDataSet({ ...dataSet, records: renameBack(records) });
  const after = encodeDataSet(dataSet);
  return writeDataSet(advance(before, after).dataSet, folder);
}
