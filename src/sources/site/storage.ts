/** The storage of a site or a snapshot: a folder, or memory with the files of an archive or a part of a deployment. */

import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { describeExcess, getMaxBytes, MAX_MEMORY_BYTES } from '../../contract/limits.ts';
import { errorCode, GamedataError, OutputError } from '../../errors.ts';
import { openRegular, readFile, walk } from '../../files.ts';

export interface SiteStorage {
  readonly name: string;
  /** The name of a file in errors. */
  at(file: string): string;
  /** @throws Error with a code */
  read(file: string): Buffer;
  /** Lists every file, and anything else that is not a folder. */
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
  files: ReadonlyMap<string, Buffer>,
  at: (file: string) => string,
): SiteStorage => ({
  name,
  at,
  read(file) {
    const body = files.get(file);
    if (body) return body;
    throw Object.assign(new Error('not there'), { code: 'ENOENT' });
  },
  list: () => Array.from(files.keys(), (file) => ({ path: file, isFile: true })),
});

/** Throws `OutputError`. `wanted` says what the file should be, and what can be done. */
export function readOrThrow(
  storage: SiteStorage,
  file: string,
  wanted?: { what: string; hint: string },
): Buffer {
  try {
    return storage.read(file);
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const problem = `cannot be read (${errorCode(cause)})${wanted ? `, expected ${wanted.what}` : ''}`;
    throw new OutputError(problem, storage.at(file), { cause, hint: wanted?.hint });
  }
}

/** Throws `OutputError` if files are larger than their roles permit, or than fit in memory together. */
export function assertSize(
  storage: Pick<SiteStorage, 'name' | 'at'>,
  files: readonly { path: string; bytes: number }[],
): void {
  let sum = 0;
  for (const { path: file, bytes } of files) {
    const problem = describeExcess(bytes, getMaxBytes(file));
    if (problem !== undefined) throw new OutputError(problem, storage.at(file));
    sum += bytes;
  }
  const problem = describeExcess(sum, MAX_MEMORY_BYTES);
  if (problem !== undefined) throw new OutputError(`${problem} in all`, storage.name);
}

export const isArchive = (name: string): boolean => /\.(?:tar\.gz|tgz)$/.test(name);

export const openStorage = async (target: string): Promise<SiteStorage> =>
  isArchive(target) ? await archiveStorage(target) : folderStorage(target);

/** Every regular file below the archive's only folder. Throws `OutputError` if it cannot be read as an archive. */
export async function archiveStorage(archive: string): Promise<SiteStorage> {
  const files = new Map<string, Buffer>();
  const at = (file: string): string => `${archive} › ${file}`;
  try {
    const opened = createReadStream(archive, { fd: openRegular(archive, MAX_MEMORY_BYTES) });
    const packed = Readable.toWeb(opened) as ReadableStream<Uint8Array<ArrayBuffer>>;
    const tar = packed.pipeThrough(new DecompressionStream('gzip')).pipeThrough(limitBytes(archive));
    for await (const { header, body } of tar.pipeThrough(
      createTarDecoder(),
    ) as AsyncIterable<ParsedTarEntry>) {
      const file = header.name.replace(/^[^/]*\//, '');
      assertSize({ name: archive, at }, [{ path: file, bytes: header.size }]);
      const parts: Uint8Array[] = [];
      // Other types have bodies, too, and the decoder stalls if some bodies are canceled and others are not.
      for await (const part of body as AsyncIterable<Uint8Array>) parts.push(part);
      if (header.type === 'file') files.set(file, Buffer.concat(parts));
    }
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const why = errorCode(cause) || (cause as Error).message;
    throw new OutputError(`cannot be read as an archive (${why}), expected a .tar.gz`, archive, { cause });
  }
  return memoryStorage(archive, files, at);
}

/** Counts headers, too: an archive may have millions of empty files. */
function limitBytes(archive: string): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
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
