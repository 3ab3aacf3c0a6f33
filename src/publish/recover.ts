import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { attempt, readFile, readText } from '../files.ts';
import { sha256 } from '../sha256.ts';
import { applyChange, assertApplicable, readChange } from './apply.ts';
import type { LockedPaths } from './lock.ts';
import { hashFile, readFileList } from './read-published.ts';
import { findStaging } from './staging.ts';
import { isCommitted, type WorkPaths } from './work-paths.ts';

export interface Recovery {
  /** Whether an interrupted change was completed. */
  readonly isCompleted: boolean;
  /**
   * Whether an interrupted change was discarded. Some of its files may already be in
   * the folder, so every file must be hashed.
   */
  readonly isDiscarded: boolean;
  readonly notices: readonly string[];
}

const NOTHING: Recovery = { isCompleted: false, isDiscarded: false, notices: [] };

/** The notice about an interrupted build that was completed. */
export const COMPLETED = 'an interrupted build was finished first';
const DISCARDED =
  'an interrupted build no longer fits this folder: every file is compared by its content until the next change';

/**
 * Recovers a folder from an interrupted build. If the change was not committed, no
 * file has been moved yet, so we only remove its staging folder. A committed change
 * is completed if it fits, which means that it replaces the published site and that
 * all of its files still exist. Files may have been added to the folder since the
 * commit, so we check again that nothing is in the way. A committed change that does
 * not fit is discarded, but its staging folder stays until the next change is
 * staged. Until then, it makes every command compare files by content.
 *
 * @throws OutputError if the staging folder belongs to another user, or if a file is
 * in the way of a committed change. In the second case, the change stays committed.
 */
export function recover(paths: LockedPaths): Recovery {
  attempt(() => removeLockDrafts(paths));
  const staging = findStaging(paths);
  if (!staging) return NOTHING;
  if (!isCommitted(paths)) {
    removeStaging(paths);
    return NOTHING;
  }
  if (!isFitting(paths)) {
    return { isCompleted: false, isDiscarded: true, notices: [DISCARDED] };
  }
  const change = readChange(paths);
  assertApplicable(paths, change);
  applyChange(paths, staging);
  const notices = [COMPLETED, ...removeStaging(paths)];
  return { isCompleted: true, isDiscarded: false, notices };
}

/**
 * Returns whether a committed change replaces the manifest that is now published,
 * and whether each of its files is either staged or already in place.
 */
export function isFitting({
  out,
  staging,
  staged,
  replacedFile,
}: WorkPaths): boolean {
  const replacedHash = attempt(() => readText(staging, path.basename(replacedFile)));
  const publishedHash = hashFile(out, MANIFEST_FILE) ?? '';
  if (replacedHash !== publishedHash) return false;
  const files = readFileList(staged);
  if (!files) return false;
  for (const { path: file, sha256: expectedHash } of files) {
    const isThere =
      hasHash(staged, file, expectedHash) || hasHash(out, file, expectedHash);
    if (!isThere) return false;
  }
  return true;
}

/**
 * Error codes for a file that may be the expected one but cannot be read at the
 * moment.
 */
const temporaryFailures = ['EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE'];

/**
 * Returns whether a file's content has the given SHA-256.
 *
 * @throws OutputError if the file exists but cannot be read, because a change that
 * may fit must not be discarded
 */
function hasHash(folder: string, file: string, expectedHash: string): boolean {
  try {
    return sha256(readFile(folder, file)) === expectedHash;
  } catch (cause) {
    const code = errorCode(cause);
    if (!temporaryFailures.includes(code)) return false;
    throw new OutputError(`cannot be read (${code})`, path.join(folder, file), {
      cause,
      hint: 'Make the file readable. The next command then completes the interrupted build.',
    });
  }
}

/**
 * Removes the staging folder of a completed or uncommitted change. If that fails,
 * returns a notice instead of throwing, because the site itself is complete.
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
 * Removes drafts of lock files, which remain if a build is killed while it locks the
 * folder.
 */
function removeLockDrafts({
  lockFile,
  lock,
}: WorkPaths & Pick<LockedPaths, 'lock'>): void {
  const parent = path.dirname(lockFile);
  for (const name of readdirSync(parent)) {
    const file = path.join(parent, name);
    if (!file.startsWith(`${lockFile}-`)) continue;
    lock.assertHeld();
    rmSync(file, { recursive: true, force: true });
  }
}
