/** The archive command: a site's folder → archives for download, and their checksums. */

import { hash, randomUUID } from 'node:crypto';
import { readdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import fsExtra from 'fs-extra';
import type { ManifestEntry } from '../../contract/meta.ts';
import { ARCHIVE_NAMES, type ArchiveName, archiveFiles, CHECKSUMS_NAME } from '../../contract/paths.ts';
import { secondsSince } from '../../contract/words.ts';
import { errorCode, OutputError } from '../../errors.ts';
import { readFile } from '../../files.ts';
import { recoverAbandoned } from '../../publish/publish.ts';
import type { Content } from '../../site/archive/entries.ts';
import { type Archives, packSite } from '../../site/archive/pack.ts';
import { readDescriptions } from '../../sources/site-folder.ts';
import { checkOutside } from './check-output.ts';
import { defaults } from './defaults.ts';

export interface ArchiveOptions {
  /** The folder of the archives. Default: the current one. */
  readonly out?: string | undefined;
}

export interface ArchiveReport {
  readonly dir: string;
  readonly out: string;
  /** Files in each archive, including the manifest. */
  readonly files: number;
  readonly archives: readonly {
    readonly name: ArchiveName;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  readonly seconds: number;
}

/**
 * Packs a site: the same bytes for the same site on any machine. Archives inside the site are left out.
 *
 * @throws UsageError if the archives would lie inside the site
 * @throws OutputError if the folder is not a valid site, or the archives cannot be written
 */
export async function archive(
  dir: string = defaults.out,
  { out = defaults.archiveOut }: ArchiveOptions = {},
): Promise<ArchiveReport> {
  const started = performance.now();
  checkOutside('--out', out, dir);
  recoverAbandoned(dir);
  const { files, description } = readContents(dir, readDescriptions(dir));
  const archives = await packSite(files, description);
  replaceArchives(out, archives);
  return {
    dir,
    out,
    files: files.length + 1,
    archives: ARCHIVE_NAMES.map((name) => ({
      name,
      bytes: archives[name].length,
      sha256: hash('sha256', archives[name]),
    })),
    seconds: secondsSince(started),
  };
}

/** What an archive of a site contains. Throws `OutputError` unless every file is as the manifest says. */
export function readContents(dir: string, { meta, manifest }: ReturnType<typeof readDescriptions>) {
  const listed = manifest.files.filter((entry) => !archiveFiles.includes(entry.path));
  const files = listed.map((entry) => readListed(dir, entry));
  return { files, description: { captured: meta.captured, generator: manifest.generator } };
}

function readListed(dir: string, entry: ManifestEntry): Content {
  const file = path.join(dir, entry.path);
  let body: Buffer;
  try {
    body = readFile(dir, entry.path);
  } catch (cause) {
    throw new OutputError(`cannot be read (${errorCode(cause)})`, file, { cause });
  }
  const sha256 = hash('sha256', body);
  if (sha256 === entry.sha256) return { path: entry.path, body };
  throw new OutputError(`has SHA-256 ${sha256}, expected ${entry.sha256}, as in the manifest`, file, {
    hint: 'gamedata verify <dir> lists every problem.',
  });
}

/** The folder of new archives, beside those that they replace. */
const DRAFTS = '.gamedata-archives-';
const DAY_MS = 86_400_000;

/** What runs that were killed have left; those of today may be at work. */
function removeAbandoned(out: string): void {
  for (const name of readdirSync(out).filter((name) => name.startsWith(DRAFTS))) {
    const folder = path.join(out, name);
    if (Date.now() - statSync(folder).mtimeMs > DAY_MS) fsExtra.removeSync(folder);
  }
}

/**
 * Puts all archives into place, or none: whoever downloads one gets the old or the new one. The checksums are removed first
 * and come last, so that there are never some that do not fit.
 */
function replaceArchives(out: string, archives: Archives): void {
  let file = out;
  const drafts = path.join(out, DRAFTS + randomUUID());
  try {
    fsExtra.ensureDirSync(out);
    removeAbandoned(out);
    for (const name of ARCHIVE_NAMES) {
      file = path.join(out, name);
      fsExtra.outputFileSync(path.join(drafts, name), archives[name]);
    }
    fsExtra.removeSync(path.join(out, CHECKSUMS_NAME));
    for (const name of ARCHIVE_NAMES) {
      file = path.join(out, name);
      renameSync(path.join(drafts, name), file);
    }
  } catch (cause) {
    throw new OutputError(`cannot be written (${errorCode(cause)})`, file, { cause });
  } finally {
    fsExtra.removeSync(drafts);
  }
}
