import path from 'node:path';
import fsExtra from 'fs-extra';
import type { SiteFile } from '../../src/contract/meta.ts';
import type { DataSet } from '../../src/dataset/data-set.ts';
import { checkUpdate, type GuardOptions } from '../../src/dataset/guard.ts';
import { type Previous, planUpdate, type UpdateOptions } from '../../src/dataset/update.ts';
import { loadSource } from '../../src/sources/index.ts';
import { readBundledSnapshot, snapshotFiles } from '../../src/sources/snapshot.ts';
import type { SourceContext, SourceName } from '../../src/sources/source.ts';
import { temporaryFolder } from './temporary.ts';

const contextOf = (source: SourceName, upstream: string | undefined) => ({
  ...{ source, upstream, dataFolder: 'unused', cacheFolder: undefined, today: '2026-01-02' },
  ...{ concurrency: 4, retries: 0, retryBaseMs: 1 },
});

export const loadFrom = (source: SourceName, upstream: string, more: Partial<SourceContext> = {}) =>
  loadSource({ ...contextOf(source, upstream), ...more });

/** Loads, compares and checks a data set, by default the snapshot in the data folder. */
export async function captured(options: CaptureOptions) {
  const { published, ...context } = {
    ...{ ...contextOf('snapshot', undefined), today: '2026-03-04' },
    ...{ maxShrink: 0, allowMissing: [], published: undefined, ...options },
  };
  const next = await loadSource(context);
  const readBundled = () => readBundledSnapshot(context.dataFolder);
  const changes = planUpdate(next, published, { ...context, readBundled });
  checkUpdate(changes, context);
  const { isCached = false } = next;
  return { ...changes.dataSet, ...changes, isCached };
}

export type CaptureOptions = Partial<SourceContext & GuardOptions & UpdateOptions> & {
  published?: Previous | undefined;
};

export function snapshotFolder(data: DataSet, ...more: SiteFile[]): string {
  const folder = path.join(temporaryFolder(), 'data');
  for (const { path: file, body } of [...snapshotFiles(data), ...more])
    fsExtra.outputFileSync(path.join(folder, file), body);
  return folder;
}
