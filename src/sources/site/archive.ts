/** An archive of a site, read into memory. */

import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { MAX_FILE_BYTES } from '../../contract/meta.ts';
import { errorCode, GamedataError, OutputError } from '../../errors.ts';
import { memoryPlace, type Place, refuseLarge } from './place.ts';

export const isArchive = (name: string): boolean => /\.(?:tar\.gz|tgz)$/.test(name);

/**
 * Reads every regular file below the archive's only folder.
 *
 * @throws OutputError if the file cannot be read as an archive
 */
export async function archivePlace(archive: string): Promise<Place> {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  try {
    const packed = Readable.toWeb(createReadStream(archive)) as ReadableStream<Uint8Array<ArrayBuffer>>;
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
