import { readdirSync, rmdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { encodeBody } from '../contract/meta.ts';
import { DATA_SET_FILE } from '../contract/paths.ts';
import type { DataSet } from '../data/data-set.ts';
import {
  createDataSetFiles,
  type DataSetFiles,
  parseDescription,
} from '../data/data-set-folder.ts';
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
 * Matches the name of a kept data set: the day on which it was first kept, and the
 * start of the SHA-256 of its `dataset.json`, which covers all of its files.
 */
const KEPT_NAME = /^\d{4}-\d\d-\d\d-([0-9a-f]{12})$/;

/**
 * Keeps a data set in a folder next to the site, and then removes the oldest ones
 * there. If the same data set is already there, reuses its folder, which then counts as
 * the newest.
 *
 * @param out the folder of the site
 * @param keep how many data sets to keep, at least 1
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
  const oldestFirst = listOldestFirst(folder);

  const dataSetFiles = createDataSetFiles(dataSet, readDataLicense());
  // The folder's name ends with the first 12 digits of the hash.
  const digest = sha256(encodeBody(dataSetFiles.description)).slice(0, 12);
  const existingName = oldestFirst.find((name) => name.endsWith(`-${digest}`));
  const currentName = existingName ?? `${today}-${digest}`;
  const target = path.join(folder, currentName);
  await publishKept(target, dataSetFiles);

  const otherNames = oldestFirst.filter((name) => name !== currentName);
  const maxOthers = keep - 1;
  const excess = Math.max(0, otherNames.length - maxOthers);
  for (const name of otherNames.slice(0, excess)) {
    removeDataSet(path.join(folder, name));
  }
  return target;
}

/**
 * Publishes a data set into a folder, and sets the modification time of its
 * `dataset.json` to now. These times record the order in which data sets were kept.
 * Publishing alone is not enough, because it writes nothing if the data set is already
 * there.
 */
async function publishKept(
  folder: string,
  { files, description }: DataSetFiles,
): Promise<void> {
  const manifest = encodeBody(description);
  await withOutput(
    folder,
    (output) => output.publish(files, { encodeManifest: () => manifest }),
    { manifestFile: DATA_SET_FILE },
  );
  const now = new Date();
  utimesSync(path.join(folder, DATA_SET_FILE), now, now);
}

/** Lists the names of the kept data sets, with the most recently kept one last. */
function listOldestFirst(folder: string): string[] {
  const kept: { readonly name: string; readonly keptMs: number }[] = [];
  for (const name of readdirSync(folder).sort()) {
    const status = readStatus(path.join(folder, name, DATA_SET_FILE));
    if (KEPT_NAME.test(name) && status) kept.push({ name, keptMs: status.mtimeMs });
  }
  kept.sort((one, other) => one.keptMs - other.keptMs);
  return kept.map(({ name }) => name);
}

/**
 * Removes the files that a data set lists, and then any empty folders. Other files
 * stay, because an operator may have added them. `dataset.json` is removed last, so
 * that the next build can finish an interrupted removal.
 */
function removeDataSet(folder: string): void {
  explainFailure('cannot be removed', folder, () => {
    const { files } = parseDescription(folder, readIfExists(folder, DATA_SET_FILE));
    const listedFiles = files.map((entry) => entry.path);
    for (const file of [...listedFiles, DATA_SET_FILE]) {
      if (isInFolders(folder, file))
        rmSync(path.join(folder, file), { force: true });
    }
    // In reverse order, inner folders come before the folders that contain them.
    const subfolders = [...listParentFolders(listedFiles)].sort().reverse();
    for (const subfolder of subfolders) {
      // A folder with other files cannot be removed, so it stays.
      attempt(() => rmdirSync(path.join(folder, subfolder)));
    }
  });
}
