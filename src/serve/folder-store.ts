/** The asset store over a folder, with the most recently used files in memory up to a limit. */

import { createHash } from 'node:crypto';
import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { errorCode } from '../errors.ts';
import type { Asset, AssetStore } from './handler/index.ts';

export interface FolderStoreOptions {
  /** The site's folder, with symbolic links resolved. */
  readonly folder: string;
  /** The maximum total size of files in memory. Larger files are not read. */
  readonly maxBytes: number;
  /** Called after each read from disk: throws if the site may have been replaced meanwhile. */
  readonly confirm: () => Promise<void>;
}

export function createFolderStore({ folder, maxBytes, confirm }: FolderStoreOptions): AssetStore {
  const cache = new LRUCache<string, Asset>({
    maxSize: maxBytes,
    // Never 0, which it does not take.
    sizeCalculation: ({ body }) => body.length + 1,
  });
  return {
    async get(file) {
      const known = cache.get(file);
      if (known) return known;
      const found = await findFile(folder, file);
      const body = found && found.bytes <= maxBytes ? new Uint8Array(await readFile(found.path)) : undefined;
      await confirm();
      if (!body) return undefined;
      const asset = { body, etag: etagOf(body) };
      cache.set(file, asset);
      return asset;
    },
  };
}

/** A file inside a folder; undefined if it does not exist, or is a symbolic link out of the folder. */
export async function findFile(
  folder: string,
  file: string,
): Promise<{ readonly path: string; readonly bytes: number } | undefined> {
  try {
    const real = await realpath(path.join(folder, file));
    if (!real.startsWith(folder + path.sep)) return undefined;
    const stat = await lstat(real);
    return stat.isFile() ? { path: real, bytes: stat.size } : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(errorCode(error))) return undefined;
    throw error;
  }
}

const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
