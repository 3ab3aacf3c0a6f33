/**
 * Defines the maximum sizes of inputs. Each limit is about ten times the size that a
 * real file would have with ten times as many records as today. Parsed JSON needs up
 * to twenty times as much memory as its text.
 */

import { GamedataError } from '../errors.ts';
import * as paths from './paths.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The limits for decompressed responses from the upstream. */
export const responseLimits = {
  /** The largest record of the live upstream is 80 kB. */
  record: MIB,
  list: 8 * MIB,
  table: 8 * MIB,
  icon: 256 * KIB,
  other: 8 * MIB,
} as const;

export const MAX_FILE_BYTES = 256 * MIB;

/**
 * The memory limit for all files of a site that are loaded at the same time, and for
 * all data that a source keeps.
 */
export const MAX_MEMORY_BYTES = 256 * MIB;

/**
 * The limits by path. A path with a trailing slash is a folder, and its limit applies
 * to each file in it. The first matching row applies.
 */
const fileLimits: readonly (readonly [path: string, bytes: number])[] = [
  [paths.META_FILE, 128 * KIB],
  [paths.MANIFEST_FILE, 16 * MIB],
  [paths.CHANGES_FILE, 24 * MIB],
  [paths.OLD_SLUGS_FILE, 8 * MIB],
  [paths.MOVED_FILE, 8 * MIB],
  [paths.NAMES_FOLDER, 4 * MIB],
  [paths.API_PREFIX.slice(1), MIB],
  [paths.ICONS_FOLDER, responseLimits.icon],
  [paths.DOWNLOAD_FOLDER, MAX_FILE_BYTES],
  [paths.DATA_SET_FILE, 8 * MIB],
];

const OTHER_FILE_BYTES = 64 * MIB;

/**
 * Returns the maximum size of a file, given its path in a site or a data set folder.
 */
export function getMaxBytes(file: string): number {
  // A site contains a data set folder, in which the same limits apply as in a separate
  // one.
  if (file.startsWith(paths.DATA_FOLDER)) {
    return getMaxBytes(file.slice(paths.DATA_FOLDER.length));
  }
  for (const [path, bytes] of fileLimits) {
    const isFolder = path.endsWith('/');
    const isMatch = isFolder ? file.startsWith(path) : file === path;
    if (isMatch) return bytes;
  }
  return OTHER_FILE_BYTES;
}

/** Describes a size that exceeds the limit. Returns undefined for any other size. */
export function describeExcess(bytes: number, maxBytes: number): string | undefined {
  if (bytes <= maxBytes) return undefined;
  return `has ${bytes} bytes, expected at most ${maxBytes}`;
}

/**
 * Adds the size of a value that stays in memory to the total.
 *
 * @throws GamedataError if the total exceeds the limit
 */
export type CountTowardLimit = (bytes: number) => void;

/**
 * Creates a function that limits how much data a source keeps in memory. The source
 * calls it with the size of each value that it keeps. The limit applies to the total,
 * because many small values together can need too much memory.
 *
 * @param name the source's URL or folder, for the error message
 */
export function createMemoryLimit(
  name: string,
  maxBytes = MAX_MEMORY_BYTES,
): CountTowardLimit {
  let totalBytes = 0;
  return (bytes) => {
    totalBytes += bytes;
    const problem = describeExcess(totalBytes, maxBytes);
    if (problem === undefined) return;
    throw new GamedataError('data', `${name}: ${problem} in total`);
  };
}
