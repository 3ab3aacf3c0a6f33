import { afterAll, beforeAll } from 'vitest';
import type { BuildOptions } from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { buildPageSite, removePageSite } from './page-site.ts';

/**
 * Serves a site with the bundled data for a group of tests. `url` is empty until the
 * tests run.
 */
export function usePageSite(options: BuildOptions = {}): {
  readonly url: string;
  readonly folder: string;
} {
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
