/** A built site read into memory, for engines that run in the test's own process. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from '../../../src/files/folder.ts';
import type { Asset, AssetStore } from '../../../src/handler/index.ts';

export function readSite(folder: string): Map<string, Asset> {
  return new Map(
    listFiles(folder).map((file) => {
      const body = new Uint8Array(readFileSync(path.join(folder, file)));
      return [file, { body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"` }];
    }),
  );
}

export const storeOf = (site: ReadonlyMap<string, Asset>): AssetStore => ({
  get: async (file) => site.get(file),
});
