import {
  describeExcess,
  getMaxBytes,
  MAX_MEMORY_BYTES,
} from '../contract/limits.ts';
import {
  describeReadFailure,
  errorCode,
  GamedataError,
  OutputError,
} from '../errors.ts';

/**
 * A place that stores a site's files: either a folder, or memory that holds the
 * files from an archive or a deployment.
 */
export interface SiteStorage {
  /** The folder, archive or URL as the user entered it. */
  readonly name: string;
  /** Returns the full name of a file for use in error messages. */
  at(file: string): string;
  /** @throws an error with a `code` such as ENOENT */
  read(file: string): Buffer;
  list(): Iterable<StoredFile>;
}

export interface StoredFile {
  readonly path: string;
  /** Whether this is a regular file rather than, for example, a symlink. */
  readonly isFile: boolean;
}

/**
 * A description of the expected file, and a hint for the error if the file cannot be
 * read.
 */
interface ExpectedFile {
  readonly what: string;
  readonly hint: string;
}

/**
 * @param separator the text between the storage's name and a file's path in messages
 */
export function memoryStorage(
  name: string,
  separator: string,
  files: ReadonlyMap<string, Buffer>,
): SiteStorage {
  return {
    name,
    at: (file) => name + separator + file,
    read(file) {
      const body = files.get(file);
      if (body) return body;
      throw Object.assign(new Error('not there'), { code: 'ENOENT' });
    },
    list() {
      const paths = [...files.keys()];
      return paths.map((file) => ({ path: file, isFile: true }));
    },
  };
}

export function hasFile(storage: SiteStorage, file: string): boolean {
  try {
    storage.read(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error));
  }
}

/** @throws OutputError if the file cannot be read */
export function readOrThrow(
  storage: SiteStorage,
  file: string,
  expected?: ExpectedFile,
): Buffer {
  try {
    return storage.read(file);
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    let problem = describeReadFailure(cause);
    if (expected) problem += `, expected ${expected.what}`;
    throw new OutputError(problem, storage.at(file), {
      cause,
      hint: expected?.hint,
    });
  }
}

/**
 * @throws OutputError if a file exceeds its own limit, or if all files together
 * exceed the memory limit
 */
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
  if (problem !== undefined) {
    throw new OutputError(`${problem} in total`, storage.name);
  }
}
