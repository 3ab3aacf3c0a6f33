/** The archive command: a site's folder → archives for download, with their checksums, or one to go back to. */

import { hash, randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import { ARCHIVE_NAMES, type ArchiveName, archiveFiles } from '../../contract/files.ts';
import { isServerFile, MANIFEST_FILE } from '../../contract/paths.ts';
import { counted, readableSize, secondsSince } from '../../contract/words.ts';
import { errorCode, OutputError } from '../../errors.ts';
import { statusOf } from '../../files.ts';
import { give, modesOf } from '../../publish/modes.ts';
import { refuseStrangers } from '../../publish/work-folders.ts';
import { type Content, packSite, packTarball } from '../../site/archive.ts';
import { folderPlace } from '../../sources/site/place.ts';
import { openSite, readListed, type Site } from '../../sources/site/read.ts';
import { declare } from '../command.ts';
import { checkOutside, settledSource } from '../folders.ts';
import { checkOptions, type Given, inGroup, option } from '../options.ts';
import { BUILD_FOLDER } from '../shared-options.ts';

const archiveOptions = inGroup('Output:', {
  /** The folder of the archives. Default: the current one. */
  out: option('--out <dir>', 'folder of the archives', z.string().default('.')),
});

export type ArchiveOptions = Given<typeof archiveOptions>;

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
  dir: string = BUILD_FOLDER,
  options: ArchiveOptions = {},
): Promise<ArchiveReport> {
  const started = performance.now();
  const { out } = checkOptions(archiveOptions, options);
  checkOutside('--out', out, dir);
  await settledSource(dir);
  const { files, description } = readContents(openSite(folderPlace(dir)));
  const archives = await packSite(files, description);
  replaceFiles(out, archives);
  return {
    dir,
    out,
    files: files.filter(({ path }) => !isServerFile(path)).length + 1,
    archives: ARCHIVE_NAMES.map((name) => ({
      name,
      bytes: archives[name].length,
      sha256: hash('sha256', archives[name]),
    })),
    seconds: secondsSince(started),
  };
}

export const command = declare({
  description:
    'Packs a site into gamedata.tar.gz and gamedata.zip, with checksums in gamedata.sha256: the same bytes for the same site.',
  arguments: { '[dir]': ['folder of the site', BUILD_FOLDER] },
  options: archiveOptions,
  async run({ options }, dir: string) {
    const report = await archive(dir, options);
    const { out, files, archives, seconds } = report;
    const made = archives.map(({ name, bytes }) => `${name}, ${readableSize(bytes)}`).join('; ');
    const lines = [`${dir}: ${counted(files, 'file')} packed into ${out}: ${made}, in ${seconds} s`];
    return { lines, output: report };
  },
});

/** What an archive of a site contains. Throws `OutputError` unless every file is as the manifest says. */
function readContents({ place, meta, manifest, entries }: Site) {
  const listed = manifest.files.filter(({ path }) => !archiveFiles.includes(path));
  const files = listed.map(({ path }): Content => ({ path, body: readListed(place, entries, path) }));
  return { files, description: { captured: meta.captured, generator: manifest.generator } };
}

/** Folders of new archives, one for each run, beside the archives that they replace. */
const DRAFTS = '.gamedata-archives-';
const DAY_MS = 86_400_000;

/** What runs that were killed have left; those of today may be at work. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => name.startsWith(DRAFTS))) {
    const drafts = path.join(folder, name);
    if (Date.now() - lstatSync(drafts).mtimeMs > DAY_MS) fsExtra.removeSync(drafts);
  }
}

/**
 * Writes all files into a folder, or none: whoever downloads one gets the old or the new one. The last, which are checksums, is
 * removed first and comes last, so that there are never some that do not fit.
 */
function replaceFiles(folder: string, bodies: Readonly<Record<string, Uint8Array>>): void {
  const drafts = path.join(folder, DRAFTS + randomUUID());
  let file = folder;
  try {
    const isNew = !existsSync(folder);
    fsExtra.ensureDirSync(drafts);
    removeAbandoned(folder);
    for (const [name, body] of Object.entries(bodies)) {
      file = path.join(folder, name);
      const draft = path.join(drafts, name);
      fsExtra.outputFileSync(draft, body);
      // A folder that is new is public.
      const modes = modesOf(isNew ? draft : folder, draft);
      if (modes) give(draft, modes, false);
      if (modes && isNew) give(folder, modes, true);
    }
    fsExtra.removeSync(file);
    for (const name of Object.keys(bodies)) {
      file = path.join(folder, name);
      renameSync(path.join(drafts, name), file);
    }
  } catch (cause) {
    throw new OutputError(`cannot be written (${errorCode(cause)})`, file, { cause });
  } finally {
    if (existsSync(drafts)) fsExtra.removeSync(drafts);
  }
}

const KEPT = /^gamedata-\d{4}-\d\d-\d\d(?:T\d{6}Z)?-([0-9a-f]{12}(?:-[0-9a-f]{12})?)\.tar\.gz$/;

/** The digests in an archive's name. */
const stateOf = (file: string): string => KEPT.exec(path.basename(file))?.[1] ?? '';

/**
 * Makes sure that there is an archive of the present site to go back to, and keeps the newest of each state of the data, of `keep`
 * states. The names say when the site was published, and the digests of its data, as `changes.json` does, and of its names.
 *
 * @returns the archive, beside the site's folder: `build-archives/gamedata-2026-01-02T042301Z-0123456789ab-ba9876543210.tar.gz`
 * @throws OutputError if it cannot be written
 */
export async function keepArchive(out: string, keep: number): Promise<string> {
  const folder = `${path.normalize(out).replace(/[/\\]+$/, '')}-archives`;
  const site = openSite(folderPlace(out));
  const published = lstatSync(path.join(out, MANIFEST_FILE)).mtime.toISOString();
  const time = published.replace(/\.\d+/, '').replaceAll(':', '');
  const digests = [site.meta.digest, site.meta.names?.digest].filter((digest) => digest !== undefined);
  const state = digests.map((digest) => digest.replace('sha256:', '').slice(0, 12)).join('-');
  const name = `gamedata-${time}-${state}.tar.gz`;
  const file = path.join(folder, name);
  refuseStrangers(out, statusOf(folder)?.isSymbolicLink() ? [folder, file] : [file]);
  if (!statusOf(file)?.isFile()) {
    const { files, description } = readContents(site);
    replaceFiles(folder, { [name]: await packTarball(files, description) });
  }
  let old = folder;
  try {
    // Whatever the clock says, the present one stays.
    const others = newestFirst(folder).filter((one) => one !== file);
    const states = new Set([state]);
    for (old of others)
      if (states.has(stateOf(old)) || states.size === keep) rmSync(old);
      else states.add(stateOf(old));
  } catch (cause) {
    throw new OutputError(`cannot be removed (${errorCode(cause)})`, old, { cause });
  }
  return file;
}

const newestFirst = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => KEPT.test(name))
    .map((name) => path.join(folder, name))
    .sort((a, b) => lstatSync(b).mtimeMs - lstatSync(a).mtimeMs);
