/**
 * Packs archives: the same entries give the same bytes on any machine. The compressor is fflate, written in JavaScript,
 * as the output of Node's zlib depends on its version and the processor.
 */

import { hash } from 'node:crypto';
import { gzipSync, type Zippable, zipSync } from 'fflate';
import { packTar } from 'modern-tar';
import type { ArchiveName } from '../../contract/files.ts';
import { archiveEntries, type Content, type Entry } from './entries.ts';

export type Archives = Readonly<Record<ArchiveName, Uint8Array>>;

/** A tenth smaller than the default level, for files that are packed once and downloaded often. */
const LEVEL = 9;
const MODE = 0o644;

/** Packs a site into both formats, with checksums as `sha256sum -c` reads them. */
export async function packSite(
  files: readonly Content[],
  options: { captured: string; generator: string },
): Promise<Archives> {
  const entries = archiveEntries(files, options);
  const tar = await packTarGz(entries);
  const zip = packZip(entries);
  const sums = `${hash('sha256', tar)}  gamedata.tar.gz\n${hash('sha256', zip)}  gamedata.zip\n`;
  return { 'gamedata.tar.gz': tar, 'gamedata.zip': zip, 'gamedata.sha256': Buffer.from(sums) };
}

/** Packs a site into one archive. */
export const packTarball = (
  files: readonly Content[],
  options: { captured: string; generator: string },
): Promise<Uint8Array> => packTarGz(archiveEntries(files, options));

async function packTarGz(entries: readonly Entry[]): Promise<Uint8Array> {
  const tar = await packTar(
    entries.map(({ name, body, time }) => ({
      header: {
        name,
        size: body.length,
        mode: MODE,
        uid: 0,
        gid: 0,
        uname: '',
        gname: '',
        mtime: new Date(time * 1000),
        type: 'file',
      },
      body,
    })),
  );
  const youngest = entries.reduce((latest, { time }) => Math.max(latest, time), 0);
  return gzipSync(tar, { level: LEVEL, mtime: youngest * 1000 });
}

/** https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function packZip(entries: readonly Entry[]): Uint8Array {
  const files: Zippable = {};
  for (const { name, body, time } of entries) {
    files[name] = [
      body,
      {
        level: LEVEL,
        // The upper half is the Unix mode; 0o100000 is a regular file.
        os: 3,
        attrs: ((0o100000 | MODE) << 16) >>> 0,
        mtime: asLocal(time),
        extra: { 21589: universalTime(time) },
      },
    ];
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
