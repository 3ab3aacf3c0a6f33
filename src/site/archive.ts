import { hash } from 'node:crypto';
import { gzipSync } from 'fflate';
import { packTar } from 'modern-tar';
import { FORMAT, type Manifest } from '../contract/meta.ts';
import { isWebServerConfig, MANIFEST_FILE } from '../contract/paths.ts';

export interface Content {
  readonly path: string;
  readonly body: Uint8Array;
}

const ROOT = 'gamedata/';
const MTIME_RANGE = 3600;

export function listContents(files: readonly Content[], generator: string): Content {
  const listed = files
    .map(({ path, body }) => ({ path, bytes: body.length, sha256: hash('sha256', body) }))
    .sort(byPath);
  const manifest: Manifest = { format: FORMAT, generator, files: listed };
  return { path: MANIFEST_FILE, body: Buffer.from(JSON.stringify(manifest)) };
}

/**
 * Packs all files except web server configuration, which must not come from an archive. Many web servers derive ETags from mtime
 * and size, so each file's mtime is derived from its content: a second within the first hour of the capture date.
 *
 * @param captured `YYYY-MM-DD`
 */
export async function packArchive(
  files: readonly Content[],
  captured: string,
): Promise<Uint8Array> {
  const day = Date.parse(`${captured}T00:00:00Z`) / 1000;
  const packed = files.filter(({ path }) => !isWebServerConfig(path)).sort(byPath);
  const tar = await packTar(
    packed.map(({ path, body }) => {
      const second = Number.parseInt(hash('sha256', body).slice(0, 8), 16) % MTIME_RANGE;
      const mtime = new Date((day + (path === MANIFEST_FILE ? MTIME_RANGE : second)) * 1000);
      const owner = { uid: 0, gid: 0, uname: '', gname: '' };
      const header = { name: ROOT + path, size: body.length, mode: 0o644, mtime, ...owner };
      return { header: { ...header, type: 'file' }, body };
    }),
  );
  // zlib's output depends on its version and the processor.
  return gzipSync(tar, { level: 9, mtime: (day + MTIME_RANGE) * 1000 });
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : 1;

export const formatChecksum = (archive: Uint8Array, name: string): string =>
  `${hash('sha256', archive)}  ${name}\n`;
