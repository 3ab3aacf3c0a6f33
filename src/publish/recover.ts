import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { attempt, explainFailure, readText } from '../files.ts';
import { applyChange, removeAll } from './apply.ts';
import type { LockedPaths } from './lock.ts';
import { hashFile, readFileList } from './read-published.ts';
import { assertTrustedOwner, isCommitted, type WorkPaths } from './work-paths.ts';

export interface Recovery {
  readonly isCompleted: boolean;
  /** Whether this or an earlier recovery set a change aside, and nothing was published since. */
  readonly isSetAside: boolean;
  readonly notices: readonly string[];
}

/**
 * Recovers a folder from an interrupted build. A committed change is completed if it still fits the site. Otherwise it is set
 * aside, and the next publish compares all files by content.
 */
export function recover(paths: LockedPaths): Recovery {
  const { name, out, staging, staged, setAside, old, lock } = paths;
  assertTrustedOwner(out, [staging, setAside, old.staging, old.record]);
  const isCompleted = isCommitted(paths) && canApply(paths);
  if (isCompleted) applyChange(paths);
  explainFailure('cannot be recovered from an interrupted build', name, () => {
    const lists = [path.join(staged, MANIFEST_FILE)];
    if (existsSync(old.record)) lists.push(path.join(old.staging, MANIFEST_FILE), old.record);
    for (const file of lists.filter((file) => existsSync(file))) {
      lock.assertHeld();
      mkdirSync(setAside, { recursive: true });
      renameSync(file, path.join(setAside, randomUUID()));
    }
    removeAll([staging, old.staging], lock);
  });
  attempt(() => removeAll(listUnused(paths), lock));
  const isSetAside = existsSync(setAside);
  const notices = [
    isCompleted && 'an interrupted build was finished first',
    isSetAside &&
      'an interrupted build no longer fits this folder: every file is compared by its content',
  ].filter((notice) => notice !== false);
  return { isCompleted, isSetAside, notices };
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
  return files.filter((file) =>
    [`${lockFile}-`, ...old.unused].some((prefix) => file.startsWith(prefix)),
  );
}
