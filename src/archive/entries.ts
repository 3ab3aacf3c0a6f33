/** What goes into an archive: the site's files under one folder, in order, each with a time of its own. */

import { hash } from 'node:crypto';
import { DOWNLOAD_FOLDER } from '../contract/addresses.ts';
import { MANIFEST_FILE, type Manifest } from '../contract/meta.ts';

export const ARCHIVE_NAMES = ['gamedata.tar.gz', 'gamedata.zip', 'gamedata.sha256'] as const;
export type ArchiveName = (typeof ARCHIVE_NAMES)[number];

/** Where a site offers its own archives; they are not in themselves. */
export const archiveFile = (name: ArchiveName): string => DOWNLOAD_FOLDER + name;
export const archiveFiles: readonly string[] = ARCHIVE_NAMES.map(archiveFile);

/** The folder that everything in an archive is in. */
const ROOT = 'gamedata/';

export interface Content {
  /** Relative to the site's folder. */
  readonly path: string;
  readonly body: Uint8Array;
}

export interface Entry {
  readonly name: string;
  readonly body: Uint8Array;
  /** Seconds since 1970, even: zip counts in steps of two. */
  readonly time: number;
}

/** Within which seconds of the day files are dated. */
const SPREAD = 3600;

/**
 * Lists the entries of a site's archive, with the manifest that fits.
 *
 * Every file has the day on which the data was captured. Many web servers make validators of size and time, so two
 * versions of a file must not share both: the second of the day, within the first hour, comes from the content. The
 * manifest is the youngest, as builds write it last.
 *
 * @param captured `YYYY-MM-DD`
 * @param generator who made the files
 */
export function archiveEntries(
  files: readonly Content[],
  { captured, generator }: { captured: string; generator: string },
): Entry[] {
  const day = Date.parse(`${captured}T00:00:00Z`) / 1000;
  const listed = files
    .filter(({ path }) => !archiveFiles.includes(path) && path !== MANIFEST_FILE)
    .map(({ path, body }) => ({ path, body, sha256: hash('sha256', body) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const manifest: Manifest = {
    generator,
    files: listed.map(({ path, body, sha256 }) => ({ path, bytes: body.length, sha256 })),
  };
  const entries = listed.map(({ path, body, sha256 }): Entry => {
    const second = (Number.parseInt(sha256.slice(0, 8), 16) % (SPREAD / 2)) * 2;
    return { name: ROOT + path, body, time: day + second };
  });
  const last = {
    name: ROOT + MANIFEST_FILE,
    body: Buffer.from(JSON.stringify(manifest)),
    time: day + SPREAD,
  };
  return [...entries, last].sort((a, b) => (a.name < b.name ? -1 : 1));
}
