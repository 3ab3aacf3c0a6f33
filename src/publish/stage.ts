import { renameSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describeExcess, getMaxBytes } from '../contract/limits.ts';
import {
  encodeBody,
  entriesByPath,
  isListable,
  type ManifestEntry,
  type SiteFile,
} from '../contract/meta.ts';
import { STAGED_FOLDER, WORK_FOLDER } from '../contract/paths.ts';
import { createEntry } from '../data/entries.ts';
import { GamedataError } from '../errors.ts';
import { attempt, explainFailure, readFile } from '../files.ts';
import { findCommittedManifest, type ManifestFile } from '../site-folder.ts';
import { assertNothingInTheWay, assertWritable, compareSites } from './change.ts';
import { setLaterTime } from './file-times.ts';
import { flush, flushAll } from './flush.ts';
import type { Published } from './published.ts';
import {
  getStagedPath,
  prepareWorkFolder,
  removeWorkFolder,
  type WorkFolder,
} from './work-folder.ts';

/** The next site, and the published one that it replaces. */
export interface NextSite {
  readonly published: Published;
  /** Creates the content of the manifest from the entries of all other files. */
  readonly encodeManifest: (entries: readonly ManifestEntry[]) => Uint8Array;
  readonly files: Iterable<SiteFile>;
  readonly signal?: AbortSignal | undefined;
}

/** The result of staging. The change is committed unless nothing differs. */
export interface StagedChange {
  /** All files of the next site, sorted by path. */
  readonly entries: readonly ManifestEntry[];
  readonly manifestBytes: number;
  /** The number of staged files, including the manifest. 0 if nothing differs. */
  readonly written: number;
  readonly removed: number;
}

/**
 * Stages the next site. First writes the files that differ from the published ones into
 * the work folder. Then checks that nothing is in their way, and commits the change by
 * renaming the new manifest to its staged name. From then on, `finish` completes the
 * change, even in another process.
 *
 * If staging fails or is aborted before the commit, the work folder is removed, so the
 * site stays unchanged.
 *
 * @throws GamedataError if the site cannot be staged
 */
export async function stage(folder: string, next: NextSite): Promise<StagedChange> {
  try {
    return await stageAndCommit(folder, next);
  } catch (error) {
    if (!findCommittedManifest(folder)) attempt(() => removeWorkFolder(folder));
    throw error;
  }
}

/**
 * Does the work of `stage`, but leaves the work folder behind if it fails.
 *
 * The files are staged first, because this shows which of them differ. If none of them
 * do, there is nothing to commit. All checks come before the commit, because a
 * committed change must be completed.
 */
async function stageAndCommit(
  folder: string,
  next: NextSite,
): Promise<StagedChange> {
  const { published, encodeManifest } = next;
  const { manifestFile } = published;
  const workFolder = prepareWorkFolder(folder);
  const { entries, stagedPaths } = await stageFiles(folder, next, workFolder);
  const nextEntries = entriesByPath(entries);
  const change = compareSites(published.entries, nextEntries, stagedPaths);

  const manifest = encodeManifest(entries);
  const hasSameFiles = stagedPaths.length === 0 && change.removed.length === 0;
  // The manifest may differ even if no other file does, because it contains the version
  // of gamedata.
  if (hasSameFiles && hasContent(folder, manifestFile, manifest)) {
    return { entries, manifestBytes: manifest.length, written: 0, removed: 0 };
  }

  assertManifestSize(folder, manifestFile, manifest);
  assertNothingInTheWay(folder, change);
  assertWritable(folder, change);

  // Commands consider the change committed as soon as the manifest is among the staged
  // files. Therefore the manifest is first written next to them, and then moved.
  workFolder.write(`${WORK_FOLDER}/${manifestFile}`, manifest);
  explainFailure('cannot be committed', folder, () =>
    commit(folder, manifestFile, stagedPaths),
  );
  return {
    entries,
    manifestBytes: manifest.length,
    // The manifest is written as well.
    written: stagedPaths.length + 1,
    removed: change.removed.length,
  };
}

/** Rejects a manifest that would be too large to be read back. */
function assertManifestSize(
  folder: string,
  manifestFile: ManifestFile,
  { length }: Uint8Array,
): void {
  const problem = describeExcess(length, getMaxBytes(manifestFile));
  if (problem === undefined) return;
  throw new GamedataError(
    'output',
    `${path.join(folder, manifestFile)}: ${problem}`,
  );
}

function hasContent(folder: string, file: string, content: Uint8Array): boolean {
  const body = attempt(() => readFile(folder, file));
  return body?.equals(content) ?? false;
}

interface StagedFiles {
  /** All files of the next site, sorted by path. */
  readonly entries: readonly ManifestEntry[];
  /** The paths of the files that differ from the published files. */
  readonly stagedPaths: readonly string[];
}

/** The number of files to stage before letting Node handle signals. */
const FILES_AT_ONCE = 64;

/**
 * Encodes each file of the next site, and writes it to the work folder unless the same
 * file is already published. Most builds change only a few files, so most files are not
 * written.
 *
 * @throws the signal's reason if it aborts
 */
async function stageFiles(
  folder: string,
  { files, published, signal }: NextSite,
  workFolder: WorkFolder,
): Promise<StagedFiles> {
  const entries: ManifestEntry[] = [];
  const stagedPaths: string[] = [];
  for (const file of files) {
    assertListable(file.path);
    const body = encodeBody(file);
    const entry = createEntry(file.path, body);
    entries.push(entry);
    if (!hasPublished(published, entry)) {
      stageFile(folder, workFolder, file.path, body);
      stagedPaths.push(file.path);
    }
    // Without a pause, Node could not handle SIGINT, which aborts the signal, before the
    // end of this loop.
    if (entries.length % FILES_AT_ONCE === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { entries, stagedPaths };
}

/**
 * Writes a file to the work folder, with a later mtime than that of the published file
 * that it replaces. Web servers derive ETags from mtimes in seconds, so clients would
 * otherwise keep the published file.
 */
function stageFile(
  folder: string,
  workFolder: WorkFolder,
  file: string,
  body: Uint8Array,
): void {
  workFolder.write(`${STAGED_FOLDER}/${file}`, body);
  setLaterTime(getStagedPath(folder, file), path.join(folder, file));
}

/** Rejects a path that leads out of the site, or that readers would reject. */
function assertListable(file: string): void {
  if (isListable(file)) return;
  throw new GamedataError('output', `${file}: is not a path inside the site`);
}

/** Returns whether the same file is published, and has not been modified since. */
function hasPublished(
  { entries, modified }: Published,
  { path: file, sha256 }: ManifestEntry,
): boolean {
  const publishedEntry = entries.get(file);
  if (publishedEntry?.sha256 !== sha256) return false;
  return !modified.has(file);
}

/**
 * Commits the staged files by renaming the manifest to its staged name. Before the
 * rename, everything that `finish` needs is flushed to the disk: the files with their
 * final modes and times, and the manifest under a temporary name.
 */
function commit(
  folder: string,
  manifestFile: ManifestFile,
  stagedPaths: readonly string[],
): void {
  const workFolder = path.join(folder, WORK_FOLDER);
  const draft = path.join(workFolder, manifestFile);
  setLaterTime(draft, path.join(folder, manifestFile));
  const stagedFolder = getStagedPath(folder);
  flushAll(stagedFolder, stagedPaths);
  flush(draft);
  flush(workFolder);
  // This rename is the commit.
  renameSync(draft, path.join(stagedFolder, manifestFile));
  flush(stagedFolder);
}
