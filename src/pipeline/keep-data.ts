import { readdirSync, rmdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { encodeBody } from '../contract/meta.ts';
import { DATA_SET_FILE } from '../contract/paths.ts';
import type { DataSet } from '../data/data-set.ts';
import { createDataSetFiles, parseDescription } from '../data/data-set-folder.ts';
import {
  attempt,
  explainFailure,
  isInFolders,
  listParentFolders,
  readStatus,
} from '../files.ts';
import { readDataLicense } from '../package.ts';
import { createFolder } from '../publish/folder.ts';
import { withOutput } from '../publish/publish.ts';
import { sha256 } from '../sha256.ts';
import { readIfExists } from '../site-folder.ts';

/**
 * Matches the name of a kept data set: the day on which it was first published, and the
 * start of the SHA-256 of its `dataset.json`, which covers all of its files.
 */
const KEPT_NAME = /^\d{4}-\d\d-\d\d-([0-9a-f]{12})$/;

/**
 * Keeps the published data set in a folder next to the site, unless it is already there.
 * Then removes the oldest data sets.
 *
 * @param out the folder of the site
 * @param keep the number of data sets that stay
 * @param today the current date in the form `YYYY-MM-DD`
 * @returns the kept folder, such as `site.data/2026-01-02-0123456789ab`
 * @throws GamedataError if the data set cannot be written
 */
export async function keepDataSet(
  out: string,
  dataSet: DataSet,
  keep: number,
  today: string,
): Promise<string> {
  const folder = `${path.normalize(out).replace(/[/\\]+$/, '')}.data`;
  explainFailure('cannot be created', folder, () => createFolder(folder));
  const { files, description } = createDataSetFiles(dataSet, readDataLicense());
  const content = encodeBody(description);
  const digest = sha256(content).slice(0, 12);
  const keptNames = listKept(folder);
  const current =
    keptNames.find((name) => name.endsWith(`-${digest}`)) ?? `${today}-${digest}`;
  const target = path.join(folder, current);
  await withOutput(
    target,
    ({ publish }) => publish(files, { encodeManifest: () => content }),
    { manifestFile: DATA_SET_FILE },
  );
  const now = new Date();
  utimesSync(path.join(target, DATA_SET_FILE), now, now);
  const others = keptNames.filter((name) => name !== current);
  const outdated = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const name of outdated) removeDataSet(path.join(folder, name));
  return target;
}

/** Lists the names of the kept data sets. The one that was kept last is at the end. */
function listKept(folder: string): string[] {
  const keptMs = new Map<string, number>();
  for (const name of readdirSync(folder)) {
    const status = readStatus(path.join(folder, name, DATA_SET_FILE));
    if (KEPT_NAME.test(name) && status) keptMs.set(name, status.mtimeMs);
  }
  const timeOf = (name: string): number => keptMs.get(name) ?? 0;
  return [...keptMs.keys()].sort().sort((one, other) => timeOf(one) - timeOf(other));
}

/**
 * Removes the files that a data set lists, and the folders that are then empty. Other
 * files stay, because an operator may have added them. `dataset.json` is removed last,
 * so that an interrupted removal is continued by the next build.
 */
function removeDataSet(folder: string): void {
  explainFailure('cannot be removed', folder, () => {
    const { files } = parseDescription(folder, readIfExists(folder, DATA_SET_FILE));
    const listedFiles = files.map((entry) => entry.path);
    for (const file of [...listedFiles, DATA_SET_FILE]) {
      if (isInFolders(folder, file))
        rmSync(path.join(folder, file), { force: true });
    }
    const subfolders = [...listParentFolders(listedFiles)].sort().reverse();
    for (const subfolder of subfolders) {
      attempt(() => rmdirSync(path.join(folder, subfolder)));
    }
  });
}
