/**
 * Maximum input sizes: ten times a real file's size with ten times today's records. Parsed JSON takes up to twenty times as much
 * memory as its text.
 */

import { DataError } from '../errors.ts';
import * as paths from './paths.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** For decompressed upstream responses. */
export const responseLimits = {
  /** The live upstream's largest record has 80 kB. */
  record: MIB,
  list: 8 * MIB,
  table: 8 * MIB,
  icon: 256 * KIB,
  other: 8 * MIB,
} as const;

export const MAX_FILE_BYTES = 256 * MIB;

/**
 * For all files of a site that are in memory at the same time, and for everything that a source
 * keeps of what it has read.
 */
export const MAX_MEMORY_BYTES = 256 * MIB;

/** A path that ends with a slash is a folder, whose files each have the limit. The first match wins. */
const fileLimits: readonly (readonly [path: string, bytes: number])[] = [
  [paths.META_FILE, 128 * KIB],
  [paths.MANIFEST_FILE, 16 * MIB],
  [paths.CHANGES_FILE, 24 * MIB],
  [paths.FORMER_FILE, 8 * MIB],
  [paths.MOVED_FILE, 8 * MIB],
  [paths.NAMES_FOLDER, 4 * MIB],
  [paths.API_PREFIX.slice(1), MIB],
  [paths.ICONS_FOLDER, responseLimits.icon],
  [paths.DOWNLOAD_FOLDER, MAX_FILE_BYTES],
  ['provenance.json', 8 * MIB],
];

const OTHER_FILE_BYTES = 64 * MIB;

/** Returns the limit for a file by its path. */
export function getMaxBytes(file: string): number {
  for (const [path, bytes] of fileLimits) {
    const isFolder = path.endsWith('/');
    const isMatch = isFolder ? file.startsWith(path) : file === path;
    if (isMatch) return bytes;
  }
  return OTHER_FILE_BYTES;
}

/** Returns the problem with a size above the limit. */
export function describeExcess(bytes: number, maxBytes: number): string | undefined {
  if (bytes <= maxBytes) return undefined;
  return `has ${bytes} bytes, expected at most ${maxBytes}`;
}

/** Adds the size of a value that stays in memory. @throws DataError if all values exceed a limit */
export type KeepBytes = (bytes: number) => void;

/**
 * Limits the sum of what a source keeps, because each of its responses or files may be small enough.
 * Count values after they were decoded and validated: everything else can be released.
 */
export function limitMemory(name: string, maxBytes = MAX_MEMORY_BYTES): KeepBytes {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    const problem = describeExcess(sum, maxBytes);
    if (problem !== undefined) throw new DataError(`${problem} in total`, { record: name });
  };
}

/** Estimates a value's size in memory by the length of its JSON. */
export const estimateBytes = (value: unknown): number => JSON.stringify(value).length;
