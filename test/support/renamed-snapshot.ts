import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mapKinds } from '../../src/contract/kinds.ts';
import { compare } from '../../src/dataset/compare.ts';
import { digestRecords } from '../../src/dataset/data-set.ts';
import { encodeFormer, findOldSlugs } from '../../src/dataset/former.ts';
import { emptyHistory, encodeHistory, extendHistory } from '../../src/dataset/history.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import { readSnapshot, snapshotFiles } from '../../src/sources/snapshot.ts';
import { decodeDataSet, encodeDataSet, type Records } from './decode.ts';
import { listAsTheyAre } from './listed.ts';

/** Old slug → current slug. */
const renamed = { 'old-pound': 'pound', 'taken-again': 'karate-chop', 'old-master-ball': 'master-ball' };

/** Writes the bundled data set with old slugs of some records. @param most the number of records of each kind */
export function renamedSnapshot(folder: string, most = Number.POSITIVE_INFINITY): string {
  cpSync(BUNDLED_DATA, folder, { recursive: true });
  const all = decodeDataSet(readSnapshot(folder));
  const decoded = mapKinds((kind) => all.records[kind].slice(0, most)) as Records;
  const data = encodeDataSet({ ...all, records: decoded });
  for (const { path: file, body } of snapshotFiles(data)) writeFileSync(path.join(folder, file), body);
  const old = new Map<string, string>(Object.entries(renamed).map(([was, is]) => [is, was]));
  const before = mapKinds((kind) =>
    decoded[kind].map((record) => ({ ...record, slug: old.get(record.slug) ?? record.slug })),
  );
  const editions = [before, data.records].map((encoded) => {
    const counts = mapKinds((kind) => encoded[kind].length);
    return { digest: digestRecords(encoded), captured: data.provenance.captured, counts, records: encoded };
  });
  const [from, to] = editions;
  if (!from || !to) throw new Error('expected two data sets');
  const history = extendHistory(emptyHistory, compare(from, to));
  writeFileSync(path.join(folder, 'changes.json'), encodeHistory(history));
  writeFileSync(path.join(folder, 'former.json'), encodeFormer(findOldSlugs(before, data.records)));
  listAsTheyAre(folder);
  return folder;
}
