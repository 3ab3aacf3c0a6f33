/** Reading from sources, and what a read data set is captured with. */

import path from 'node:path';
import fsExtra from 'fs-extra';
import type { SiteFile } from '../../src/contract/meta.ts';
import type { DataSet } from '../../src/dataset/data-set.ts';
import { type CaptureOptions, capture } from '../../src/sources/capture.ts';
import { load } from '../../src/sources/index.ts';
import { snapshotFiles } from '../../src/sources/snapshot.ts';
import type { SourceContext, SourceName } from '../../src/sources/source.ts';
import { temporaryFolder } from './temporary.ts';

const contextOf = (source: SourceName, upstream: string | undefined) => ({
  ...{ source, upstream, dataFolder: 'unused', cacheFolder: undefined, today: '2026-01-02' },
  ...{ concurrency: 4, retries: 0, retryBaseMs: 1 },
});

export const loadFrom = (source: SourceName, upstream: string, more: Partial<SourceContext> = {}) =>
  load({ ...contextOf(source, upstream), ...more });

/** Without a word, of a snapshot in the data folder. */
export const captured = (options: Partial<CaptureOptions>) =>
  capture({
    ...{ ...contextOf('snapshot', undefined), today: '2026-03-04' },
    ...{ maxShrink: 0, allowMissing: [], published: undefined, ...options },
  });

/** A folder with a snapshot, and other files if there are any. */
export function snapshotFolder(data: DataSet, ...more: SiteFile[]): string {
  const folder = path.join(temporaryFolder(), 'data');
  for (const { path: file, body } of [...snapshotFiles(data), ...more])
    fsExtra.outputFileSync(path.join(folder, file), body);
  return folder;
}
