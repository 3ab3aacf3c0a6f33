/** The snapshot command: source → data set → the folder that later builds read. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import * as z from 'zod';
import { kindNames } from '../../contract/kinds.ts';
import type { SiteFile } from '../../contract/meta.ts';
import { CHANGES_FILE, FORMER_FILE } from '../../contract/paths.ts';
import { listed } from '../../contract/words.ts';
import type { DataSet } from '../../dataset/data-set.ts';
import { encodeFormer, noFormer } from '../../dataset/former.ts';
import { emptyHistory, encodeHistory } from '../../dataset/history.ts';
import { type Output, withOutput } from '../../publish/publish.ts';
import { type Captured, capture } from '../../sources/capture.ts';
import { previousOfSnapshot, snapshotFiles } from '../../sources/snapshot.ts';
import { declare } from '../command.ts';
import { checkOutside, refuseOtherFolder } from '../folders.ts';
import { checkOptions, type Given, inGroup, option } from '../options.ts';
import { PUBLIC_FOLDER } from '../package-files.ts';
import { createReport, groupWarnings, type Report } from '../report.ts';
import { captureOptions, type SourceOptions, sourceOptions } from '../shared-options.ts';
import { keptLines, summaryLines } from '../summary.ts';

const snapshotOptions = {
  ...sourceOptions,
  ...inGroup('Output:', {
    /** The folder of the data set. Default `data`, which in a clone is the bundled one. */
    data: option('--data <dir>', 'folder of the data set', z.string().default('data')),
  }),
};

// Published declarations keep the comments of rows only where they are declared: `SourceOptions` has its own.
export type SnapshotOptions = SourceOptions & Given<typeof snapshotOptions>;

/** The files of a data set with its history and the license of the data, which accompanies every copy of it. */
export const dataSetFiles = ({
  history = emptyHistory,
  former = noFormer,
  ...data
}: DataSet & Partial<Pick<Captured, 'history' | 'former'>>): SiteFile[] => [
  ...snapshotFiles(data),
  { path: CHANGES_FILE, body: encodeHistory(history) },
  { path: FORMER_FILE, body: encodeFormer(former) },
  { path: 'LICENSE.txt', body: readFileSync(path.join(PUBLIC_FOLDER, 'data-license.txt')) },
];

/**
 * Captures the upstream's data into a folder that later builds can read. `auto` means `rest`, as there is nothing to fall
 * back to.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the data set is then unchanged
 */
export async function snapshot(options: SnapshotOptions = {}): Promise<Report> {
  const started = performance.now();
  const { data, source, ...checked } = checkOptions(snapshotOptions, options);
  const captured = { ...checked, source: source === 'auto' ? ('rest' as const) : source };
  const capturing = captureOptions(captured, process.env);
  const work = async (output: Output): Promise<Report> => {
    refuseOtherFolder(output, 'dataSet');
    if (capturing.cacheFolder !== undefined) checkOutside('--cache', capturing.cacheFolder, data);
    const published = previousOfSnapshot(output.folder);
    const captured = await capture({ ...capturing, published });
    const notices = [...output.notices, ...captured.notices];
    const result = await output.publish(dataSetFiles(captured), { signal: checked.signal });
    const warnings = groupWarnings(captured.warnings);
    return createReport({ ...captured, notices }, result, { out: data, warnings, started });
  };
  return withOutput(data, work, { takeLock: checked.takeLock, onNotice: checked.onNotice });
}

export const command = declare({
  description: `Reads every ${listed(kindNames)}, and writes them to a folder that builds can read instead of the upstream. auto means rest, as there is nothing to fall back to.`,
  options: snapshotOptions,
  async run({ options, watchers, signal }) {
    const report = await snapshot({ ...options, ...watchers, signal });
    return { lines: summaryLines(report), output: report };
  },
  kept: ({ data = '', cache }, failure) => keptLines(data, failure, cache),
});
