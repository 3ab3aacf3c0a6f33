/** A small site that is built once for all tests of a file. */

import { cpSync } from 'node:fs';
import path from 'node:path';
import { beforeAll } from 'vitest';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { rawRecords } from './sites.ts';
import { smallSource } from './small-data.ts';
import { sharedFolder, temporaryFolder } from './temporary.ts';

/** A site of two pages of moves and five items, and the data set that it is built from. */
export function sharedSite(options: BuildOptions = {}) {
  const folder = sharedFolder();
  const site = path.join(folder, 'site');
  const described = { ...options, source: 'snapshot', upstream: path.join(folder, 'data') } as const;
  beforeAll(async () => {
    await smallSource(rawRecords(120, 5), described.upstream);
    await build({ ...described, out: site });
  });
  return {
    folder,
    site,
    /** The options of the build. */
    described,
    /** A site of its own for a test that changes it. */
    copied(): string {
      const copy = path.join(temporaryFolder(), 'site');
      cpSync(site, copy, { recursive: true, preserveTimestamps: true });
      return copy;
    },
  };
}
