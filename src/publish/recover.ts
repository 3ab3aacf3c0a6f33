import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { attempt, explainFailure, readText } from '../files.ts';
import { applyChange, removeAll } from './apply.ts';
import type { LockedPaths } from './lock.ts';
import { hashFile, readFileList } from './read-published.ts';
import { assertTrustedOwner, isCommitted, type WorkPaths } from './work-paths.ts';

/**
 * Recovers a folder from an interrupted build. A committed change is completed if it still fits the site. Otherwise it is set
 * aside, and the next publish compares all files by content.
 *
 * @returns whether a change was completed
 */
export function recover(paths: LockedPaths): boolean {
  const { name, out, staging, staged, setAside, old, lock } = paths;
  assertTrustedOwner(out, [staging, setAside, old.staging, old.record]);
  const isApplicable = isCommitted(paths) && canApply(paths);
  if (isApplicable) applyChange(paths);
  explainFailure('cannot be recovered from an interrupted build', name, () => {
    const committed = existsSync(old.record) ? [old.staging, old.record] : [];
    if (isCommitted(paths)) committed.push(staged);
    for (const file of committed.filter((file) => existsSync(file))) {
      lock.assertHeld();
      mkdirSync(setAside, { recursive: true });
      renameSync(file, path.join(setAside, randomUUID()));
    }
    removeAll([staging, old.staging], lock);
  });
  attempt(() => removeAll(listUnused(paths), lock));
  return isApplicable;
}

function canApply({ out, staged, replacedFile }: WorkPaths): boolean {
  const before = attempt(() => readText(path.dirname(replacedFile), path.basename(replacedFile)));
  if (before !== (hashFile(out, MANIFEST_FILE) ?? '')) return false;
  const isReady = (file: string, sha256: string): boolean =>
    hashFile(staged, file) === sha256 || hashFile(out, file) === sha256;
  return readFileList(staged)?.every((entry) => isReady(entry.path, entry.sha256)) ?? false;
}

function listUnused({ lockFile, old }: WorkPaths): string[] {
  const parent = path.dirname(lockFile);
  const files = readdirSync(parent).map((name) => path.join(parent, name));
  return files.filter((file) => [`${lockFile}-`, ...old.unused].some((prefix) => file.startsWith(prefix)));
}
