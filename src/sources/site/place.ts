/** Where a site is: its folder, or the memory into which an archive or a part of a deployment has been read. */

import path from 'node:path';
import { errorCode, GamedataError, OutputError } from '../../errors.ts';
import { readFile, walk } from '../../files.ts';

export interface Place {
  readonly name: string;
  /** A file as errors show it. */
  at(file: string): string;
  /** Throws an error with a code. */
  read(file: string): Buffer;
  /** Every file, and everything else that is no folder. */
  list(): Iterable<{ readonly path: string; readonly isFile: boolean }>;
}

export const folderPlace = (folder: string, name = folder): Place => ({
  name,
  at: (file) => path.join(name, file),
  read: (file) => readFile(folder, file),
  list: () => walk(folder),
});

/** @param at a file as errors show it */
export const memoryPlace = (
  name: string,
  files: ReadonlyMap<string, Buffer>,
  at: (file: string) => string,
): Place => ({
  name,
  at,
  read(file) {
    const body = files.get(file);
    if (body) return body;
    throw Object.assign(new Error('not there'), { code: 'ENOENT' });
  },
  list: () => Array.from(files.keys(), (file) => ({ path: file, isFile: true })),
});

/** Throws `OutputError` if a file cannot be read. */
export function readFrom(place: Place, file: string): Buffer {
  try {
    return place.read(file);
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    throw new OutputError(`cannot be read (${errorCode(cause)})`, place.at(file), { cause });
  }
}

/** A hundred times the live upstream's site, with every icon. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

/** Throws `OutputError` if something is larger than what is read into memory. */
export function refuseLarge(name: string, bytes: number): void {
  if (bytes > MAX_MEMORY_BYTES)
    throw new OutputError(`has files of ${bytes} bytes, expected at most ${MAX_MEMORY_BYTES} in all`, name);
}
