import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { entriesByPath } from '../built/verified-files.ts';
import type { Entries } from '../contract/meta.ts';
import { API_PREFIX, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, isInFolders, listParentFolders, readStatus } from '../files.ts';
import type { LockedPaths } from './lock.ts';
import { setPermission, setPermissions } from './permissions.ts';
import { hashFile, readFileList } from './read-published.ts';
import { flush, flushAll } from './stage.ts';
import type { StagingFolder } from './staging.ts';
import type { WorkPaths } from './work-paths.ts';

/** What a change does to a folder, apart from replacing the manifest. */
export interface Change {
  /** The files of the published manifest. Only these may be replaced or removed. */
  readonly published: Entries;
  /** The paths of all files of the new site. */
  readonly next: readonly string[];
  /** The paths of the staged files, which are moved into place. */
  readonly added: readonly string[];
  /** The paths of published files that the new site lacks. */
  readonly removed: readonly string[];
}

/**
 * Reads what is left to do of a committed change: its files that are still staged, and published
 * files that it lacks.
 */
export function readChange({ out, staged }: WorkPaths): Change {
  const next = readFileList(staged)?.map((entry) => entry.path);
  if (!next) throw new OutputError('is not a valid manifest', path.join(staged, MANIFEST_FILE));
  const published = entriesByPath({ files: readFileList(out) ?? [] });
  return {
    published,
    next,
    added: next.filter((file) => isStaged(staged, file)),
    removed: listRemoved(out, published, next),
  };
}

/**
 * Whether a file is staged. A symlink may lead to other files of this user, which must stay where
 * they are.
 */
const isStaged = (staged: string, file: string): boolean =>
  isInFolders(staged, file) && readStatus(path.join(staged, file))?.isFile() === true;

/** Lists the published files that a new site lacks. */
export function listRemoved(out: string, published: Entries, next: Iterable<string>): string[] {
  const isKept = createLookup(out, next);
  return [...published.keys()].filter((file) => !isKept(file));
}

/** Looks up paths in a list. On a file system that ignores case, `a` and `A` are the same file. */
function createLookup(out: string, files: Iterable<string>): (file: string) => boolean {
  const byKey = new Map<string, string>();
  for (const file of files) byKey.set(file.toLowerCase(), file);
  return (file) => {
    const listed = byKey.get(file.toLowerCase());
    if (listed === undefined || listed === file) return listed === file;
    const [one, other] = [file, listed].map((name) => readStatus(path.join(out, name)));
    return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
  };
}

/**
 * Checks that a change can be applied: nothing that gamedata did not write is in its way, and every
 * folder can be changed. A build checks this before it commits the change, and recovery checks it
 * again, because files may have come since.
 *
 * @throws OutputError if a file is in the way, or a folder cannot be changed
 */
export function assertApplicable(paths: WorkPaths, change: Change): void {
  if (!fs.existsSync(paths.out)) return;
  const obstacles = findObstacles(paths, change);
  if (obstacles.length > 0) {
    const problem = `contains files that gamedata did not write: ${listFirst(obstacles, 5)}`;
    const hint = 'Move them elsewhere, or into public/ to make them part of the site.';
    throw new OutputError(problem, paths.name, { hint });
  }
  const knownFiles = new Set([...change.removed, ...change.next]);
  for (const folder of listParentFolders([...change.added, ...change.removed])) {
    // The change replaces this file by a folder, or it has already replaced a folder by this file.
    const isFile = readStatus(path.join(paths.out, folder))?.isDirectory() === false;
    if (isFile && knownFiles.has(folder)) continue;
    assertWritable(paths, folder);
  }
}

/** Finds files where the change needs folders, and files or folders where it adds files. */
function findObstacles({ out, staged }: WorkPaths, change: Change): string[] {
  const { published, removed } = change;
  const added = [...change.added, MANIFEST_FILE];
  const publishedFolders = listParentFolders([...published.keys()]);
  const emptiedFolders = listParentFolders(removed);
  const isListed = createLookup(out, [...published.keys(), MANIFEST_FILE]);
  // A change that was discarded may have moved this file into place.
  const isSameAsStaged = (name: string): boolean => {
    const stagedHash = hashFile(staged, name);
    return stagedHash !== undefined && stagedHash === hashFile(out, name);
  };
  const isOwn = (name: string): boolean => isListed(name) || isSameAsStaged(name);
  const obstacles: string[] = [];

  const checkFolder = (name: string): void => {
    const status = readStatus(path.join(out, name));
    if (!status || status.isDirectory()) return;
    if (!publishedFolders.has(name) && !isOwn(name)) obstacles.push(name);
  };
  const checkFile = (name: string): void => {
    const status = readStatus(path.join(out, name));
    if (!status) return;
    if (!status.isDirectory()) {
      if (!isOwn(name)) obstacles.push(name);
      return;
    }
    // The change removes all files that it knows in this folder, and then the folder.
    if (!emptiedFolders.has(name)) obstacles.push(`${name}/`);
    else for (const inside of fs.readdirSync(path.join(out, name))) checkFile(`${name}/${inside}`);
  };

  for (const folder of listParentFolders(added)) checkFolder(folder);
  for (const file of added) checkFile(file);
  return obstacles;
}

function assertWritable({ name, out, staging }: WorkPaths, inside: string): void {
  const folder = path.join(out, inside);
  const shown = path.join(name, inside);
  const status = readStatus(folder);
  if (!status && inside !== '.') return;
  if (status?.isDirectory() === false) throw new OutputError('is not a folder any more', shown);
  const access = fs.constants.W_OK | fs.constants.X_OK;
  explainFailure('cannot be written', shown, () => fs.accessSync(folder, access));
  const hint =
    'Its parent folder must be writable, and the folder itself must not be a mount point.';
  // The system reports EXDEV even though neither file exists.
  const rename = (): void =>
    fs.renameSync(`${staging}-${randomUUID()}`, path.join(folder, randomUUID()));
  explainFailure('cannot be replaced', shown, () => attempt(rename, 'ENOENT'), hint);
}

/**
 * Moves the files of a committed change into place. A first site is renamed as a whole. Otherwise
 * files are replaced one by one, in an order that keeps links valid, and the manifest last. Can be
 * interrupted and repeated at any time.
 */
export function applyChange(paths: LockedPaths, staging: StagingFolder): void {
  const { name, out } = paths;
  const hint =
    'It is partly the new site. Remove the cause, and run the command again to complete it.';
  explainFailure(
    'cannot be completed',
    name,
    () => {
      staging.assertSame();
      if (fs.existsSync(out)) replaceFiles(paths);
      else createFolder(paths);
    },
    hint,
  );
}

function createFolder({ name, out, staged, lock, permissions }: LockedPaths): void {
  setPermission(staged, permissions);
  lock.assertHeld();
  explainFailure('cannot be created', name, () => fs.renameSync(staged, out));
  flush(path.dirname(out));
}

/**
 * Removes files that are in the way, moves the staged files, and removes the other files that the
 * new site lacks.
 */
function replaceFiles(paths: LockedPaths): void {
  const { name, out, staged, lock, permissions } = paths;
  const { added, removed } = readChange(paths);
  const addedFiles = new Set(added);
  const addedFolders = listParentFolders(added);
  // A file where a folder goes, or in a folder where a file goes.
  const isInTheWay = (file: string): boolean =>
    addedFolders.has(file) || [...listParentFolders([file])].some((above) => addedFiles.has(above));

  const remove = (file: string): void => {
    lock.assertHeld();
    // A file below a symlink stays, and so does a folder in place of the file.
    if (!isInFolders(out, file)) return;
    const target = path.join(out, file);
    if (readStatus(target)?.isDirectory() === false) fs.unlinkSync(target);
    for (let folder = path.dirname(target); folder !== out; folder = path.dirname(folder))
      attempt(() => fs.rmdirSync(folder));
  };
  const move = (file: string): void => {
    lock.assertHeld();
    const target = path.join(out, file);
    const isNewFolder = fs.mkdirSync(path.dirname(target), { recursive: true }) !== undefined;
    if (!isInFolders(out, file))
      throw new OutputError('is below a symbolic link', path.join(name, file));
    if (isNewFolder) setPermissions(out, [file], permissions);
    fs.renameSync(path.join(staged, file), target);
  };

  for (const file of removed.filter(isInTheWay)) remove(file);
  for (const file of sortByLinks(added)) move(file);
  for (const file of removed) remove(file);
  // Otherwise a power cut could leave the new manifest without the other renames.
  flushAll(out, [...added, ...removed]);
  move(MANIFEST_FILE);
  flush(out);
}

/**
 * Sorts files so that links always resolve: records, list pages from last to first, other files,
 * `meta.json`.
 */
function sortByLinks(files: readonly string[]): string[] {
  const inList = new RegExp(`^${API_PREFIX.slice(1)}[^/]+/(.+)$`);
  const rank = (file: string): number => {
    if (file === META_FILE) return 3;
    const [, inKind] = inList.exec(file) ?? [];
    if (inKind === undefined) return 2;
    return /^(?:offset\/\d+\/)?index\.json$/.test(inKind) ? 1 : 0;
  };
  const { compare } = new Intl.Collator('en', { numeric: true });
  const byRank = (a: string, b: string): number =>
    rank(a) - rank(b) || (rank(a) === 1 ? compare(b, a) : 0);
  return files.toSorted(byRank);
}
