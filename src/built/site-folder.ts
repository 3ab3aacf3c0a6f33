import path from 'node:path';
import { getMaxBytes } from '../contract/limits.ts';
import { manifestReader } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import {
  MANIFEST_FILE,
  STAGED_FOLDER,
  STAGED_MANIFEST_FILE,
  WORK_FOLDER,
} from '../contract/paths.ts';
import { attempt, isInFolders, readFile, readStatus, walk } from '../files.ts';
import type { SiteStorage, StoredFile } from './storage.ts';

/**
 * Opens the folder of a site or a snapshot for reading. All commands that only read a
 * folder use this function, and it never locks or writes.
 *
 * While a committed change is being moved into place, or after the build that moved it
 * was killed, the files on disk are a mixture. The staged files are then part of the
 * new site, so each file comes from the staged files if it is there, and otherwise
 * from the site. A build may move a file between the two attempts, but only from the
 * first place to the second, so every file is found.
 *
 * If a build commits a change while a caller reads, the caller may get files of both
 * sites. Only the caller can notice that: the manifest is then another one.
 */
export const folderStorage = (folder: string): SiteStorage => ({
  name: folder,
  at: (file) => path.join(folder, file),
  read: (file) => readSiteFile(folder, file),
  list: () => listSiteFiles(folder),
});

/**
 * Returns whether a committed change to a folder is not yet complete. A work folder
 * that is a symlink is ignored, because no build makes one.
 */
export function hasStagedChange(folder: string): boolean {
  const status = readStatus(path.join(folder, STAGED_MANIFEST_FILE));
  if (!status?.isFile()) return false;
  return isInFolders(folder, STAGED_MANIFEST_FILE);
}

/** The folder that file systems create at the root of a volume. Only root can read it. */
export const LOST_FILES_FOLDER = 'lost+found';

function readSiteFile(folder: string, file: string): Buffer {
  if (hasStagedChange(folder)) {
    const readStaged = (): Buffer =>
      readFile(folder, `${STAGED_FOLDER}/${file}`, getMaxBytes(file));
    const staged = attempt(readStaged, 'ENOENT');
    if (staged) return staged;
  }
  return readFile(folder, file);
}

/**
 * Lists the files that a folder contains after its staged change. The staged files are
 * listed first, because a file that is moved meanwhile is then found at least once.
 */
function listSiteFiles(folder: string): StoredFile[] {
  const removed = new Set<string>();
  const staged = new Map<string, StoredFile>();
  if (hasStagedChange(folder)) {
    for (const file of listRemovedFiles(folder)) removed.add(file);
    const stagedFolder = path.join(folder, STAGED_FOLDER);
    const entries = attempt(() => [...walk(stagedFolder)], 'ENOENT') ?? [];
    for (const entry of entries) staged.set(entry.path, entry);
  }
  const files: StoredFile[] = [];
  for (const entry of walk(folder, [WORK_FOLDER, LOST_FILES_FOLDER])) {
    const isReplaced = staged.has(entry.path) || removed.has(entry.path);
    if (!isReplaced) files.push(entry);
  }
  files.push(...staged.values());
  return files;
}

/** Lists the published files that the staged manifest lacks. */
function listRemovedFiles(folder: string): string[] {
  const nextFiles = listManifestFiles(folder, STAGED_MANIFEST_FILE);
  // If a build has just moved the staged manifest, it has removed these files before.
  if (!nextFiles) return [];
  const kept = new Set(nextFiles);
  const publishedFiles = listManifestFiles(folder, MANIFEST_FILE) ?? [];
  return publishedFiles.filter((file) => !kept.has(file));
}

/** Lists the files in a manifest. Returns undefined if there is no valid manifest. */
function listManifestFiles(folder: string, file: string): string[] | undefined {
  const body = attempt(() => readFile(folder, file, getMaxBytes(MANIFEST_FILE)));
  const { data } = manifestReader.safeParse(parseJson(`${body ?? ''}`));
  return data?.files.map((entry) => entry.path);
}
