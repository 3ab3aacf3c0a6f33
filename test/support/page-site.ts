/** The site that the browser looks at: the bundled data, built for an address that nobody serves. */

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { build } from '../../src/build.ts';
import { PLACEHOLDER_ICON } from '../../src/contract/records.ts';
import { BUNDLED_DATA, type BuildOptions } from '../../src/options.ts';
import { serve } from '../../src/serve.ts';
import { readSnapshot } from './snapshot-records.ts';

export const BASE_URL = 'https://example.test';

/**
 * Builds a site that has a picture for every item, as none can be fetched in a test.
 *
 * @returns its folder
 */
export async function buildPageSite(options: BuildOptions = {}): Promise<string> {
  const out = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-pages-'))), 'site');
  await build({ source: 'snapshot', baseUrl: BASE_URL, hosts: [], ...options, out });
  for (const { icon } of readSnapshot(options.upstream ?? BUNDLED_DATA).item) {
    const file = path.join(out, icon);
    mkdirSync(path.dirname(file), { recursive: true });
    if (!existsSync(file)) copyFileSync(path.join(out, PLACEHOLDER_ICON), file);
  }
  return out;
}

export const removePageSite = (folder: string): void =>
  rmSync(path.dirname(folder), { recursive: true, force: true });

/** Serves such a site with `gamedata serve` for the tests of a group. `url` is known once they run. */
export function usePageSite(options: BuildOptions = {}): { readonly url: string; readonly folder: string } {
  const site = { url: '', folder: '' };
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    site.folder = await buildPageSite(options);
    const server = await serve({ dir: site.folder, port: 0 });
    site.url = server.url;
    stop = server.close;
  });
  afterAll(async () => {
    await stop?.();
    if (site.folder) removePageSite(site.folder);
  });
  return site;
}
