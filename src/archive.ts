/** The story of an archive: a site in a folder → two files to download, and their checksums. */

import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { ARCHIVE_NAMES, type ArchiveName, archiveFiles, type Content } from './archive/entries.ts';
import { packSite } from './archive/pack.ts';
import type { ManifestEntry } from './contract/meta.ts';
import { errorCode, OutputError } from './errors.ts';
import { readDescriptions } from './verify/folder.ts';

export interface ArchiveOptions {
  /** The folder of the archives. Default: the current one. */
  readonly out?: string | undefined;
}

export interface ArchiveReport {
  readonly dir: string;
  readonly out: string;
  /** Files in each archive, the manifest included. */
  readonly files: number;
  readonly archives: readonly {
    readonly name: ArchiveName;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  readonly seconds: number;
}

/**
 * Packs a site: the same bytes for the same site on any machine. Its own archives are left out.
 *
 * @throws OutputError where the folder is no whole site, or the archives cannot be written
 */
export async function archive(dir = 'build', { out = '.' }: ArchiveOptions = {}): Promise<ArchiveReport> {
  const started = performance.now();
  const { meta, manifest } = readDescriptions(dir);
  const files = manifest.files
    .filter((entry) => !archiveFiles.includes(entry.path))
    .map((entry) => readWhole(dir, entry));
  const archives = await packSite(files, { captured: meta.captured, generator: manifest.generator });
  for (const name of ARCHIVE_NAMES) replace(path.join(out, name), archives[name]);
  return {
    dir,
    out,
    files: files.length + 1,
    archives: ARCHIVE_NAMES.map((name) => ({
      name,
      bytes: archives[name].length,
      sha256: hash('sha256', archives[name]),
    })),
    seconds: Math.round(performance.now() - started) / 1000,
  };
}

function readWhole(dir: string, entry: ManifestEntry): Content {
  const file = path.join(dir, entry.path);
  let body: Buffer;
  try {
    body = readFileSync(file);
  } catch (cause) {
    throw new OutputError(`cannot be read (${errorCode(cause)})`, file, { cause });
  }
  const sha256 = hash('sha256', body);
  if (sha256 === entry.sha256) return { path: entry.path, body };
  throw new OutputError(`has SHA-256 ${sha256}, the manifest says ${entry.sha256}`, file, {
    hint: 'gamedata verify <dir> lists every problem.',
  });
}

/** Whoever downloads meanwhile gets the old archive or the new one. */
function replace(file: string, body: Uint8Array): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, body);
    renameSync(`${file}.new`, file);
  } catch (cause) {
    throw new OutputError(`cannot be written (${errorCode(cause)})`, file, { cause });
  }
}
