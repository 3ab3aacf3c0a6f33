/**
 * The maximum size of each file and response from outside, by its role: at least ten times what a real one needs with ten times
 * today's records. Parsed JSON takes up to twenty times its bytes in memory.
 */

import {
  API_PREFIX,
  CHANGES_FILE,
  DOWNLOAD_FOLDER,
  FORMER_FILE,
  ICONS_FOLDER,
  MANIFEST_FILE,
  META_FILE,
  MOVED_FILE,
  NAMES_FOLDER,
} from './paths.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The maximum sizes of responses of an upstream, decompressed. */
export const responseLimits = {
  /** The live upstream's largest record has 80 kB. */
  record: MIB,
  list: 8 * MIB,
  table: 8 * MIB,
  icon: 256 * KIB,
  /** Anything else that is requested from an upstream or a deployment. */
  other: 8 * MIB,
} as const;

/** The largest file of any role. */
export const MAX_FILE_BYTES = 256 * MIB;

/** All files of a site that are in memory together. */
export const MAX_MEMORY_BYTES = 256 * MIB;

/** A file, or a folder with a slash at its end → the maximum size. The first row that matches applies. */
const fileLimits: readonly (readonly [path: string, bytes: number])[] = [
  [META_FILE, 128 * KIB],
  // A hundred thousand files.
  [MANIFEST_FILE, 16 * MIB],
  [CHANGES_FILE, 24 * MIB],
  [FORMER_FILE, 8 * MIB],
  [MOVED_FILE, 8 * MIB],
  [NAMES_FOLDER, 4 * MIB],
  [API_PREFIX.slice(1), MIB],
  [ICONS_FOLDER, responseLimits.icon],
  [DOWNLOAD_FOLDER, MAX_FILE_BYTES],
  // Of a snapshot, which has a warning for every second record.
  ['provenance.json', 8 * MIB],
];

/** The maximum size of a file of a site or a snapshot, by its path in the folder, in bytes. */
export function getMaxBytes(file: string): number {
  const [, bytes = 64 * MIB] =
    fileLimits.find(([path]) => (path.endsWith('/') ? file.startsWith(path) : file === path)) ?? [];
  return bytes;
}

/** `has 120000000 bytes, expected at most 131072`; undefined if the size is within the limit. */
export const describeExcess = (bytes: number, maxBytes: number): string | undefined =>
  bytes > maxBytes ? `has ${bytes} bytes, expected at most ${maxBytes}` : undefined;
