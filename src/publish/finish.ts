/**
 * Completes changes. A site's folder is in one of these states:
 *
 * | state | work folder `.gamedata/` | commands read |
 * |---|---|---|
 * | published | missing | the published site |
 * | staging | no manifest in `next/` | the published site |
 * | committed | a manifest in `next/` | the next site |
 * | moved | no manifest in `next/` any more | the next site |
 *
 * While a change is committed, its files are moved one after another. Commands read a
 * file from `next/` if it is still there. A work folder without a manifest in `next/`
 * is a leftover that the next build removes, unless a build holds the lock and is still
 * staging. Only the build that holds the lock changes the state.
 */

import * as fs from 'node:fs';
import path from 'node:path';
import { getMaxBytes } from '../contract/limits.ts';
import { type Entries, entriesByPath } from '../contract/meta.ts';
import { STAGED_FOLDER, WORK_FOLDER } from '../contract/paths.ts';
import { GamedataError } from '../errors.ts';
import {
  attempt,
  explainFailure,
  isInFolders,
  readFile,
  readStatus,
  walk,
} from '../files.ts';
import {
  findCommittedManifest,
  type ManifestFile,
  parseEntries,
} from '../site-folder.ts';
import {
  assertNothingInTheWay,
  type Change,
  compareSites,
  createGapFinder,
} from './change.ts';
import { flush, flushAll } from './flush.ts';
import { getStagedPath, removeWorkFolder } from './work-folder.ts';

export interface Finished {
  /** Whether the folder contained a committed change, which is now complete. */
  readonly isCompleted: boolean;
  /** Problems that occurred after the new site was complete. */
  readonly notices: readonly string[];
}

/**
 * Moves the files of a committed change into place. Does nothing if no change is
 * committed.
 *
 * New files come first, then files that replace published ones, and the files that the
 * next site lacks are removed last, so that every link leads to a file at all times.
 * The manifest is moved only after everything else is on disk, because a staged
 * manifest means that the change is not complete.
 *
 * Everything that this function needs to know is in the folder, so it can be called
 * again after the process has been killed at any point.
 *
 * @throws GamedataError if a file is in the way or cannot be moved. The change stays
 * committed.
 */
export function finish(folder: string): Finished {
  const manifestFile = findCommittedManifest(folder);
  if (!manifestFile) return { isCompleted: false, notices: [] };
  const next = readStagedEntries(folder, manifestFile);
  const published = readPublishedEntries(folder, manifestFile);
  const stagedPaths = listStagedPaths(folder, next);
  const change = compareSites(published, next, stagedPaths);
  assertNothingInTheWay(folder, change);
  const hint =
    'It is partly the new site. Remove the cause, and run the command again to complete it.';
  explainFailure(
    'cannot be completed',
    folder,
    () => moveFiles(folder, change, manifestFile),
    hint,
  );
  return { isCompleted: true, notices: cleanUp(folder) };
}

/**
 * Reads the staged manifest.
 *
 * @throws GamedataError if it is damaged, or if another version of gamedata wrote it
 */
function readStagedEntries(folder: string, manifestFile: ManifestFile): Entries {
  try {
    const stagedFile = `${STAGED_FOLDER}/${manifestFile}`;
    const body = readFile(folder, stagedFile, getMaxBytes(manifestFile));
    return entriesByPath(parseEntries(folder, manifestFile, body));
  } catch (cause) {
    const { message } = cause as Error;
    const deleteHint = `Delete ${path.join(folder, WORK_FOLDER)}, and build again.`;
    // The error for another version has a hint, because that version can still
    // complete its own change.
    const versionHint = cause instanceof GamedataError ? cause.hint : undefined;
    throw new GamedataError('output', `${folder}: cannot be completed: ${message}`, {
      cause,
      hint: versionHint ?? deleteHint,
    });
  }
}

/** Reads the manifest that the staged one replaces. */
function readPublishedEntries(folder: string, manifestFile: ManifestFile): Entries {
  const body = attempt(() => readFile(folder, manifestFile), 'ENOENT');
  if (!body) return new Map();
  return entriesByPath(parseEntries(folder, manifestFile, body));
}

/**
 * Lists the files of the next site that have not been moved yet. Symlinks are not
 * listed. They can only be moved together with a new folder that contains them.
 */
function listStagedPaths(folder: string, next: Entries): string[] {
  const stagedPaths: string[] = [];
  for (const entry of walk(getStagedPath(folder))) {
    if (entry.isFile && next.has(entry.path)) stagedPaths.push(entry.path);
  }
  return stagedPaths;
}

/** Moves and removes files in the order that `finish` explains. */
function moveFiles(
  folder: string,
  { added, replaced, removed }: Change,
  manifestFile: ManifestFile,
): void {
  const moves = listMoves(folder, [...added, ...replaced]);
  for (const moved of moves) moveIntoPlace(folder, moved);
  for (const file of removed) removeFile(folder, file);
  // Without this flush, a power cut could keep the new manifest but lose the other
  // renames.
  flushAll(folder, [...added, ...replaced, ...removed]);
  moveIntoPlace(folder, manifestFile);
}

/**
 * Lists what to move: each staged file itself or, if the site lacks its folder, the
 * outermost missing folder together with all staged files in it.
 */
function listMoves(folder: string, files: readonly string[]): Set<string> {
  const findGap = createGapFinder(folder);
  const moves = new Set<string>();
  for (const file of files) moves.add(findGap(file)?.path ?? file);
  return moves;
}

/** Moves a staged file or folder into place. */
function moveIntoPlace(folder: string, moved: string): void {
  fs.renameSync(getStagedPath(folder, moved), path.join(folder, moved));
}

/**
 * Removes a file, and then every parent folder that has become empty. If the operator
 * has put a folder in place of the file, or a symlink or a file in place of a parent
 * folder, that is kept.
 */
function removeFile(folder: string, file: string): void {
  if (!isInFolders(folder, file)) return;
  const status = readStatus(path.join(folder, file));
  if (status && !status.isDirectory()) fs.unlinkSync(path.join(folder, file));
  let parent = path.posix.dirname(file);
  while (parent !== '.') {
    // Removing the folder fails if it is not empty.
    attempt(() => fs.rmdirSync(path.join(folder, parent)));
    parent = path.posix.dirname(parent);
  }
}

/**
 * Flushes the folder, so that the new manifest survives a power cut, and removes the
 * work folder. The new site is already complete, so a failure is reported only as a
 * notice.
 */
function cleanUp(folder: string): string[] {
  try {
    flush(folder);
    removeWorkFolder(folder);
    return [];
  } catch (error) {
    const { message } = error as Error;
    return [`${folder} is published, but cleaning up failed: ${message}`];
  }
}
