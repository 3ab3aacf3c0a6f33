import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { manyRecords } from './known-records.ts';
import { createStoredData, writeDataSet } from './stored-data.ts';
import { sharedFolder } from './temporary.ts';

/**
 * Builds a site without icons, with as many records as the oldest bundled data. Returns
 * the site's folder, which is in the given folder.
 */
export async function buildPageSite(
  folder: string,
  options: BuildOptions = {},
): Promise<string> {
  const out = path.join(folder, 'site');
  const upstream = path.join(folder, 'data');
  writeDataSet(createStoredData(manyRecords(746, 954)), upstream);
  await build({
    source: 'snapshot',
    upstream,
    baseUrl: 'https://example.test',
    hosts: [],
    sprites: 'none',
    ...options,
    out,
  });
  return out;
}

/** Serves such a site for a group of tests. `url` is empty until the tests run. */
export function usePageSite(options: BuildOptions = {}): {
  readonly url: string;
  readonly folder: string;
} {
  const folder = sharedFolder();
  const site = { url: '', folder: path.join(folder, 'site') };
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    await buildPageSite(folder, options);
    const server = await serve({ dir: site.folder, port: 0 });
    site.url = server.url;
    stop = server.close;
  });
  afterAll(() => stop?.());
  return site;
}
