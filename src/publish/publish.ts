/** Publishes files into a folder: whatever happens, the folder holds the complete old site or the complete new one. */

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { FORMAT, type Making, type Manifest, type ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import type { AnyFile } from '../contract/site-file.ts';
import { errorCode, explainSystemError, OutputError } from '../errors.ts';
import { isInside, readText } from '../files.ts';
import { PRODUCT } from '../version.ts';
import { type Change, commit, flush, flushAll, rollForward } from './commit.ts';
import { acquireLock, type LockOptions } from './lock.ts';
import { refuseObstacles } from './obstacles.ts';
import { entryOf, type Published, readPublished } from './published.ts';
import { type StageOptions, stageFile, stageFiles } from './stage.ts';
import { refuseStrangers, type WorkFolders, workFolders } from './work-folders.ts';

export interface PublishResult {
  /** False if the folder already held exactly this site, and was not touched. */
  readonly changed: boolean;
  /** All files including the manifest, and their total size. */
  readonly files: number;
  readonly bytes: number;
  readonly written: number;
  readonly kept: number;
  /** Files of the old site that the new one does not have. */
  readonly removed: number;
  /** Work folders that could not be removed. */
  readonly leftovers: readonly string[];
}

export interface Output {
  /** The published folder, absolute, and as the user named it. */
  readonly folder: string;
  readonly name: string;
  readonly published: Published;
  /**
   * The result of publishing again what is published: undefined unless that was made by the same code from the same inputs,
   * and no file has been touched since.
   */
  confirm(making: Required<Making>): PublishResult | undefined;
  /** Replaces the published site with these files, in one pass over them. */
  publish(files: Iterable<AnyFile>, options?: PublishOptions): Promise<PublishResult>;
}

export interface PublishOptions {
  readonly signal?: AbortSignal | undefined;
  /** What made the files, and what from. Default: this version, unknown. */
  readonly making?: Making | undefined;
}

/**
 * Locks an output folder, after recovering from an interrupted build.
 *
 * @throws OutputError if another build has locked it, it contains anything that was not published, or it is inside a published one
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const folders = workFolders(out);
  refuseNested(folders);
  refuseWorkingFolder(folders);
  makeParent(folders);
  const release = acquireLock(folders, options);
  try {
    recover(folders);
    const published = readPublished(folders);
    return await use({
      folder: folders.out,
      name: folders.name,
      published,
      confirm: (making) => confirm(folders, published, making),
      publish: (files, options) => publish(files, folders, { ...options, published }),
    });
  } catch (error) {
    throw explainSystemError(error, folders.name);
  } finally {
    cleanUp(folders);
    release();
  }
}

/** What cannot be cleaned up has no say in what was published: it is left to the next build. */
function cleanUp(folders: WorkFolders): string[] {
  try {
    recover(folders);
  } catch {
    // A second failure must not hide the first one.
  }
  return removeTrash(folders);
}

/** Finishes what an interrupted build has committed, and restores a site that one of an earlier version has moved aside. */
export function recoverAbandoned(out: string): void {
  const folders = workFolders(out);
  const isWhole = existsSync(folders.out) || !existsSync(folders.retired);
  if (isWhole && !existsSync(folders.commit)) return;
  const release = acquireLock(folders);
  try {
    recover(folders);
    removeTrash(folders);
  } catch (error) {
    throw explainSystemError(error, folders.name);
  } finally {
    release();
  }
}

/** Whether a build is changing the site file by file just now. Finishes what a killed build has left so. */
export function isChanging(out: string): boolean {
  const { commit: record } = workFolders(out);
  if (!existsSync(record)) return false;
  try {
    recoverAbandoned(out);
  } catch {
    // The build is at work, or somebody else has to finish what it left.
  }
  return existsSync(record);
}

/** The site around it would be found to have files that are not its own. */
function refuseNested({ name, out }: WorkFolders): void {
  const { dirname } = path;
  for (let above = dirname(out); above !== dirname(above); above = dirname(above))
    if (isPublished(above))
      throw new OutputError(`is inside ${above}, which was published by gamedata`, name, {
        hint: 'Choose a folder beside it: the next build there would find files that are not its own.',
      });
}

/** Whether a folder has been published by gamedata: web applications have a manifest.json, too. */
function isPublished(folder: string): boolean {
  try {
    return readText(folder, MANIFEST_FILE).includes('"generator":"gamedata/');
  } catch {
    return false;
  }
}

/** A folder that is gone with its last file would leave its user nowhere. */
function refuseWorkingFolder({ name, out }: WorkFolders): void {
  const here = process.cwd();
  if (here !== out && !isInside(out, here)) return;
  throw new OutputError('is the working folder, or contains it, and cannot be replaced', name, {
    hint: 'Run the command in another folder, or name a folder inside this one.',
  });
}

function makeParent({ name, out }: WorkFolders): void {
  try {
    mkdirSync(path.dirname(out), { recursive: true });
  } catch (cause) {
    throw new OutputError(`cannot be created (${errorCode(cause)})`, name, { cause });
  }
}

function confirm(
  folders: WorkFolders,
  { making: published, manifest, entries, touched }: Published,
  { generator, code, inputs }: Required<Making>,
): PublishResult | undefined {
  if (published?.generator !== generator || published.code !== code || published.inputs !== inputs)
    return undefined;
  if (!manifest || touched.size > 0) return undefined;
  const counts = { written: 0, removed: 0, leftovers: removeTrash(folders) };
  return createResult([...entries.values(), manifest], counts);
}

async function publish(
  files: Iterable<AnyFile>,
  folders: WorkFolders,
  { making = { generator: PRODUCT }, ...options }: StageOptions & PublishOptions,
): Promise<PublishResult> {
  const { published } = options;
  const { entries, place } = await stageFiles(files, folders, options);
  const body = Buffer.from(JSON.stringify({ format: FORMAT, ...making, files: entries } satisfies Manifest));
  const manifest = entryOf(MANIFEST_FILE, body);
  const paths = new Set(entries.map(({ path }) => path));
  const remove = [...published.entries.keys()].filter((path) => !paths.has(path));
  if (place.length > 0 || manifest.sha256 !== published.manifest?.sha256) {
    stageFile(folders, MANIFEST_FILE, body, published.manifest !== undefined);
    place.push(MANIFEST_FILE);
    changeSite(folders, published, { place, remove, manifest: manifest.sha256 });
  }
  const counts = { written: place.length, removed: remove.length, leftovers: cleanUp(folders) };
  return createResult([...entries, manifest], counts);
}

const createResult = (
  files: readonly ManifestEntry[],
  counts: Pick<PublishResult, 'written' | 'removed' | 'leftovers'>,
): PublishResult => ({
  changed: counts.written > 0,
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  written: counts.written,
  kept: files.length - counts.written,
  removed: counts.removed,
  leftovers: counts.leftovers,
});

/** A folder that is not there yet is the stage, renamed. Any other is changed file by file. */
function changeSite(folders: WorkFolders, { entries }: Published, change: Change): void {
  const { name, out, fresh } = folders;
  if (entries.size > 0 || existsSync(out)) {
    refuseObstacles(folders, entries, change);
    commit(folders, change);
    rollForward(folders);
    return;
  }
  flushAll(fresh, change.place);
  try {
    renameSync(fresh, out);
  } catch (cause) {
    throw new OutputError(`cannot be created (${errorCode(cause)})`, name, { cause });
  }
  flush(path.dirname(out));
}

/**
 * Ends what an interrupted build left: what was committed is finished, a site that an earlier version moved aside and did
 * not replace is restored, everything else is trash. Only for the holder of the lock.
 */
export function recover(folders: WorkFolders): void {
  const { name, out, fresh, retired, commit, received, trash } = folders;
  refuseStrangers(out, [fresh, retired, commit, received]);
  rollForward(folders);
  try {
    if (!existsSync(out) && existsSync(retired)) renameSync(retired, out);
    for (const leftover of [fresh, retired])
      if (existsSync(leftover)) renameSync(leftover, trash + randomUUID());
  } catch (cause) {
    throw new OutputError(`cannot be recovered from an interrupted build (${errorCode(cause)})`, name, {
      cause,
    });
  }
}

/**
 * Removes trash as far as it can be removed, and never fails: what was published does not depend on it.
 *
 * @returns the folders that are left, which the next build tries to remove again
 */
export function removeTrash({ trash }: WorkFolders): string[] {
  const [parent, prefix] = [path.dirname(trash), path.basename(trash)];
  let names: string[] = [];
  try {
    names = readdirSync(parent).filter((name) => name.startsWith(prefix));
  } catch {
    // A folder may be entered and not be listed.
  }
  return names
    .map((name) => path.join(parent, name))
    .filter((leftover) => {
      try {
        rmSync(leftover, { recursive: true, force: true });
        return false;
      } catch {
        return true;
      }
    });
}
