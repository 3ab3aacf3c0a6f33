/** Recovery: completes the change of an interrupted build, or sets it aside. */

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { attempt, explainFailure, readText } from '../files.ts';
import { applyStaged, removeAll } from './apply.ts';
import type { Lock } from './lock.ts';
import type { Permissions } from './permissions.ts';
import { hashFile, readFileList } from './read-published.ts';
import { assertTrustedOwner, isCommitted, type WorkPaths } from './work-paths.ts';

/**
 * Completes a committed change if it applies to the site. Otherwise the change is set aside, and the next publish compares all
 * files by content.
 *
 * @returns whether a change was completed
 */
export function recover(paths: WorkPaths, lock: Lock, permissions: Permissions): boolean {
  const { name, out, staging, staged, setAside, old } = paths;
  assertTrustedOwner(out, [staging, setAside, old.staging, old.record]);
  const isApplicable = isCommitted(paths) && canApply(paths);
  if (isApplicable) applyStaged(paths, lock, permissions);
  explainFailure('cannot be recovered from an interrupted build', name, () => {
    if (isCommitted(paths)) moveAside(paths, staged, lock);
    if (existsSync(old.record)) {
      if (existsSync(old.staging)) moveAside(paths, old.staging, lock);
      moveAside(paths, old.record, lock);
    }
    removeAll([staging, old.staging], lock);
  });
  attempt(() => removeAll(listUnused(paths), lock));
  return isApplicable;
}

/** Whether the site is still the one that the change replaces, and every file of the new manifest is staged or in place. */
function canApply({ out, staged, replaced }: WorkPaths): boolean {
  const before = attempt(() => readText(path.dirname(replaced), path.basename(replaced)));
  if (before !== (hashFile(out, MANIFEST_FILE) ?? '')) return false;
  const next = readFileList(staged);
  const isThere = (file: string, sha256: string): boolean =>
    hashFile(staged, file) === sha256 || hashFile(out, file) === sha256;
  return next?.every((entry) => isThere(entry.path, entry.sha256)) ?? false;
}

function moveAside({ setAside }: WorkPaths, file: string, lock: Lock): void {
  lock.assertHeld();
  mkdirSync(setAside, { recursive: true });
  renameSync(file, path.join(setAside, randomUUID()));
}

/** Lists drafts of locks of killed builds, and unused files of version 146d34f. */
function listUnused({ lock, old }: WorkPaths): string[] {
  const parent = path.dirname(lock);
  const files = readdirSync(parent).map((name) => path.join(parent, name));
  return files.filter((file) => [`${lock}-`, ...old.unused].some((prefix) => file.startsWith(prefix)));
}
