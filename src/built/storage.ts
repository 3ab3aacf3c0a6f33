import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { unpackTar } from 'modern-tar';
import { describeExcess, getMaxBytes, MAX_MEMORY_BYTES } from '../contract/limits.ts';
import { isUrl } from '../contract/paths.ts';
import { errorCode, GamedataError, OutputError } from '../errors.ts';
import { openRegular, readFile, walk } from '../files.ts';

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

export const isArchive = (name: string): boolean => !isUrl(name) && /\.(?:tar\.gz|tgz)$/.test(name);

export const openStorage = async (target: string): Promise<SiteStorage> =>
  isArchive(target) ? await archiveStorage(target) : folderStorage(target);

/** Reads every regular file in the archive's single top-level folder. @throws OutputError */
export async function archiveStorage(archive: string): Promise<SiteStorage> {
  const files = new Map<string, Buffer>();
  const storage = memoryStorage(archive, ' › ', files);
  const inside = ({ name }: { name: string }): string => name.replace(/^[^/]*\//, '');
  try {
    const opened = createReadStream(archive, { fd: openRegular(archive, MAX_MEMORY_BYTES) });
    const packed = Readable.toWeb(opened) as ReadableStream<Uint8Array<ArrayBuffer>>;
    const tar = packed
      .pipeThrough(new DecompressionStream('gzip'))
      .pipeThrough(limitBytes(archive));
    const unpacked = await unpackTar(tar, {
      filter(header) {
        assertSize(storage, [{ path: inside(header), bytes: header.size }]);
        return header.type === 'file';
      },
    });
    for (const { header, data = [] } of unpacked) files.set(inside(header), Buffer.from(data));
    return storage;
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const why = errorCode(cause) || (cause as Error).message;
    throw new OutputError(`cannot be read as an archive (${why}), expected a .tar.gz`, archive, {
      cause,
    });
  }
}

/** Limits the unpacked size including headers, because an archive may contain millions of empty files. */
function limitBytes(
  archive: string,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(part, controller) {
      bytes += part.length;
      const problem = describeExcess(bytes, MAX_MEMORY_BYTES);
      if (problem !== undefined) throw new OutputError(`${problem}, unpacked`, archive);
      controller.enqueue(part);
    },
  });
}
