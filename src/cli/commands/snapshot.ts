/** The snapshot command: source → data set → the folder that later builds read. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { CHANGES_FILE, FORMER_FILE } from '../../contract/paths.ts';
import type { SiteFile } from '../../contract/site-file.ts';
import { encodeFormer } from '../../dataset/former.ts';
import { encodeHistory } from '../../dataset/history.ts';
import { type Output, withOutput } from '../../publish/publish.ts';
import { type Captured, capture, type Watchers } from '../../sources/capture.ts';
import { previousOfSnapshot, snapshotFiles } from '../../sources/snapshot.ts';
import { checkOutside, refuseOtherFolder } from './check-output.ts';
import { defaults } from './defaults.ts';
import { PUBLIC_FOLDER } from './package-files.ts';
import { createReport, groupWarnings, type Report } from './report.ts';
import { resolveSource, type SourceOptions } from './source-options.ts';

export interface SnapshotOptions extends SourceOptions {
  /** The folder of the data set. Default `data`, which in a clone is the bundled one. */
  readonly data?: string | undefined;
}

/** The files of a data set with its history and the license of the data, which accompanies every copy of it. */
export const dataSetFiles = (captured: Captured): SiteFile[] => [
  ...snapshotFiles(captured),
  { path: CHANGES_FILE, body: encodeHistory(captured.history) },
  { path: FORMER_FILE, body: encodeFormer(captured.former) },
  { path: 'LICENSE.txt', body: readFileSync(path.join(PUBLIC_FOLDER, 'data-license.txt')) },
];

/**
 * Captures the upstream's data into a folder that later builds can read. `auto` means `rest`, as there is nothing to fall
 * back to.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the data set is then unchanged
 */
export async function snapshot(options: SnapshotOptions = {}, watchers: Watchers = {}): Promise<Report> {
  const started = performance.now();
  const { source = 'rest', data = defaults.data, signal } = options;
  const resolved = resolveSource({ ...options, source: source === 'auto' ? 'rest' : source }, process.env);

  const work = async (output: Output): Promise<Report> => {
    refuseOtherFolder(output, 'dataSet');
    if (resolved.cacheFolder !== undefined) checkOutside('--cache', resolved.cacheFolder, data);
    const captured = await capture({
      ...resolved,
      ...watchers,
      published: previousOfSnapshot(output.folder),
    });
    const notices = [...output.notices, ...captured.notices];
    const published = await output.publish(dataSetFiles(captured), { signal });
    const warnings = groupWarnings(captured.warnings);
    return createReport({ ...captured, notices }, published, { out: data, warnings, started });
  };
  return withOutput(data, work, { ...options, ...watchers });
}
