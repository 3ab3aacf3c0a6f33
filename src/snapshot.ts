/** The story of a snapshot: source → data set → the folder it is bundled in. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { capture, type Watchers } from './capture.ts';
import { encodeHistory } from './changes/history.ts';
import { CHANGES_FILE } from './contract/changes.ts';
import { BUNDLED_DATA, PUBLIC_FOLDER, resolveSource, type SnapshotOptions } from './options.ts';
import { withOutput } from './output/publish.ts';
import { historyOf } from './past.ts';
import { createReport, type Report } from './report.ts';
import { readPastSnapshot, snapshotFiles } from './sources/snapshot.ts';

/** The notice that has to go with the data: the site has it, and so does every snapshot. */
const DATA_LICENSE = 'data-license.txt';

/**
 * Captures the upstream's data into a folder, from which later builds read it. `auto` means `rest` here, since there is
 * nothing to fall back to.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the data set is then the old one, untouched
 */
export async function snapshot(options: SnapshotOptions = {}, watchers: Watchers = {}): Promise<Report> {
  const started = performance.now();
  const settled = resolveSource(
    { ...options, source: options.source === 'auto' ? 'rest' : (options.source ?? 'rest') },
    process.env,
  );
  const { data = path.relative('', BUNDLED_DATA), signal } = options;

  return withOutput(data, async (output) => {
    const captured = await capture({ ...settled, ...watchers, signal, pastOf: () => readPastSnapshot(data) });
    const history = { path: CHANGES_FILE, body: encodeHistory(historyOf(captured)) };
    const license = { path: 'LICENSE.txt', body: readFileSync(path.join(PUBLIC_FOLDER, DATA_LICENSE)) };
    const published = await output.publish([...snapshotFiles(captured), history, license], { signal });
    return createReport(captured, published, { out: data, started });
  });
}
