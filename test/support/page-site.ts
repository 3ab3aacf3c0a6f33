import path from 'node:path';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { createFolder, removeFolder } from './folders.ts';
import { manyRecords } from './known-records.ts';
import { createStoredData, writeDataSet } from './stored-data.ts';

/**
 * Builds a site without icons, with as many records as the oldest bundled data. Returns
 * the site's folder.
 */
export async function buildPageSite(options: BuildOptions = {}): Promise<string> {
  const folder = createFolder();
  const out = path.join(folder, 'site');
  const baseUrl = 'https://example.test';
  const upstream = path.join(folder, 'data');
  writeDataSet(createStoredData(manyRecords(746, 954)), upstream);
  await build({
    source: 'snapshot',
    upstream,
    baseUrl,
    hosts: [],
    sprites: 'none',
    ...options,
    out,
  });
  return out;
}

export const removePageSite = (folder: string): void =>
  removeFolder(path.dirname(folder));
