import path from 'node:path';
import fsExtra from 'fs-extra';
import type { SiteFile } from '../../src/contract/meta.ts';
import type { DataSet } from '../../src/dataset/data-set.ts';
import { loadSource } from '../../src/sources/index.ts';
import { snapshotFiles } from '../../src/sources/snapshot.ts';
import type { SourceContext, SourceName } from '../../src/upstream/source.ts';
import { temporaryFolder } from './temporary.ts';

export const loadFrom = (
  source: SourceName,
  upstream: string,
  more: Partial<SourceContext> = {},
) =>
  loadSource({
    source,
    upstream,
    dataFolder: 'unused',
    cacheFolder: undefined,
    today: '2026-01-02',
    concurrency: 4,
    retryBaseMs: 1,
    ...more,
  });

export function snapshotFolder(data: DataSet, ...more: SiteFile[]): string {
  const folder = path.join(temporaryFolder(), 'data');
  for (const { path: file, body } of [...snapshotFiles(data), ...more]) {
    fsExtra.outputFileSync(path.join(folder, file), body);
  }
  return folder;
}
