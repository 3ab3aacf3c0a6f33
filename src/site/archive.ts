/**
 * Packs archives: a site's files under one folder, the same bytes on any machine. The compressor is fflate, written in JavaScript,
 * as the output of Node's zlib depends on its version and the processor.
 */

import { hash } from 'node:crypto';
import { gzipSync, type Zippable, zipSync } from 'fflate';
import { packTar } from 'modern-tar';
import { type ArchiveName, archiveFiles } from '../contract/files.ts';
import { FORMAT, type Manifest } from '../contract/meta.ts';
import { isServerFile, MANIFEST_FILE } from '../contract/paths.ts';

export interface Content {
  /** Relative to the site's folder. */
  readonly path: string;
  readonly body: Uint8Array;
}

interface Origin {
  /** `YYYY-MM-DD` */
  readonly captured: string;
  readonly generator: string;
}

/** With a time in seconds since 1970, even: zip has a resolution of two seconds. */
type Entry = ReturnType<typeof archiveEntries>[number];

const ROOT = 'gamedata/';
/** The range of modification times, in seconds. */
const SPREAD = 3600;
/** A tenth smaller than the default level, for files that are packed once and downloaded often. */
const LEVEL = 9;

/** Packs a site into both formats, with checksums as `sha256sum -c` reads them. */
export async function packSite(
  files: readonly Content[],
  origin: Origin,
): Promise<Readonly<Record<ArchiveName, Uint8Array>>> {
  const entries = archiveEntries(files, origin);
  const tar = await packTarGz(entries);
  const zip = packZip(entries);
  const sums = `${hash('sha256', tar)}  gamedata.tar.gz\n${hash('sha256', zip)}  gamedata.zip\n`;
  return { 'gamedata.tar.gz': tar, 'gamedata.zip': zip, 'gamedata.sha256': Buffer.from(sums) };
}

export const packTarball = (files: readonly Content[], origin: Origin): Promise<Uint8Array> =>
  packTarGz(archiveEntries(files, origin));

async function packTarGz(entries: readonly Entry[]): Promise<Uint8Array> {
  const tar = await packTar(
    entries.map(({ name, body, time }) => {
      const owner = { uid: 0, gid: 0, uname: '', gname: '' };
      const mtime = new Date(time * 1000);
      return { header: { name, size: body.length, mode: 0o644, mtime, type: 'file', ...owner }, body };
    }),
  );
  const youngest = entries.reduce((latest, { time }) => Math.max(latest, time), 0);
  return gzipSync(tar, { level: LEVEL, mtime: youngest * 1000 });
}

/** https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function packZip(entries: readonly Entry[]): Uint8Array {
  const files: Zippable = {};
  // The upper half is the Unix mode; 0o100000 is a regular file.
  const unix = { os: 3, attrs: (0o100644 << 16) >>> 0 };
  for (const { name, body, time } of entries) {
    const extra = { 21589: universalTime(time) };
    files[name] = [body, { ...unix, level: LEVEL, mtime: asLocal(time), extra }];
  }
  return zipSync(files);
}

/** The same day, minute and second in local time: zip stores local time, and must not depend on the time zone. */
function asLocal(time: number): Date {
  const utc = new Date(time * 1000);
  const [year, month, day] = [utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate()];
  // No clock changes at noon.
  return new Date(year, month, day, 12, utc.getUTCMinutes(), utc.getUTCSeconds());
}

/** The extended timestamp, which unzip prefers in every time zone. */
function universalTime(time: number): Uint8Array {
  const field = Buffer.alloc(5, 1);
  field.writeUInt32LE(time, 1);
  return field;
}

/**
 * Lists the entries of a site's archive, including the site's manifest. Configuration of web servers is listed there, and left out.
 *
 * Modification times lie within the first hour of the day on which the data was captured. Many web servers derive ETags
 * from size and time, so two versions of a file must not share both: the second within the hour is derived from the
 * content. The manifest is the newest, as in a build.
 */
export function archiveEntries(files: readonly Content[], { captured, generator }: Origin) {
  // ZIP has no earlier times, and no later ones, in any zone.
  const date = captured < '1980-01-02' ? '1980-01-02' : captured > '2099-12-30' ? '2099-12-30' : captured;
  const day = Date.parse(`${date}T00:00:00Z`) / 1000;
  const listed = files
    .filter(({ path }) => !archiveFiles.includes(path) && path !== MANIFEST_FILE)
    .map(({ path, body }) => ({ path, body, sha256: hash('sha256', body) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const manifest: Manifest = {
    format: FORMAT,
    generator,
    files: listed.map(({ path, body, sha256 }) => ({ path, bytes: body.length, sha256 })),
  };
  const packed = listed.filter(({ path }) => !isServerFile(path));
  const entries = packed.map(({ path, body, sha256 }) => {
    const second = (Number.parseInt(sha256.slice(0, 8), 16) % (SPREAD / 2)) * 2;
    return { name: ROOT + path, body, time: day + second };
  });
  const body = Buffer.from(JSON.stringify(manifest));
  const last = { name: ROOT + MANIFEST_FILE, body, time: day + SPREAD };
  return [...entries, last].sort((a, b) => (a.name < b.name ? -1 : 1));
}
