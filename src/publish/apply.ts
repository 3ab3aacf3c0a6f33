import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { entriesByPath } from '../built/verified-files.ts';
import type { Entries } from '../contract/meta.ts';
import { API_PREFIX, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { OutputError } from '../errors.ts';
import {
  attempt,
  explainFailure,
  isInFolders,
  listParentFolders,
  readStatus,
  walk,
} from '../files.ts';
import type { LockedPaths } from './lock.ts';
import { setPermission, setPermissions } from './permissions.ts';
import { hashFile, readFileList } from './read-published.ts';
import { flush, flushAll } from './stage.ts';
import type { StagingFolder } from './staging.ts';
import type { WorkPaths } from './work-paths.ts';

/**
 * A change's effect on the files in a folder. The manifest is always replaced as
 * well.
 */
export interface Change {
  /** The files in the published manifest, which the change may replace or remove. */
  readonly published: Entries;
  /** The paths of all files in the new site. */
  readonly next: readonly string[];
  /** The paths of the staged files, which the change moves into place. */
  readonly added: readonly string[];
  /** The paths of published files that the new site no longer contains. */
  readonly removed: readonly string[];
}

/**
 * Determines the remaining work of a committed change: files that are still in the
 * staging folder, and published files that the new site no longer contains.
 */
export function readChange({ out, staged }: WorkPaths): Change {
  const nextEntries = readFileList(staged);
  if (!nextEntries) {
    throw new OutputError(
      'is not a valid manifest',
      path.join(staged, MANIFEST_FILE),
    );
  }
  const next = nextEntries.map((entry) => entry.path);
  const stagedFiles = listRegularFiles(staged);
  const added = next.filter((file) => stagedFiles.has(file));
  const published = entriesByPath({ files: readFileList(out) ?? [] });
  const removed = listRemoved(out, published, next);
  return { published, next, added, removed };
}

/**
 * Lists the regular files in a folder. Symlinks are not followed, because they may
 * lead to unrelated files of this user, which must not be moved.
 */
function listRegularFiles(folder: string): Set<string> {
  const files = new Set<string>();
  for (const entry of walk(folder)) {
    if (entry.isFile) files.add(entry.path);
  }
  return files;
}

/** Lists the published files that the new site no longer contains. */
export function listRemoved(
  out: string,
  published: Entries,
  next: Iterable<string>,
): string[] {
  const isKept = createLookup(out, next);
  return [...published.keys()].filter((file) => !isKept(file));
}

/**
 * Returns a function that checks whether a list contains a path. If a path and a
 * listed path differ only in letter case, we compare the files on disk, because on a
 * case-insensitive file system, both paths name the same file.
 */
function createLookup(
  out: string,
  files: Iterable<string>,
): (file: string) => boolean {
  const listedByKey = new Map<string, string>();
  for (const file of files) listedByKey.set(file.toLowerCase(), file);
  return (file) => {
    const listed = listedByKey.get(file.toLowerCase());
    if (listed === undefined) return false;
    if (listed === file) return true;
    return isSameFile(path.join(out, file), path.join(out, listed));
  };
}

function isSameFile(oneFile: string, otherFile: string): boolean {
  const one = readStatus(oneFile);
  const other = readStatus(otherFile);
  if (!one || !other) return false;
  return one.ino === other.ino && one.dev === other.dev;
}

/**
 * Checks that a change can be applied: no file from another program is in the way,
 * and every affected folder is writable. A build runs this check before it commits
 * the change. Recovery runs it again, because someone may have added files in the
 * meantime.
 *
 * @throws OutputError if a file is in the way or a folder is not writable
 */
export function assertApplicable(paths: WorkPaths, change: Change): void {
  if (!fs.existsSync(paths.out)) return;
  const obstacles = findObstacles(paths, change);
  if (obstacles.length > 0) {
    const problem = `contains files that gamedata did not write: ${listFirst(obstacles, 5)}`;
    const hint =
      'Move them elsewhere, or into public/ to make them part of the site.';
    throw new OutputError(problem, paths.name, { hint });
  }
  const siteFiles = new Set([...change.removed, ...change.next]);
  const changedFolders = listParentFolders([...change.added, ...change.removed]);
  for (const folder of changedFolders) {
    const status = readStatus(path.join(paths.out, folder));
    const isFile = status?.isDirectory() === false;
    // The change replaces this file with a folder, or has already replaced a folder
    // with this file.
    if (isFile && siteFiles.has(folder)) continue;
    assertWritable(paths, folder);
  }
}

/**
 * Finds files and folders that are in the way of a change: files where it needs a
 * folder, and files or folders where it adds a file. Files written by gamedata are
 * never in the way, because the change replaces or removes them.
 */
function findObstacles(paths: WorkPaths, change: Change): string[] {
  const { out } = paths;
  const addedFiles = [...change.added, MANIFEST_FILE];
  const publishedFolders = listParentFolders([...change.published.keys()]);
  const emptiedFolders = listParentFolders(change.removed);
  const isOwn = createOwnershipCheck(paths, change);
  const obstacles: string[] = [];

  function checkNeededFolder(folder: string): void {
    const status = readStatus(path.join(out, folder));
    if (!status || status.isDirectory()) return;
    // If the published site has a folder here, `assertWritable` reports this file
    // instead.
    if (publishedFolders.has(folder)) return;
    if (!isOwn(folder)) obstacles.push(folder);
  }

  function checkAddedFile(file: string): void {
    const status = readStatus(path.join(out, file));
    if (!status) return;
    if (status.isDirectory()) {
      checkReplacedFolder(file);
      return;
    }
    if (!isOwn(file)) obstacles.push(file);
  }

  /**
   * Checks that a file can replace this folder: the change must remove everything in
   * the folder first.
   */
  function checkReplacedFolder(folder: string): void {
    if (!emptiedFolders.has(folder)) {
      obstacles.push(`${folder}/`);
      return;
    }
    for (const name of fs.readdirSync(path.join(out, folder))) {
      checkAddedFile(`${folder}/${name}`);
    }
  }

  for (const folder of listParentFolders(addedFiles)) checkNeededFolder(folder);
  for (const file of addedFiles) checkAddedFile(file);
  return obstacles;
}

/**
 * Returns a function that checks whether gamedata wrote a file in the folder. This
 * is the case if the published manifest lists the file, or if the file has the same
 * content as a staged file. In the second case, a change that was later discarded
 * may have moved it into place.
 */
function createOwnershipCheck(
  { out, staged }: WorkPaths,
  { published }: Change,
): (file: string) => boolean {
  const isListed = createLookup(out, [...published.keys(), MANIFEST_FILE]);
  return (file) => {
    if (isListed(file)) return true;
    const stagedHash = hashFile(staged, file);
    return stagedHash !== undefined && stagedHash === hashFile(out, file);
  };
}

/**
 * Checks that a folder in the site is writable by trying to change it, because
 * permissions alone do not reveal every obstacle.
 */
function assertWritable({ name, out, staging }: WorkPaths, inside: string): void {
  const folder = path.join(out, inside);
  const folderName = path.join(name, inside);
  const status = readStatus(folder);
  // The folder does not exist yet, and the change creates it.
  if (!status && inside !== '.') return;
  if (status?.isDirectory() === false) {
    throw new OutputError('is not a folder any more', folderName);
  }
  const access = fs.constants.W_OK | fs.constants.X_OK;
  explainFailure('cannot be written', folderName, () =>
    fs.accessSync(folder, access),
  );

  // We try to rename a file that does not exist, so the system reports ENOENT. If
  // the folder is on another file system, it reports EXDEV instead.
  const from = `${staging}-${randomUUID()}`;
  const to = path.join(folder, randomUUID());
  const tryRename = (): void => attempt(() => fs.renameSync(from, to), 'ENOENT');
  const hint =
    'Its parent folder must be writable, and the folder itself must not be a mount point.';
  explainFailure('cannot be replaced', folderName, tryRename, hint);
}

/**
 * Moves a committed change's files into place. If there is no site yet, the whole
 * staged folder is renamed. Otherwise files are replaced one by one, in an order
 * that keeps all links valid, and the manifest is replaced last. An interrupted call
 * can be repeated at any time.
 */
export function applyChange(paths: LockedPaths, staging: StagingFolder): void {
  const apply = (): void => {
    staging.assertSame();
    if (fs.existsSync(paths.out)) replaceFiles(paths);
    else createFolder(paths);
  };
  const hint =
    'It is partly the new site. Remove the cause, and run the command again to complete it.';
  explainFailure('cannot be completed', paths.name, apply, hint);
}

/** Publishes the first site in a folder that does not exist yet. */
function createFolder({ name, out, staged, lock, permissions }: LockedPaths): void {
  setPermission(staged, permissions);
  lock.assertHeld();
  explainFailure('cannot be created', name, () => fs.renameSync(staged, out));
  flush(path.dirname(out));
}

/**
 * Replaces a published site's files. First removes the files that are in the way of
 * added files, then moves the staged files into place, and then removes the
 * remaining files that the new site no longer contains. The manifest is moved last,
 * because a staged manifest marks the change as incomplete.
 */
function replaceFiles(paths: LockedPaths): void {
  const { out } = paths;
  const { added, removed } = readChange(paths);
  const addedFiles = new Set(added);
  const addedFolders = listParentFolders(added);
  /**
   * Whether an added file needs a folder with this path, or replaces a folder that
   * contains the file.
   */
  const isInTheWay = (file: string): boolean => {
    if (addedFolders.has(file)) return true;
    const folders = [...listParentFolders([file])];
    return folders.some((folder) => addedFiles.has(folder));
  };

  for (const file of removed) {
    if (isInTheWay(file)) removeFile(paths, file);
  }
  for (const file of sortByLinks(added)) moveFile(paths, file);
  for (const file of removed) removeFile(paths, file);
  // Without flushing, a power cut could keep the new manifest but lose the other
  // renames.
  flushAll(out, [...added, ...removed]);
  moveFile(paths, MANIFEST_FILE);
  flush(out);
}

/**
 * Removes a file from the site, and then every parent folder that has become empty.
 */
function removeFile({ out, lock }: LockedPaths, file: string): void {
  lock.assertHeld();
  // Skips a file that is reached through a symlink, and a folder that has replaced
  // the file.
  if (!isInFolders(out, file)) return;
  const target = path.join(out, file);
  const status = readStatus(target);
  if (status?.isDirectory() === false) fs.unlinkSync(target);
  let folder = path.dirname(target);
  while (folder !== out) {
    // Removing the folder fails if it is not empty.
    attempt(() => fs.rmdirSync(folder));
    folder = path.dirname(folder);
  }
}

/** Moves a staged file into place. */
function moveFile(
  { name, out, staged, lock, permissions }: LockedPaths,
  file: string,
): void {
  lock.assertHeld();
  const target = path.join(out, file);
  const createdFolder = fs.mkdirSync(path.dirname(target), { recursive: true });
  if (!isInFolders(out, file)) {
    throw new OutputError('is below a symbolic link', path.join(name, file));
  }
  if (createdFolder !== undefined) setPermissions(out, [file], permissions);
  fs.renameSync(path.join(staged, file), target);
}

const IN_KIND_FOLDER = new RegExp(`^${API_PREFIX.slice(1)}[^/]+/(.+)$`);
const LIST_PAGE = /^(?:offset\/(\d+)\/)?index\.json$/;

interface ListPage {
  readonly file: string;
  readonly offset: number;
}

/**
 * Sorts files so that every link resolves while the files are being moved. Records
 * come first. List pages follow from last to first, because each page links to the
 * next one. The other files come next, and `meta.json` comes last.
 */
function sortByLinks(files: readonly string[]): string[] {
  const records: string[] = [];
  const listPages: ListPage[] = [];
  const others: string[] = [];
  const description: string[] = [];
  for (const file of files) {
    const [, inKindFolder] = IN_KIND_FOLDER.exec(file) ?? [];
    const listPage =
      inKindFolder === undefined ? null : LIST_PAGE.exec(inKindFolder);
    if (file === META_FILE) description.push(file);
    else if (inKindFolder === undefined) others.push(file);
    // The first list page has no offset in its path.
    else if (listPage) listPages.push({ file, offset: Number(listPage[1] ?? 0) });
    else records.push(file);
  }
  listPages.sort((one, other) => other.offset - one.offset);
  const sortedListPages = listPages.map(({ file }) => file);
  return [...records, ...sortedListPages, ...others, ...description];
}
