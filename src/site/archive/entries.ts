/** The entries of an archive: a site's files under one folder, sorted, each with a modification time of its own. */

import { hash } from 'node:crypto';
import { archiveFiles } from '../../contract/files.ts';
import { FORMAT, type Manifest } from '../../contract/meta.ts';
import { isServerFile, MANIFEST_FILE } from '../../contract/paths.ts';

/** The folder that contains everything else in an archive. */
const ROOT = 'gamedata/';

export interface Content {
  /** Relative to the site's folder. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** With a time in seconds since 1970, even: zip has a resolution of two seconds. */
export type Entry = ReturnType<typeof archiveEntries>[number];

/** The range of modification times, in seconds. */
const SPREAD = 3600;

/**
 * Lists the entries of a site's archive, including the site's manifest. Configuration of web servers is listed there, and left out.
 *
 * Modification times lie within the first hour of the day on which the data was captured. Many web servers derive ETags
 * from size and time, so two versions of a file must not share both: the second within the hour is derived from the
 * content. The manifest is the newest, as in a build.
 *
 * @param captured `YYYY-MM-DD`
 * @param generator the version that built the site
 */
export function archiveEntries(
  files: readonly Content[],
  { captured, generator }: { captured: string; generator: string },
) {
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
