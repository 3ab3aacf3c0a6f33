/** An archive of a site as a mirror reads it: the manifest, and the files that the manifest lists. */

import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import fsExtra from 'fs-extra';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { MAX_FILE_BYTES, type Manifest, type ManifestEntry } from '../../contract/meta.ts';
import { parseJson } from '../../contract/parse.ts';
import { MANIFEST_FILE } from '../../contract/paths.ts';
import { DataError, errorCode, explainSystemError, GamedataError, OutputError } from '../../errors.ts';
import { parseManifest } from './deployment.ts';

export const isArchive = (name: string): boolean => /\.(?:tar\.gz|tgz)$/.test(name);

/**
 * Reads an archive's manifest.
 *
 * @throws OutputError if the file cannot be read as an archive
 * @throws DataError if it is not the archive of a gamedata build
 */
export async function readArchivedManifest(file: string): Promise<Manifest> {
  let manifest: Manifest | undefined;
  await eachFile(file, new Set([MANIFEST_FILE]), (_, body) => {
    manifest = parseManifest(parseJson(body.toString()), file);
  });
  if (manifest) return manifest;
  throw new DataError(`got no ${MANIFEST_FILE}: expected the archive of a gamedata build`, { record: file });
}

/** Calls with a folder as it is, or with a temporary one that holds what an archive does. */
export async function withUnpacked<T>(target: string, use: (folder: string) => T | Promise<T>): Promise<T> {
  if (!isArchive(target)) return use(target);
  const folder = fsExtra.mkdtempSync(path.join(tmpdir(), 'gamedata-archive-'));
  const put = (file: string, body: string | Uint8Array): void => {
    try {
      fsExtra.outputFileSync(path.join(folder, file), body);
    } catch (cause) {
      throw explainSystemError(cause, folder);
    }
  };
  try {
    const manifest = await readArchivedManifest(target);
    await extract(target, manifest.files, (entry, body) => put(entry.path, body));
    put(MANIFEST_FILE, JSON.stringify(manifest));
    return await use(folder);
  } finally {
    fsExtra.removeSync(folder);
  }
}

/** Passes on the files of some entries, each of which is as the manifest says. */
export async function extract(
  file: string,
  entries: readonly ManifestEntry[],
  put: (entry: ManifestEntry, body: Buffer) => void,
): Promise<void> {
  const wanted = new Map(entries.map((entry) => [entry.path, entry]));
  await eachFile(file, new Set(wanted.keys()), (name, body) => {
    const entry = wanted.get(name);
    if (!entry) return;
    const sha256 = hash('sha256', body);
    if (sha256 !== entry.sha256) {
      const problem = `got SHA-256 ${sha256}: expected ${entry.sha256}, as in the manifest`;
      throw new DataError(problem, { record: `${file} › ${name}` });
    }
    put(entry, body);
    wanted.delete(name);
  });
  const [missing] = wanted.keys();
  if (missing !== undefined)
    throw new DataError(`got no ${missing}: expected every file of its manifest`, { record: file });
}

/** Calls back for each regular file that is wanted by its path below the archive's only folder. */
async function eachFile(
  file: string,
  wanted: ReadonlySet<string>,
  use: (name: string, body: Buffer) => void,
): Promise<void> {
  try {
    const bytes = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array<ArrayBuffer>>;
    const entries = bytes.pipeThrough(new DecompressionStream('gzip')).pipeThrough(createTarDecoder());
    for await (const { header, body } of entries as AsyncIterable<ParsedTarEntry>) {
      const name = header.name.replace(/^[^/]*\//, '');
      const isWanted = header.type === 'file' && header.size <= MAX_FILE_BYTES && wanted.has(name);
      const parts: Uint8Array[] = [];
      // What is not wanted is read, too: the decoder stalls if some bodies are cancelled and others are not.
      for await (const part of body as AsyncIterable<Uint8Array>) if (isWanted) parts.push(part);
      if (isWanted) use(name, Buffer.concat(parts));
    }
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const why = errorCode(cause) || (cause as Error).message;
    throw new OutputError(`cannot be read as an archive (${why}), expected a .tar.gz`, file, { cause });
  }
}
