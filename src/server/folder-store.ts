/** The asset store over a folder: what was asked for last stays in memory, up to so many bytes. */

import { createHash } from 'node:crypto';
import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import type { Asset, AssetStore } from '../handler/index.ts';

export interface FolderStoreOptions {
  /** The site's folder, without symbolic links in its path. */
  readonly folder: string;
  /** The most bytes of files that are kept. A larger file is not for the handler, and not read. */
  readonly maxBytes: number;
  /** Called after each look at the disk: throws where that may have shown another site than the one before. */
  readonly confirm: () => Promise<void>;
}

export function createFolderStore({ folder, maxBytes, confirm }: FolderStoreOptions): AssetStore {
  const kept = new Map<string, Asset>();
  const reading = new Map<string, Promise<Asset | undefined>>();
  let bytes = 0;

  function keep(file: string, asset: Asset): void {
    kept.set(file, asset);
    bytes += asset.body.length;
    for (const [oldest, { body }] of kept) {
      if (bytes <= maxBytes) return;
      kept.delete(oldest);
      bytes -= body.length;
    }
  }

  async function read(file: string): Promise<Asset | undefined> {
    try {
      const found = await findFile(folder, file);
      const body = found && found.bytes <= maxBytes ? await readFile(found.path) : undefined;
      await confirm();
      if (!body) return undefined;
      const asset = { body: new Uint8Array(body), etag: etagOf(body) };
      keep(file, asset);
      return asset;
    } finally {
      reading.delete(file);
    }
  }

  return {
    async get(file) {
      const known = kept.get(file);
      if (!known) {
        const pending = reading.get(file) ?? read(file);
        reading.set(file, pending);
        return pending;
      }
      // Put in anew at the end: the first is the one not asked for longest.
      kept.delete(file);
      kept.set(file, known);
      return known;
    },
  };
}

/** A file inside a folder; undefined where there is none, or a symbolic link leads out of the folder. */
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
