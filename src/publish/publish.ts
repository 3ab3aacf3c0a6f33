/** Publishes files into a folder: whatever happens, the folder holds the complete old site or the complete new one. */

import { hash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { FORMAT } from '../contract/format.ts';
import type { Making, Manifest, ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import type { AnyFile } from '../contract/site-file.ts';
import { errorCode, explainSystemError, OutputError } from '../errors.ts';
import { isInside } from '../files.ts';
import { PRODUCT } from '../version.ts';
import { canPlace, commit, foldersOf, rollForward } from './commit.ts';
import { createPathCheck, entryOf } from './listing.ts';
import { acquireLock, type LockOptions } from './lock.ts';
import { type Published, readPublished, refuseForeignFiles } from './published.ts';
import { recover, removeTrash } from './recovery.ts';
import { createStage } from './stage.ts';
import { swap } from './swap.ts';
import { type WorkFolders, workFolders } from './work-folders.ts';

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
  /** The files of the current `publish` so far: path → bytes. */
  readonly sizes: ReadonlyMap<string, number>;
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
 * @throws OutputError if another build has locked it, or it contains anything that was not published
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const folders = workFolders(out);
  refuseWorkingFolder(folders);
  makeParent(folders);
  const release = acquireLock(folders, options);
  try {
    recover(folders);
    const published = readPublished(folders);
    const sizes = new Map<string, number>();
    return await use({
      folder: folders.out,
      name: folders.name,
      published,
      sizes,
      confirm: (making) => confirm(folders, published, making),
      async publish(files, options = {}) {
        const result = await publish(files, { ...options, folders, published, sizes });
        return { ...result, leftovers: cleanUp(folders) };
      },
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

/** Restores a site that an interrupted build has moved aside, and finishes what one has committed. */
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

/** A folder that is replaced as a whole would leave its user in one that is gone. */
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
  { making: published, entries, manifestBytes, findTouched }: Published,
  making: Required<Making>,
): PublishResult | undefined {
  const { generator, code, inputs } = making;
  if (published?.generator !== generator || published.code !== code || published.inputs !== inputs)
    return undefined;
  if (findTouched().size > 0) return undefined;
  return {
    changed: false,
    files: entries.size + 1,
    bytes: sizeOf([...entries.values()]) + manifestBytes,
    written: 0,
    kept: entries.size + 1,
    removed: 0,
    leftovers: removeTrash(folders),
  };
}

async function publish(
  files: Iterable<AnyFile>,
  {
    folders,
    published,
    sizes,
    signal,
    making = { generator: PRODUCT },
  }: PublishOptions & { folders: WorkFolders; published: Published; sizes: Map<string, number> },
): Promise<Omit<PublishResult, 'leftovers'>> {
  const checkPath = createPathCheck();
  const stays = createStays(published);
  // Staging starts at the first difference: without one, nothing is touched.
  const stage = createStage(folders.fresh, folders.out);
  const entries: ManifestEntry[] = [];
  const written: string[] = [];
  for (const file of files) {
    const { path } = file;
    checkPath(path);
    let entry: ManifestEntry;
    if ('sha256' in file && stays(file)) {
      entry = { path, bytes: file.bytes, sha256: file.sha256 };
    } else {
      const made = 'make' in file ? await file.make() : file.body;
      const body = typeof made === 'string' ? Buffer.from(made) : made;
      entry = entryOf(path, body);
      if ('sha256' in file && file.sha256 !== entry.sha256)
        throw new OutputError(`got SHA-256 ${entry.sha256}, expected ${file.sha256}`, path);
      if (!stays(entry)) {
        stage.write(path, body, { replaces: published.entries.has(path) });
        written.push(path);
      }
    }
    entries.push(entry);
    sizes.set(path, entry.bytes);
    // Yields to signals and the progress line now and then.
    if (entries.length % 64 === 0) await setImmediate();
    signal?.throwIfAborted();
  }

  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const manifest = Buffer.from(
    JSON.stringify({ format: FORMAT, ...making, files: entries } satisfies Manifest),
  );
  const sha256 = hash('sha256', manifest);
  const changed = written.length > 0 || sha256 !== published.hashManifest();
  const removed = [...published.entries.keys()].filter((path) => !sizes.has(path));
  if (changed) {
    const isSmall =
      entries.length > 2 * written.length && !replacesFolders(written, published) && canPlace(folders);
    refuseForeignFiles(
      folders,
      published,
      isSmall ? written.filter((file) => isThere(folders, file)) : undefined,
    );
    stage.write(MANIFEST_FILE, manifest, { replaces: published.entries.size > 0 });
    if (isSmall) {
      commit(folders, { place: [...written, MANIFEST_FILE], remove: removed, manifest: sha256 });
      rollForward(folders);
    } else {
      // Hard links to published files, which have been checked.
      const fresh = new Set(written);
      for (const { path } of entries) if (!fresh.has(path)) stage.keep(path);
      swap(folders);
    }
  }
  return {
    changed,
    files: entries.length + 1,
    bytes: sizeOf(entries) + manifest.length,
    written: changed ? written.length + 1 : 0,
    kept: entries.length - written.length + (changed ? 0 : 1),
    removed: removed.length,
  };
}

/** Whether the published file has a given hash, and nobody has touched it. */
function createStays({ entries, findTouched }: Published): (entry: ManifestEntry) => boolean {
  let touched: ReadonlySet<ManifestEntry> | undefined;
  return ({ path, sha256 }) => {
    const old = entries.get(path);
    if (old?.sha256 !== sha256) return false;
    touched ??= findTouched();
    return !touched.has(old);
  };
}

const sizeOf = (entries: readonly ManifestEntry[]): number =>
  entries.reduce((sum, { bytes }) => sum + bytes, 0);

/** Also if it is a link that leads nowhere. */
const isThere = ({ out }: WorkFolders, file: string): boolean =>
  lstatSync(path.join(out, file), { throwIfNoEntry: false }) !== undefined;

/** Whether a file takes the place of a folder, or a folder that of a file: then no order keeps both sites whole. */
function replacesFolders(place: readonly string[], { entries }: Published): boolean {
  const added = place.filter((name) => !entries.has(name));
  if (added.length === 0) return false;
  const folders = foldersOf([...entries.keys()]);
  return (
    added.some((name) => folders.has(name)) || [...foldersOf(added)].some((folder) => entries.has(folder))
  );
}
