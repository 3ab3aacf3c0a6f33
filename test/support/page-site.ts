/** The site that the browser looks at: the bundled data, built for an address that nobody serves. */

import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { BUNDLED_DATA } from '../../src/cli/package-files.ts';
import { PLACEHOLDER_ICON } from '../../src/contract/paths.ts';
import { readSnapshot } from '../../src/sources/snapshot.ts';
import { decodeDataSet } from './decode.ts';
import { createFolder, removeFolder } from './folders.ts';

export const BASE_URL = 'https://example.test';

/**
 * Builds a site that has an icon for every item, as none can be fetched in a test.
 *
 * @returns its folder
 */
export async function buildPageSite(options: BuildOptions = {}): Promise<string> {
  const out = path.join(createFolder(), 'site');
  await build({ source: 'snapshot', baseUrl: BASE_URL, hosts: [], ...options, out });
  const { records } = decodeDataSet(readSnapshot(options.upstream ?? BUNDLED_DATA));
  for (const { icon } of records.item) {
    const file = path.join(out, icon);
    mkdirSync(path.dirname(file), { recursive: true });
    if (!existsSync(file)) copyFileSync(path.join(out, PLACEHOLDER_ICON), file);
  }
  return out;
}

export const removePageSite = (folder: string): void => removeFolder(path.dirname(folder));
