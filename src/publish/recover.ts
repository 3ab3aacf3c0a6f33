import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { attempt, readText } from '../files.ts';
import { applyChange, assertApplicable, readChange } from './apply.ts';
import type { LockedPaths } from './lock.ts';
import { hashFile, readFileList } from './read-published.ts';
import { findStaging } from './staging.ts';
import { isCommitted, type WorkPaths } from './work-paths.ts';

export interface Recovery {
  /** Whether an interrupted change was completed. */
  readonly isCompleted: boolean;
  /**
   * Whether an interrupted change was discarded, but some of its files may be in the folder, so
   * every file must be hashed.
   */
  readonly isDiscarded: boolean;
  readonly notices: readonly string[];
}

const NOTHING: Recovery = { isCompleted: false, isDiscarded: false, notices: [] };

const COMPLETED = 'an interrupted build was finished first';
const DISCARDED =
  'an interrupted build no longer fits this folder: every file is compared by its content until the next change';

/**
 * Recovers a folder from an interrupted build. A change that was not committed has moved no file,
 * so it is only tidied up. A committed change is completed if it fits: it replaces this site, and
 * all of its files are still there. Because files may have come into the folder since the commit,
 * the check of the commit is repeated. A committed change that does not fit is discarded: its
 * staging folder stays until the next change is staged, and tells every command until then to
 * compare files by their content.
 *
 * @throws OutputError if the staging folder belongs to another user, or a file is in the way of the
 * change, which stays committed
 */
export function recover(paths: LockedPaths): Recovery {
  attempt(() => removeLockDrafts(paths));
  const staging = findStaging(paths);
  if (!staging) return NOTHING;
  if (!isCommitted(paths)) {
    removeStaging(paths);
    return NOTHING;
  }
  if (!isFitting(paths)) return { isCompleted: false, isDiscarded: true, notices: [DISCARDED] };
  const change = readChange(paths);
  assertApplicable(paths, change);
  applyChange(paths, staging);
  const notices = [COMPLETED, ...removeStaging(paths)];
  return { isCompleted: true, isDiscarded: false, notices };
}

/**
 * Whether the published manifest is the one that a committed change replaces, and each of its files
 * is staged or in place.
 */
export function isFitting({ out, staging, staged, replacedFile }: WorkPaths): boolean {
  const replacedHash = attempt(() => readText(staging, path.basename(replacedFile)));
  const publishedHash = hashFile(out, MANIFEST_FILE) ?? '';
  if (replacedHash !== publishedHash) return false;
  const files = readFileList(staged);
  if (!files) return false;
  for (const { path: file, sha256 } of files) {
    const isThere = hashFile(staged, file) === sha256 || hashFile(out, file) === sha256;
    if (!isThere) return false;
  }
  return true;
}

/**
 * Removes the staging folder of a change that has ended. Returns a notice if that fails, because
 * the site is published.
 */
export function removeStaging({ staging, lock }: LockedPaths): string[] {
  try {
    lock.assertHeld();
    rmSync(staging, { recursive: true, force: true });
    return [];
  } catch (error) {
    return [`${staging} could not be removed: ${(error as Error).message}`];
  }
}

/**
 * Removes drafts of locks, which builds leave behind if they are killed while they lock the folder.
 */
function removeLockDrafts({ lockFile, lock }: WorkPaths & Pick<LockedPaths, 'lock'>): void {
  const parent = path.dirname(lockFile);
  for (const name of readdirSync(parent)) {
    const file = path.join(parent, name);
    if (!file.startsWith(`${lockFile}-`)) continue;
    lock.assertHeld();
    rmSync(file, { recursive: true, force: true });
  }
}
