/** Where a site or a snapshot is: its folder, or the memory into which an archive or a part of a deployment has been read. */

import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { MAX_FILE_BYTES } from '../../contract/meta.ts';
import { errorCode, GamedataError, OutputError } from '../../errors.ts';
import { openRegular, readFile, walk } from '../../files.ts';

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

/** Throws `OutputError`. `wanted` says what the file should be, and what can be done. */
export function readFrom(place: Place, file: string, wanted?: { what: string; hint: string }): Buffer {
  try {
    return place.read(file);
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const problem = `cannot be read (${errorCode(cause)})${wanted ? `, expected ${wanted.what}` : ''}`;
    throw new OutputError(problem, place.at(file), { cause, hint: wanted?.hint });
  }
}

/** A hundred times the live upstream's site, with every icon. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

export function refuseLarge(name: string, bytes: number): void {
  if (bytes > MAX_MEMORY_BYTES)
    throw new OutputError(`has files of ${bytes} bytes, expected at most ${MAX_MEMORY_BYTES} in all`, name);
}

export const isArchive = (name: string): boolean => /\.(?:tar\.gz|tgz)$/.test(name);

export const localPlace = async (target: string): Promise<Place> =>
  isArchive(target) ? await archivePlace(target) : folderPlace(target);

/** Every regular file below the archive's only folder. Throws `OutputError` if it cannot be read as an archive. */
export async function archivePlace(archive: string): Promise<Place> {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  try {
    const opened = createReadStream(archive, { fd: openRegular(archive, MAX_MEMORY_BYTES) });
    const packed = Readable.toWeb(opened) as ReadableStream<Uint8Array<ArrayBuffer>>;
    const entries = packed.pipeThrough(new DecompressionStream('gzip')).pipeThrough(createTarDecoder());
    for await (const { header, body } of entries as AsyncIterable<ParsedTarEntry>) {
      const isWanted = header.type === 'file' && header.size <= MAX_FILE_BYTES;
      const parts: Uint8Array[] = [];
      // What is not wanted is read, too: the decoder stalls if some bodies are cancelled and others are not.
      for await (const part of body as AsyncIterable<Uint8Array>) {
        if (isWanted) parts.push(part);
        bytes += part.length;
        refuseLarge(archive, bytes);
      }
      if (isWanted) files.set(header.name.replace(/^[^/]*\//, ''), Buffer.concat(parts));
    }
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const why = errorCode(cause) || (cause as Error).message;
    throw new OutputError(`cannot be read as an archive (${why}), expected a .tar.gz`, archive, { cause });
  }
  return memoryPlace(archive, files, (file) => `${archive} › ${file}`);
}
