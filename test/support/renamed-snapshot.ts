import { mapKinds } from '../../src/contract/kinds.ts';
import { advance } from '../../src/data/advance.ts';
import { readDataSet } from '../../src/data/data-set-folder.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import { openDataSet } from '../../src/site-folder.ts';
import { decodeDataSet, encodeDataSet, type Records } from './decode.ts';
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
 * Writes the bundled data set with a past in which some records were renamed.
 *
 * @param most the number of records of each kind
 */
export async function renamedSnapshot(
  folder: string,
  most = Number.POSITIVE_INFINITY,
): Promise<string> {
  const bundled = decodeDataSet(await readDataSet(openDataSet(BUNDLED_DATA)));
  const records = mapKinds((kind) =>
    bundled.records[kind].slice(0, most),
  ) as Records;
  const before = encodeDataSet({ ...bundled, records: renameBack(records) });
  const after = encodeDataSet({ ...bundled, records });
  return writeDataSet(advance(before, after).dataSet, folder);
}
