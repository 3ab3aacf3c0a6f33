/** A built site read into memory, for engines that run in the test's own process. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { META_FILE, pathOf } from '../../../src/contract/paths.ts';
import { listFiles } from '../../../src/files.ts';
import type { Asset, AssetStore } from '../../../src/serve/handler/index.ts';

/** The base URL that a site was built for. */
export const baseUrlOf = (folder: string): string =>
  JSON.parse(readFileSync(path.join(folder, META_FILE), 'utf8')).base_url;

/** The port that its configuration for web servers listens on. */
export function portOf(folder: string): number {
  const { protocol, port } = new URL(baseUrlOf(folder));
  return protocol === 'https:' || port === '' ? 80 : Number(port);
}

/** The path of the base URL that it was built for. */
export const basePathOf = (folder: string): string => pathOf(baseUrlOf(folder));

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
