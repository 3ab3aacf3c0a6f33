import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { SiteFile } from '../contract/meta.ts';
import { CHANGES_FILE, FORMER_FILE } from '../contract/paths.ts';
import type { DataSet } from '../dataset/data-set.ts';
import { encodeHistory } from '../dataset/history.ts';
import { encodeOldSlugs } from '../dataset/old-slugs.ts';
import { emptyPast, type Past } from '../dataset/past.ts';
import { PUBLIC_FOLDER } from '../package.ts';
import { withOutput } from '../publish/publish.ts';
import { readPreviousSnapshot, snapshotFiles } from '../sources/snapshot.ts';
import { assertReplaceableContents } from './contents.ts';
import { loadUpdate } from './load-update.ts';
import { createReport, groupWarnings, type Report } from './report.ts';
import type { SourceSettings } from './source-settings.ts';

/**
 * Lists a data set's files, including its history, its old slugs and the data's
 * license.
 */
export const dataSetFiles = (data: DataSet, past: Past = emptyPast): SiteFile[] => [
  ...snapshotFiles(data),
  { path: CHANGES_FILE, body: encodeHistory(past.history) },
  { path: FORMER_FILE, body: encodeOldSlugs(past.oldSlugs) },
  {
    path: 'LICENSE.txt',
    body: readFileSync(path.join(PUBLIC_FOLDER, 'data-license.txt')),
  },
];

/**
 * Reads a data set, compares it with the published one, checks the differences, and
 * publishes the files.
 *
 * @throws UpstreamError, DataError, GuardError or OutputError
 */
export async function makeDataSet(
  folder: string,
  source: SourceSettings,
): Promise<Report> {
  const started = performance.now();
  return withOutput(
    folder,
    async (output) => {
      assertReplaceableContents(output, 'data set', source.cacheFolder);
      const isPublished = output.published.entries.size > 0;
      const { loaded, update } = await loadUpdate(
        { ...source, isPublished },
        readPreviousSnapshot(output.folder),
      );
      const files = dataSetFiles(update.dataSet, update.past);
      const result = await output.publish(files, { signal: source.signal });
      const warnings = groupWarnings(loaded.dataSet.warnings);
      return createReport(loaded, update, result, { output, warnings, started });
    },
    source,
  );
}
