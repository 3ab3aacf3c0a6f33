import * as fs from 'node:fs';
import path from 'node:path';
import { parseManifest, readManifest } from '../built/own-files.ts';
import { folderStorage, hasStagedChange } from '../built/site-folder.ts';
import { entriesByPath } from '../built/verified-files.ts';
import type { Entries } from '../contract/meta.ts';
import { MANIFEST_FILE, WORK_FOLDER } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, readFile, readStatus, walk } from '../files.ts';
import {
  assertApplicable,
  type Change,
  compareSites,
  createGapFinder,
} from './change.ts';
import { flush, flushAll } from './flush.ts';
import { getStagedPath, removeWorkFolder } from './work-folder.ts';

export interface Finished {
  /** Whether a committed change was completed. */
  readonly isCompleted: boolean;
  /** Problems that occurred after the new site was complete. */
  readonly notices: readonly string[];
}

/**
 * Moves the files of a committed change into place. Does nothing if no change is
 * committed.
 *
 * New files come first, then files that replace published ones, and the files that the
 * next site lacks are removed last, so that every link leads to a file at any time. The
 * manifest is moved after everything else is on the disk, because a staged manifest
 * means that the change is not complete.
 *
 * Everything that this function needs to know is in the folder. Therefore it can be
 * called again after the process was killed at any moment.
 *
 * @throws OutputError if a file is in the way or cannot be moved. The change stays
 * committed.
 */
export function finish(folder: string): Finished {
  if (!hasStagedChange(folder)) return { isCompleted: false, notices: [] };
  const next = readStagedEntries(folder);
  const published = readPublishedEntries(folder);
  const staged = listStagedFiles(folder, next);
  const change = compareSites(published, next, staged);
  assertApplicable(folder, change);
  const hint =
    'It is partly the new site. Remove the cause, and run the command again to complete it.';
  explainFailure(
    'cannot be completed',
    folder,
    () => moveFiles(folder, change),
    hint,
  );
  return { isCompleted: true, notices: cleanUp(folder) };
}

function readStagedEntries(folder: string): Entries {
  try {
    return entriesByPath(readManifest(folderStorage(getStagedPath(folder))));
  } catch (cause) {
    if (!(cause instanceof OutputError) || cause.hint !== undefined) throw cause;
    const hint = `Delete ${path.join(folder, WORK_FOLDER)}, and build again.`;
    throw new OutputError(cause.problem, cause.path, { cause, hint });
  }
}

/** Reads the manifest that the staged one replaces. */
function readPublishedEntries(folder: string): Entries {
  const body = attempt(() => readFile(folder, MANIFEST_FILE), 'ENOENT');
  if (!body) return new Map();
  return entriesByPath(parseManifest(folderStorage(folder), body));
}

/**
 * Lists the files of the next site that have not been moved yet. Symlinks are skipped,
 * because they may lead to unrelated files of this user.
 */
function listStagedFiles(folder: string, next: Entries): string[] {
  const staged: string[] = [];
  for (const entry of walk(getStagedPath(folder))) {
    if (entry.isFile && next.has(entry.path)) staged.push(entry.path);
  }
  return staged;
}

function moveFiles(folder: string, { added, replaced, removed }: Change): void {
  const moves = listMoves(folder, [...added, ...replaced]);
  for (const moved of moves) moveIntoPlace(folder, moved);
  for (const file of removed) removeFile(folder, file);
  // Without flushing, a power cut could keep the new manifest but lose the other
  // renames.
  flushAll(folder, [...added, ...replaced, ...removed]);
  moveIntoPlace(folder, MANIFEST_FILE);
}

/**
 * Lists what to move for staged files: the file itself, or the outermost folder that the
 * site lacks, which comes with all staged files in it.
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
 * has replaced the file with a folder, the folder stays.
 */
function removeFile(folder: string, file: string): void {
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
 * Flushes the new manifest and removes the work folder. The new site is complete, so a
 * failure is only a notice.
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
