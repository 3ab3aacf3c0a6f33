import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BuildInputs, ManifestEntry, SiteFile } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { GamedataError } from '../errors.ts';
import { attempt, explainFailure, isInside, toOutputError } from '../files.ts';
import type { ManifestFile } from '../site-folder.ts';
import { finish } from './finish.ts';
import { createFolder, removeEmptyFolders } from './folder.ts';
import { HeldLockError, type Lock, lockFolder } from './lock.ts';
import { type Published, readPublished } from './published.ts';
import { stage } from './stage.ts';
import { removeWorkFolder } from './work-folder.ts';

export interface PublishResult {
  readonly changed: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly written: number;
  readonly kept: number;
  readonly removed: number;
  /** Problems that did not prevent the site from being published. */
  readonly notices: readonly string[];
}

export interface OpenOptions {
  /** The file that lists all others. The default is `manifest.json`. */
  readonly manifestFile?: ManifestFile;
  /** If publishing fails, called with each notice about opening the folder. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

export interface PublishOptions {
  /**
   * Creates the content of the manifest.
   *
   * @param entries the entries of all other files, sorted by path
   */
  readonly encodeManifest: (entries: readonly ManifestEntry[]) => Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

/** An output folder that this build has locked. It contains no unfinished change. */
export interface Output {
  /** The folder's path as the user entered it. */
  readonly folder: string;
  readonly published: Published;
  /** Notices about locking the folder and finishing an interrupted change. */
  readonly notices: readonly string[];
  /**
   * Returns whether the published site was generated with the same code from the
   * same inputs, and none of its files has been modified.
   */
  isUnchanged(buildInputs: Required<BuildInputs>): boolean;
  /** Keeps the published site as it is. */
  keepPublished(): PublishResult;
  /**
   * Replaces the published site.
   *
   * @throws GamedataError if the site cannot be replaced
   */
  publish(
    files: Iterable<SiteFile>,
    options: PublishOptions,
  ): Promise<PublishResult>;
}

/** The notice about an interrupted build that was finished. */
export const COMPLETED = 'an interrupted build was finished first';

/**
 * Opens a folder for publishing, and calls a function that uses it. Makes the folder if
 * it is missing, and locks it before reading anything, because only the build that
 * holds the lock may change it. Releases the lock when the function has ended.
 *
 * If the folder cannot be opened or the function fails, reports the notices so far, and
 * removes the folders that this call made if they are still empty.
 *
 * @throws GamedataError if another build is publishing there, if another user has made
 * the folder, or if it contains anything other than a published site
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  { manifestFile = MANIFEST_FILE, onNotice }: OpenOptions = {},
): Promise<T> {
  assertNotInUse(out);
  const createdFolders: string[] = [];
  const notices: string[] = [];
  let lock: Lock | undefined;
  try {
    explainFailure('cannot be created', out, () =>
      createFolder(out, createdFolders),
    );
    lock = explainFailure('cannot be locked', out, () => lockFolder(out));
    if (lock.notice !== undefined) notices.push(lock.notice);
    const output = openLockedFolder(out, manifestFile, notices);
    return await use(output);
  } catch (error) {
    // The build returns no result that could contain the notices, so report them here.
    for (const notice of notices) onNotice?.(notice);
    // If another build holds the lock, it uses the folder, even if this build made it.
    const isUsedByOther = error instanceof HeldLockError;
    if (!isUsedByOther) removeEmptyFolders(createdFolders);
    throw toOutputError(error, out);
  } finally {
    lock?.release();
  }
}

/**
 * Prepares a folder that this build has locked. First completes the change of a build
 * that was killed, because until then the folder contains parts of two sites. Then
 * reads that site.
 *
 * @param notices the array to which notices are added, even if this function throws
 * @throws GamedataError if the change cannot be completed, or if the folder contains
 * anything other than a published site
 */
function openLockedFolder(
  folder: string,
  manifestFile: ManifestFile,
  notices: string[],
): Output {
  const finished = finish(folder);
  if (finished.isCompleted) notices.push(COMPLETED);
  notices.push(...finished.notices);
  const published = readPublished(folder, manifestFile);
  // A build that was killed before its commit leaves a work folder behind.
  attempt(() => removeWorkFolder(folder));
  return createOutput({
    folder,
    published,
    notices,
    hasChanged: finished.isCompleted,
  });
}

/**
 * Rejects the working directory and its parent folders, because other programs may be
 * using them.
 */
function assertNotInUse(out: string): void {
  const folder = attempt(() => realpathSync(out));
  if (folder === undefined) return;
  const workingFolder = process.cwd();
  if (workingFolder !== folder && !isInside(folder, workingFolder)) return;
  const hint =
    'Run the command in another folder, or name a folder inside this one.';
  const problem = 'is the working directory, or contains it';
  throw new GamedataError('output', `${out}: ${problem}`, { hint });
}

interface LockedFolder {
  readonly folder: string;
  readonly published: Published;
  readonly notices: readonly string[];
  /** Whether opening the folder has changed the site, because a build was interrupted. */
  readonly hasChanged: boolean;
}

function createOutput(lockedFolder: LockedFolder): Output {
  const { folder, published, notices } = lockedFolder;
  return {
    folder,
    published,
    notices,
    isUnchanged(buildInputs) {
      if (published.modified.size > 0) return false;
      const keys = ['generator', 'code', 'inputs'] as const;
      return keys.every((key) => published.buildInputs?.[key] === buildInputs[key]);
    },
    keepPublished: () => keepPublished(lockedFolder),
    publish: (files, options) => publishFiles(lockedFolder, files, options),
  };
}

/** Describes the published site as the result of a build that wrote nothing. */
function keepPublished({
  folder,
  published,
  hasChanged,
}: LockedFolder): PublishResult {
  const manifest = statSync(path.join(folder, published.manifestFile));
  const { files, bytes } = measureSite(published.entries.values(), manifest.size);
  return {
    changed: hasChanged,
    files,
    bytes,
    written: 0,
    kept: files,
    removed: 0,
    notices: [],
  };
}

/**
 * Writes the files of the next site that differ from the published ones into the work
 * folder, and then moves them into place.
 */
async function publishFiles(
  { folder, published, hasChanged }: LockedFolder,
  siteFiles: Iterable<SiteFile>,
  options: PublishOptions,
): Promise<PublishResult> {
  const staged = await stage(folder, { ...options, published, files: siteFiles });
  const finished = finish(folder);
  const { written, removed } = staged;
  const { files, bytes } = measureSite(staged.entries, staged.manifestBytes);
  return {
    changed: written > 0 || hasChanged,
    files,
    bytes,
    written,
    kept: files - written,
    removed,
    notices: finished.notices,
  };
}

interface SiteSize {
  /** The number of files, including the manifest. */
  readonly files: number;
  readonly bytes: number;
}

/**
 * Counts the files and the bytes of a site.
 *
 * @param entries the entries of all files except the manifest
 */
function measureSite(
  entries: Iterable<ManifestEntry>,
  manifestBytes: number,
): SiteSize {
  // The entries do not include the manifest, so count it here.
  let files = 1;
  let bytes = manifestBytes;
  for (const entry of entries) {
    files++;
    bytes += entry.bytes;
  }
  return { files, bytes };
}
