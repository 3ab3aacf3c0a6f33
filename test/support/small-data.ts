/**
 * A small data set in a folder, for tests that build whole sites but do not need
 * thousands of files.
 */

import { cpSync } from 'node:fs';
import path from 'node:path';
import { beforeAll } from 'vitest';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { rawRecords, type SomeRecords } from './sites.ts';
import { createStoredData, writeDataSet } from './stored-data.ts';
import { sharedFolder, temporaryFolder } from './temporary.ts';

/**
 * Returns the options for a build that reads such a data set, which has two pages of
 * moves and five items.
 */
export async function smallSource(
  raw: SomeRecords = rawRecords(120, 5),
  upstream = path.join(temporaryFolder(), 'data'),
): Promise<{ source: 'snapshot'; upstream: string }> {
  writeDataSet(createStoredData(raw), upstream);
  return { source: 'snapshot', upstream };
}

/** Builds a small site once for all tests in a file. */
export function sharedSite(options: BuildOptions = {}, raw?: SomeRecords) {
  const folder = sharedFolder();
  const site = path.join(folder, 'site');
  const described = {
    ...options,
    source: 'snapshot',
    upstream: path.join(folder, 'data'),
  } as const;
  beforeAll(async () => {
    await smallSource(raw, described.upstream);
    await build({ ...described, out: site });
  });
  return {
    folder,
    site,
    described,
    /** Copies the site for a test that changes it. */
    copied(): string {
      const copy = path.join(temporaryFolder(), 'site');
      cpSync(site, copy, { recursive: true, preserveTimestamps: true });
      return copy;
    },
  };
}
