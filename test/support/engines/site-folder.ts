import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getBasePath, META_FILE } from '../../../src/contract/paths.ts';
import { listFiles } from '../../../src/files.ts';
import type { Asset } from '../../../src/serve/handler/index.ts';

const readBaseUrl = (folder: string): string =>
  JSON.parse(readFileSync(path.join(folder, META_FILE), 'utf8')).base_url;

/** The port that the site's configuration for web servers listens on. */
export function portOf(folder: string): number {
  const { protocol, port } = new URL(readBaseUrl(folder));
  return protocol === 'https:' || port === '' ? 80 : Number(port);
}

export const basePathOf = (folder: string): string => getBasePath(readBaseUrl(folder));

export function readSite(folder: string): Map<string, Asset> {
  return new Map(
    listFiles(folder).map((file) => {
      const body = new Uint8Array(readFileSync(path.join(folder, file)));
      return [file, { body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"` }];
    }),
  );
}
