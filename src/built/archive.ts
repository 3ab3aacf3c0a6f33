import { closeSync, createReadStream, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { unpackTar } from 'modern-tar';
import { describeExcess, MAX_MEMORY_BYTES } from '../contract/limits.ts';
import { isArchive, MANIFEST_FILE } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { describeReadFailure, GamedataError, OutputError } from '../errors.ts';
import { explainFailure, openRegular } from '../files.ts';
import { isOwnManifest } from './own-files.ts';
import { folderStorage } from './site-folder.ts';
import { assertSize, memoryStorage, type SiteStorage } from './storage.ts';
import { lfsPointer } from './text-damage.ts';

type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Opens a folder or an archive.
 *
 * @param target the path of the folder or the archive
 * @throws OutputError if the target does not exist, or if the archive cannot be read
 */
export async function openStorage(target: string): Promise<SiteStorage> {
  if (isArchive(target)) return await archiveStorage(target);
  const status = explainFailure('cannot be read', target, () =>
    statSync(target, { throwIfNoEntry: false }),
  );
  if (status === undefined) {
    throw new OutputError(
      'does not exist, expected a folder, an archive (.tar.gz) or a URL',
      target,
    );
  }
  if (!status.isDirectory()) {
    throw new OutputError(
      'is not the folder of a site or snapshot, or a .tar.gz archive',
      target,
    );
  }
  return folderStorage(target);
}

const EXPECTED = 'expected a .tar.gz archive of a site';

/**
 * Reads the site in an archive.
 *
 * The format is detected from the first bytes, because a browser may unpack an
 * archive and still keep its file name. Then every regular file is unpacked, and the
 * folder with a manifest written by gamedata becomes the site's root. The folder may
 * be at any depth, because people pack `site`, `./site`, the files inside it, or an
 * absolute path.
 *
 * @throws OutputError if the archive cannot be read or does not contain exactly one
 * site
 */
export async function archiveStorage(
  archive: string,
  maxMemoryBytes = MAX_MEMORY_BYTES,
): Promise<SiteStorage> {
  try {
    const unpacked = await unpack(archive, maxMemoryBytes);
    const folder = findSite(archive, unpacked);
    const files = new Map<string, Buffer>();
    const storage = memoryStorage(archive, ' › ', files);
    for (const [name, body] of unpacked) {
      if (!name.startsWith(folder)) continue;
      const file = name.slice(folder.length);
      assertSize(storage, [{ path: file, bytes: body.length }]);
      files.set(file, body);
    }
    return storage;
  } catch (cause) {
    if (cause instanceof GamedataError) throw cause;
    const failure = describeReadFailure(cause, 'cannot be read as an archive');
    throw new OutputError(`${failure}, ${EXPECTED}`, archive, { cause });
  }
}

/**
 * Unpacks the regular files of an archive. The file stays open between detecting its
 * format and unpacking it, so that it cannot be replaced in between.
 */
async function unpack(
  archive: string,
  maxMemoryBytes: number,
): Promise<Map<string, Buffer>> {
  const descriptor = openRegular(archive, maxMemoryBytes);
  let format: 'gzip' | 'tar';
  try {
    format = detectFormat(archive, descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  // The stream closes the descriptor.
  const packed = createReadStream(archive, { fd: descriptor, start: 0 });
  let tar = Readable.toWeb(packed) as ByteStream;
  if (format === 'gzip') tar = tar.pipeThrough(new DecompressionStream('gzip'));
  const limitedTar = tar.pipeThrough(limitBytes(archive, maxMemoryBytes));
  const entries = await unpackTar(limitedTar, {
    filter: ({ name, type }) => type === 'file' && !isAddedByMacOs(name),
  });
  const files = new Map<string, Buffer>();
  for (const { header, data = [] } of entries) {
    files.set(normalizeName(header.name), Buffer.from(data));
  }
  return files;
}

/** The text that identifies a tar archive, and its offset in bytes. */
const TAR_OFFSET = 257;
const TAR_MAGIC = 'ustar';

/**
 * Detects the format of an archive from its first bytes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc1952#page-6
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 */
function detectFormat(archive: string, descriptor: number): 'gzip' | 'tar' {
  const start = Buffer.alloc(TAR_OFFSET + TAR_MAGIC.length);
  const length = readSync(descriptor, start, 0, start.length, 0);
  if (start[0] === 0x1f && start[1] === 0x8b) return 'gzip';
  if (start.toString('latin1', TAR_OFFSET) === TAR_MAGIC) return 'tar';
  if (length === 0) throw new OutputError(`is empty, ${EXPECTED}`, archive);
  const text = start.toString('latin1').toLowerCase();
  for (const { name, signature, hint } of otherFormats) {
    if (!text.startsWith(signature)) continue;
    throw new OutputError(`is ${name}, ${EXPECTED}`, archive, { hint });
  }
  throw new OutputError(`is neither a tar nor a gzip file, ${EXPECTED}`, archive);
}

interface OtherFormat {
  readonly name: string;
  /**
   * The first bytes of such a file, decoded as Latin-1 and converted to lower case.
   */
  readonly signature: string;
  readonly hint: string;
}

const UNPACK = 'Unpack it, and name the archive or the folder that it contains.';
const DOWNLOAD =
  'Download the archive again. A login or error page was saved instead.';

const otherFormats: readonly OtherFormat[] = [
  { name: 'a zip file', signature: 'pk', hint: UNPACK },
  { name: 'a 7z file', signature: '7z\xbc\xaf', hint: UNPACK },
  { name: 'a bzip2 file', signature: 'bzh', hint: UNPACK },
  { name: 'an xz file', signature: '\xfd7zxz\0', hint: UNPACK },
  { name: 'a Zstandard file', signature: '(\xb5/\xfd', hint: UNPACK },
  { name: 'an HTML page', signature: '<!doctype html', hint: DOWNLOAD },
  { name: 'an HTML page', signature: '<html', hint: DOWNLOAD },
  lfsPointer,
];

/**
 * macOS adds a file named `._<file>` to archives for the extended attributes of each
 * file.
 */
const isAddedByMacOs = (name: string): boolean =>
  path.posix.basename(name).startsWith('._');

/** Converts both `./site/a.json` and `/site/a.json` to `site/a.json`. */
const normalizeName = (name: string): string => name.replace(/^(?:\.?\/)+/, '');

/**
 * Finds the folder in the archive that contains a manifest written by gamedata.
 *
 * @returns the folder's path with a trailing slash, or an empty string for the
 * archive's root
 */
function findSite(archive: string, files: ReadonlyMap<string, Buffer>): string {
  const folders: string[] = [];
  for (const [name, body] of files) {
    if (path.posix.basename(name) !== MANIFEST_FILE) continue;
    if (isOwnManifest(body)) folders.push(name.slice(0, -MANIFEST_FILE.length));
  }
  const [folder, ...otherFolders] = folders;
  if (folder === undefined) {
    const got = `contains ${files.size} files, but no ${MANIFEST_FILE} of gamedata`;
    throw new OutputError(`${got}, ${EXPECTED}`, archive);
  }
  if (otherFolders.length === 0) return folder;
  throw new OutputError(
    `contains several sites: ${listFirst(folders)}, expected one`,
    archive,
    {
      hint: 'Unpack it, and name the folder of one site.',
    },
  );
}

/**
 * Limits the size of the unpacked archive. The limit includes the tar headers,
 * because an archive may contain millions of empty files.
 */
function limitBytes(
  archive: string,
  maxMemoryBytes: number,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(part, controller) {
      bytes += part.length;
      const problem = describeExcess(bytes, maxMemoryBytes);
      if (problem !== undefined) {
        throw new OutputError(`${problem}, unpacked`, archive);
      }
      controller.enqueue(part);
    },
  });
}
