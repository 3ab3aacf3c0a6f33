/**
 * Releases: the states of a site between builds, each with its most recently used files in memory up to a limit. Every response
 * is from a single release.
 */

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode } from '../errors.ts';
import { type Asset, createResponder, type Responder } from './handler/index.ts';

export interface Release {
  /** The site's folder, with symbolic links resolved. */
  readonly folder: string;
  /** The path of the base URL, below which everything is served. */
  readonly base: string;
  readonly respond: Responder;
  /** Different for every release. */
  readonly mark: string;
}

/** Runs work with the present release, and again if a build replaces it, or a file of it, meanwhile. */
export type WithRelease = <T>(work: (release: Release) => Promise<T>) => Promise<T>;

/** Thrown if a build replaced the site while it was being read. */
export class SiteReplacedError extends Error {}

export interface ReleaseOptions {
  /** The maximum total size of files in memory. Larger files are not read. */
  readonly maxBytes: number;
  /** The minimum time between two checks for a new release. */
  readonly checkIntervalMs: number;
  /** Whether the site is between two builds: one is changing it just now, or was killed then. */
  readonly isChanging: (folder: string) => boolean;
  /** The path of the base URL that the site in a folder was built for. */
  readonly readBase: (folder: string) => string;
}

/** A second in all: so long may a change of every file take, on a busy disk. */
const ATTEMPTS = 11;
const PAUSE_MS = 20;

export function createReleases(
  folder: string,
  { maxBytes, checkIntervalMs, isChanging, readBase }: ReleaseOptions,
): WithRelease {
  const releases = new LRUCache<string, Release>({
    max: 1,
    ttl: checkIntervalMs,
    noDeleteOnFetchRejection: true,
    async fetchMethod(_, known) {
      try {
        const real = await realpath(folder);
        if (isChanging(real)) throw new SiteReplacedError();
        const mark = await markOf(real);
        return known?.mark === mark ? known : open(real, mark);
      } catch (error) {
        // While there is no folder, what is in memory is still correct.
        if (!known || error instanceof SiteReplacedError) throw error;
        return known;
      }
    },
  });

  function open(real: string, mark: string): Release {
    const cache = new LRUCache<string, Asset>({
      maxSize: maxBytes,
      // Never 0, which it does not take.
      sizeCalculation: ({ body }) => body.length + 1,
    });
    async function get(file: string): Promise<Asset | undefined> {
      const known = cache.get(file);
      if (known) return known;
      const found = await findFile(real, file);
      const body = found && found.bytes <= maxBytes ? new Uint8Array(await readFile(found.path)) : undefined;
      // In this order: the manifest is the last file that changes while a site is changing.
      if (isChanging(real) || (await markOf(real).catch(() => undefined)) !== mark)
        throw new SiteReplacedError();
      if (!body) return undefined;
      const asset = { body, etag: etagOf(body) };
      cache.set(file, asset);
      return asset;
    }
    const base = readBase(real);
    return { folder: real, base, mark, respond: createResponder({ get }, base) };
  }

  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(await releases.forceFetch(folder, { forceRefresh: attempt > 1 }));
      } catch (error) {
        if (!(error instanceof SiteReplacedError) || attempt === ATTEMPTS) throw error;
        await setTimeout(PAUSE_MS * attempt);
      }
    }
  };
}

/** Every build that changes anything writes a new manifest, last. */
const markOf = async (folder: string): Promise<string> =>
  `${folder}:${versionOf(await stat(path.join(folder, MANIFEST_FILE)))}`;

/** Differs if a file was replaced. */
export const versionOf = ({ ino, mtimeMs, size }: Stats): string => [ino, mtimeMs, size].join(':');

const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

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
