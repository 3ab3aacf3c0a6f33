import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mapKinds } from '../../src/contract/kinds.ts';
import { compare } from '../../src/dataset/compare.ts';
import {
  emptyHistory,
  encodeHistory,
  extendHistory,
} from '../../src/dataset/history.ts';
import { encodeOldSlugs, findOldSlugs } from '../../src/dataset/old-slugs.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import { openSnapshot, snapshotFiles } from '../../src/sources/snapshot.ts';
import { decodeDataSet, encodeDataSet, type Records } from './decode.ts';
import { listAsTheyAre } from './listed.ts';

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
export function renamedSnapshot(
  folder: string,
  most = Number.POSITIVE_INFINITY,
): string {
  cpSync(BUNDLED_DATA, folder, { recursive: true });
  const bundled = decodeDataSet(openSnapshot(folder).data());
  const records = mapKinds((kind) =>
    bundled.records[kind].slice(0, most),
  ) as Records;
  const before = encodeDataSet({ ...bundled, records: renameBack(records) });
  const after = encodeDataSet({ ...bundled, records });

  const { captured, edition } = after.provenance;
  const step = compare(
    { ...before, captured, edition },
    { ...after, captured, edition },
  );
  const history = extendHistory(emptyHistory, step);
  const oldSlugs = findOldSlugs(before.records, after.records);
  const files = [
    ...snapshotFiles(after),
    { path: 'changes.json', body: encodeHistory(history) },
    { path: 'former.json', body: encodeOldSlugs(oldSlugs) },
  ];
  for (const { path: file, body } of files) {
    writeFileSync(path.join(folder, file), body);
  }
  listAsTheyAre(folder);
  return folder;
}
