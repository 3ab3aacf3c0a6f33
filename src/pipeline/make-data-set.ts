import { performance } from 'node:perf_hooks';
import { encodeBody } from '../contract/meta.ts';
import { DATA_SET_FILE } from '../contract/paths.ts';
import { createDataSetFiles, readPreviousDataSet } from '../data/data-set-folder.ts';
import { readDataLicense } from '../package.ts';
import { type Output, withOutput } from '../publish/publish.ts';
import { openDataSet } from '../site-folder.ts';
import { loadSource } from '../upstream/index.ts';
import { createReport, type Report } from './report.ts';
import type { SourceSettings } from './settings.ts';
import { updateData } from './update-data.ts';

/**
 * Reads a data set, and publishes its files into a folder. `dataset.json` is their
 * manifest. First, locks the folder and completes any change that a killed process left
 * unfinished.
 *
 * @throws GamedataError
 */
export async function makeDataSet(
  folder: string,
  settings: SourceSettings,
): Promise<Report> {
  const started = performance.now();
  return withOutput(folder, (output) => updateFolder(output, settings, started), {
    onNotice: settings.onNotice,
    manifestFile: DATA_SET_FILE,
  });
}

/**
 * Updates a locked folder. The published data set is read first, because the new one is
 * compared with it and continues its history of changes. If too many records have
 * disappeared, this throws an error and leaves the folder as it is.
 */
async function updateFolder(
  output: Output,
  settings: SourceSettings,
  started: number,
): Promise<Report> {
  const { folder, published } = output;
  const isPublished = published.entries.size > 0;
  const previous = isPublished
    ? await readPreviousDataSet(openDataSet(folder))
    : undefined;
  const loaded = await loadSource({ ...settings, previous });
  const update = await updateData(previous, loaded, settings);
  const { files, description } = createDataSetFiles(
    update.dataSet,
    readDataLicense(),
  );
  const result = await output.publish(files, {
    encodeManifest: () => encodeBody(description),
    signal: settings.signal,
  });
  return createReport(loaded, update, result, { output, previous, started });
}
