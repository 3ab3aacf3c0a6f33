import path from 'node:path';
import { describeExcess, getMaxBytes, MAX_MEMORY_BYTES } from '../contract/limits.ts';
import { errorCode, GamedataError, OutputError } from '../errors.ts';
import { readFile, walk } from '../files.ts';

/** A folder, or memory with the files of an archive or a deployment. */
export interface SiteStorage {
  readonly name: string;
  at(file: string): string;
  /** @throws an error with a `code`, such as ENOENT */
  read(file: string): Buffer;
  list(): Iterable<{ readonly path: string; readonly isFile: boolean }>;
}

export const folderStorage = (folder: string, name = folder): SiteStorage => ({
  name,
  at: (file) => path.join(name, file),
  read: (file) => readFile(folder, file),
  list: () => walk(folder),
});

export const memoryStorage = (
  name: string,
  separator: string,
  files: ReadonlyMap<string, Buffer>,
): SiteStorage => ({
  name,
  at: (file) => name + separator + file,
  read(file) {
    const body = files.get(file);
    if (body) return body;
    throw Object.assign(new Error('not there'), { code: 'ENOENT' });
  },
  list: () => Array.from(files.keys(), (file) => ({ path: file, isFile: true })),
});

export function readOrThrow(
  storage: SiteStorage,
  file: string,
  expected?: { what: string; hint: string },
): Buffer {
  try {
    return storage.read(file);
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const problem = `cannot be read (${errorCode(cause)})${expected ? `, expected ${expected.what}` : ''}`;
    throw new OutputError(problem, storage.at(file), { cause, hint: expected?.hint });
  }
}

/** @throws OutputError if a file exceeds its own limit, or all files together exceed the memory limit */
export function assertSize(
  storage: SiteStorage,
  files: readonly { path: string; bytes: number }[],
): void {
  let sum = 0;
  for (const { path: file, bytes } of files) {
    const problem = describeExcess(bytes, getMaxBytes(file));
    if (problem !== undefined) throw new OutputError(problem, storage.at(file));
    sum += bytes;
  }
  const problem = describeExcess(sum, MAX_MEMORY_BYTES);
  if (problem !== undefined) throw new OutputError(`${problem} in total`, storage.name);
}
