import { performance } from 'node:perf_hooks';
import { encodeBody } from '../contract/meta.ts';
import { DATA_SET_FILE } from '../contract/paths.ts';
import { createDataSetFiles, readPreviousDataSet } from '../data/data-set-folder.ts';
import { readDataLicense } from '../package.ts';
import { withOutput } from '../publish/publish.ts';
import { openDataSet } from '../site-folder.ts';
import { loadSource } from '../upstream/index.ts';
import { createReport, groupWarnings, type Report } from './report.ts';
import { assertCacheOutside, type SourceSettings } from './source-settings.ts';
import { updateData } from './update-data.ts';

/**
 * Reads a data set, compares it with the published one, checks the differences, and
 * publishes the files. `dataset.json` is their manifest.
 *
 * @throws GamedataError
 */
export async function makeDataSet(
  folder: string,
  settings: SourceSettings,
): Promise<Report> {
  const started = performance.now();
  return withOutput(
    folder,
    async (output) => {
      assertCacheOutside(folder, settings.cacheFolder);
      const isPublished = output.published.entries.size > 0;
      const previous = isPublished
        ? await readPreviousDataSet(openDataSet(folder))
        : undefined;
      const loaded = await loadSource({ ...settings, isPublished, previous });
      const update = await updateData(previous, loaded, settings);
      const { files, description } = createDataSetFiles(
        update.dataSet,
        readDataLicense(),
      );
      const result = await output.publish(files, {
        encodeManifest: () => encodeBody(description),
        signal: settings.signal,
      });
      const warnings = groupWarnings(
        update.dataSet.warnings,
        previous?.warnings ?? [],
      );
      return createReport(loaded, update, result, { output, warnings, started });
    },
    { onNotice: settings.onNotice, manifestFile: DATA_SET_FILE },
  );
}
