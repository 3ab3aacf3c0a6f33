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

/** The current slugs by old slug. */
const renamed = {
  'old-pound': 'pound',
  'taken-again': 'karate-chop',
  'old-master-ball': 'master-ball',
};

/**
 * Writes the bundled data set with old slugs of some records.
 *
 * @param most the number of records of each kind
 */
export function renamedSnapshot(
  folder: string,
  most = Number.POSITIVE_INFINITY,
): string {
  cpSync(BUNDLED_DATA, folder, { recursive: true });
  const all = decodeDataSet(openSnapshot(folder).data());
  const records = mapKinds((kind) => all.records[kind].slice(0, most)) as Records;
  const old = new Map<string, string>(
    Object.entries(renamed).map(([was, is]) => [is, was]),
  );
  const older = mapKinds((kind) =>
    records[kind].map((record) => ({
      ...record,
      slug: old.get(record.slug) ?? record.slug,
    })),
  ) as Records;
  const [from, to] = [older, records].map((own) =>
    encodeDataSet({ ...all, records: own }),
  );
  if (!from || !to) throw new Error('expected two data sets');
  const { captured, edition } = to.provenance;
  const step = compare({ ...from, captured, edition }, { ...to, captured, edition });
  const history = encodeHistory(extendHistory(emptyHistory, step));
  const oldSlugs = encodeOldSlugs(findOldSlugs(from.records, to.records));
  const files = [
    ...snapshotFiles(to),
    { path: 'changes.json', body: history },
    { path: 'former.json', body: oldSlugs },
  ];
  for (const { path: file, body } of files) {
    writeFileSync(path.join(folder, file), body);
  }
  listAsTheyAre(folder);
  return folder;
}
