/** Publishes files into a folder: whatever happens, the folder holds the complete old site or the complete new one. */

import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Making, ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import type { AnyFile } from '../contract/site-file.ts';
import { errorCode, explainSystemError, OutputError } from '../errors.ts';
import { isInside } from '../files/folder.ts';
import { PRODUCT } from '../version.ts';
import { canPlace, commit, foldersOf, rollForward } from './commit.ts';
import {
  createEncoder,
  createListing,
  isWhole,
  type Listing,
  type Measure,
  manifestText,
  measure,
  repeated,
} from './listing.ts';
import { acquireLock, type LockOptions } from './lock.ts';
import { type Published, readPublished, refuseForeignFiles } from './published.ts';
import { recover, removeTrash } from './recovery.ts';
import { createStage } from './stage.ts';
import { createStaying } from './staying.ts';
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
  /** The files of the current `publish` so far, without those that are part of another one: path → bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Where a file of the current `publish` is: staged, or published if it stays. */
  locate(path: string): string;
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
  /** Whether the manifest may be wrong about what the published files were made from. Default: it is believed. */
  readonly remake?: boolean | undefined;
}

export interface OutputOptions extends LockOptions {
  /** The file with the code of a thread that looks at published files. Default: none. */
  readonly helper?: string | undefined;
}

/**
 * Locks an output folder, after recovering from an interrupted build.
 *
 * @throws OutputError if another build has locked it, or it contains anything that was not published
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  { helper, ...options }: OutputOptions = {},
): Promise<T> {
  const folders = workFolders(out);
  refuseWorkingFolder(folders);
  makeParent(folders);
  const release = acquireLock(folders, options);
  try {
    recover(folders);
    const published = readPublished(folders, helper);
    const listing = createListing();
    return await use({
      folder: folders.out,
      name: folders.name,
      published,
      sizes: listing.sizes,
      locate: (file) => locate(folders, file),
      confirm: (making) => confirm(folders, published, making),
      async publish(files, options = {}) {
        const result = await publish(files, { ...options, folders, published, listing });
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

function locate({ fresh, out }: WorkFolders, file: string): string {
  const staged = path.join(fresh, file);
  return existsSync(staged) ? staged : path.join(out, file);
}

function confirm(
  folders: WorkFolders,
  { making: published, entries: { files }, manifestBytes, findTouched }: Published,
  making: Required<Making>,
): PublishResult | undefined {
  const { generator, code, inputs } = making;
  if (published?.generator !== generator || published.code !== code || published.inputs !== inputs)
    return undefined;
  if (findTouched().size > 0) return undefined;
  return {
    changed: false,
    files: files.length + 1,
    bytes: sizeOf(files) + manifestBytes,
    written: 0,
    kept: files.length + 1,
    removed: 0,
    leftovers: removeTrash(folders),
  };
}

async function publish(
  files: Iterable<AnyFile>,
  {
    folders,
    published,
    listing,
    signal,
    making = { generator: PRODUCT },
    remake = false,
  }: PublishOptions & { folders: WorkFolders; published: Published; listing: Listing },
): Promise<Omit<PublishResult, 'leftovers'>> {
  const encode = createEncoder();
  const staying = createStaying(published, { making, remake, encode });
  const written: ManifestEntry[] = [];
  // Staging starts at the first difference: without one, nothing is touched.
  const stage = createStage(folders.fresh, folders.out);
  let count = 0;
  for (const file of files) {
    const { path } = file;
    if (staying.has(path)) throw repeated(path);
    listing.check(path);
    const unmade = staying.unmade(file);
    if (unmade) listing.add(unmade, file);
    else {
      const pieces = encode('make' in file ? await file.make() : file.body);
      const replaces = published.entries.place(path) !== undefined;
      const write = (): Measure => stage.write(path, pieces, { replaces });
      // A long text is made while it is read: once, if it is written at once.
      const measured = replaces && isWhole(pieces) ? measure(pieces) : undefined;
      const { bytes, sha256 } = measured ?? write();
      if ('sha256' in file && file.sha256 !== sha256)
        throw new OutputError(`got SHA-256 ${sha256}, expected ${file.sha256}`, path);
      const made = { path, bytes, sha256 };
      listing.add(made, file);
      const stays = staying.made(made);
      if (stays && !measured) stage.drop(path);
      if (!stays && measured) write();
      if (!stays) written.push(made);
    }
    // Yields to signals and the progress line now and then.
    if (++count % 64 === 0) await setImmediate();
    signal?.throwIfAborted();
  }

  const { derived } = staying;
  const entries = staying.entries();
  const stayed = entries.length;
  // What stays is in order already, which sorting makes use of.
  for (const entry of written) entries.push(entry);
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const head = { ...making, ...(Object.keys(derived).length > 0 && { derived }) };
  const manifest = encode({ [Symbol.iterator]: () => manifestText(head, entries) });
  const changed = written.length > 0 || measure(manifest).sha256 !== published.hashManifest();
  const names = written.map(({ path }) => path);
  const removed = staying.removed();
  let { manifestBytes } = published;
  if (changed) {
    const isSmall = stayed > names.length && !replacesFolders(names, published) && canPlace(folders);
    const lost = isSmall ? names.filter((file) => isThere(folders, file)) : undefined;
    refuseForeignFiles(folders, published, lost);
    const staged = stage.write(MANIFEST_FILE, manifest, { replaces: manifestBytes > 0 });
    manifestBytes = staged.bytes;
    if (isSmall) {
      const place = [...names, MANIFEST_FILE];
      commit(folders, { place, remove: removed, manifest: staged.sha256 });
      rollForward(folders);
    } else {
      // Hard links to published files, which have been checked.
      for (const { path } of staying.entries()) stage.keep(path);
      swap(folders);
    }
  }
  return {
    changed,
    files: entries.length + 1,
    bytes: sizeOf(entries) + manifestBytes,
    written: changed ? written.length + 1 : 0,
    kept: stayed + (changed ? 0 : 1),
    removed: removed.length,
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
