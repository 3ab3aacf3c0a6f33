import { gzipSync } from 'fflate';
import { packTar, type TarEntry } from 'modern-tar';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { createEntry } from '../data/entries.ts';
import { sha256 } from '../sha256.ts';
import { encodeManifest } from './manifest.ts';

/** A site file whose body is already encoded as bytes. */
export interface EncodedFile {
  /** The path relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** The root folder in the archive. */
const ROOT = 'gamedata/';
/** The range of modification times, in seconds. */
const MTIME_RANGE_S = 3600;

/** Creates the manifest for an archive's files. */
export function createManifest(
  files: readonly EncodedFile[],
  generator: string,
): EncodedFile {
  const sorted = files.toSorted(compareByPath);
  const entries = sorted.map(({ path, body }) => createEntry(path, body));
  return { path: MANIFEST_FILE, body: encodeManifest({ generator }, entries) };
}

/**
 * Packs files into an archive. The order, owners and times are fixed, so that the same
 * files always result in the same bytes. Each file's time is in the first hour of the
 * capture date. The manifest is newer than every other file.
 *
 * @param captured the capture date in the form `YYYY-MM-DD`
 */
export async function packArchive(
  files: readonly EncodedFile[],
  captured: string,
): Promise<Uint8Array> {
  const startOfDayMs = Date.parse(`${captured}T00:00:00Z`);
  const latestMs = startOfDayMs + MTIME_RANGE_S * 1000;
  const entries: TarEntry[] = [];
  for (const { path, body } of files.toSorted(compareByPath)) {
    const isManifest = path === MANIFEST_FILE;
    const fileMs = startOfDayMs + deriveSecond(body) * 1000;
    const header = {
      name: ROOT + path,
      size: body.length,
      mode: 0o644,
      mtime: new Date(isManifest ? latestMs : fileMs),
      uid: 0,
      gid: 0,
      uname: '',
      gname: '',
      type: 'file',
    } as const;
    entries.push({ header, body });
  }
  const tar = await packTar(entries);
  // We do not use zlib, because its output depends on its version and the processor.
  return gzipSync(tar, { level: 9, mtime: latestMs });
}

/**
 * Derives a second within `MTIME_RANGE_S` from a file's content. Many web servers
 * derive ETags from a file's mtime and size, so files with different content need
 * different times.
 */
function deriveSecond(body: Uint8Array): number {
  const start = sha256(body).slice(0, 8);
  return Number.parseInt(start, 16) % MTIME_RANGE_S;
}

const compareByPath = (a: EncodedFile, b: EncodedFile): number =>
  a.path < b.path ? -1 : 1;

/** Formats a checksum in the same way as `sha256sum`. */
export const formatChecksum = (archive: Uint8Array, name: string): string =>
  `${sha256(archive)}  ${name}\n`;
