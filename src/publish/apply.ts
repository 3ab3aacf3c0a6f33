import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Entries } from '../contract/meta.ts';
import { API_PREFIX, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, isInFolders, listParentFolders, readStatus } from '../files.ts';
import type { Lock, LockedPaths } from './lock.ts';
import { setPermission, setPermissions } from './permissions.ts';
import { listOwnFiles, readFileList } from './read-published.ts';
import { flush, flushAll } from './stage.ts';
import type { WorkPaths } from './work-paths.ts';

export function listRemoved(out: string, published: Entries, next: Iterable<string>): string[] {
  const isKept = createLookup(out, next);
  return [...published.keys()].filter((file) => !isKept(file));
}

/** Looks up paths in a list. On a file system that ignores case, `a` and `A` are the same file. */
function createLookup(out: string, files: Iterable<string>): (file: string) => boolean {
  const byKey = new Map(Array.from(files, (file) => [file.toLowerCase(), file]));
  return (file) => {
    const listed = byKey.get(file.toLowerCase());
    if (listed === undefined || listed === file) return listed === file;
    const [one, other] = [file, listed].map((name) => readStatus(path.join(out, name)));
    return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
  };
}

interface Change {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** @throws OutputError if a file not written by gamedata is in the way, or a folder cannot be changed */
export function assertApplicable(paths: WorkPaths, published: Entries, change: Change): void {
  const isFirstSite = published.size === 0 && !fs.existsSync(paths.out);
  if (isFirstSite) return;
  const obstacles = findObstacles(paths.out, published, change);
  if (obstacles.length > 0) {
    const problem = `contains files that gamedata did not write: ${listFirst(obstacles, 5)}`;
    const hint = 'Move them elsewhere, or into public/ to make them part of the site.';
    throw new OutputError(problem, paths.name, { hint });
  }
  const folders = listParentFolders([...change.added, ...change.removed]);
  for (const file of change.removed) folders.delete(file);
  for (const folder of folders) assertWritable(paths, folder);
}

function findObstacles(out: string, published: Entries, { added, removed }: Change): string[] {
  const isOwn = createLookup(out, [...published.keys(), MANIFEST_FILE]);
  const [folders, emptied] = [listParentFolders([...published.keys()]), listParentFolders(removed)];
  const isInPlaceOfFolder = (name: string): boolean =>
    !folders.has(name) && !isOwn(name) && readStatus(path.join(out, name))?.isDirectory() === false;
  const findInPlaceOfFile = (name: string): string[] => {
    const file = path.join(out, name);
    const status = readStatus(file);
    if (!status?.isDirectory()) return !status || isOwn(name) ? [] : [name];
    if (!emptied.has(name)) return [`${name}/`];
    return fs.readdirSync(file).flatMap((inside) => findInPlaceOfFile(`${name}/${inside}`));
  };
  return [
    ...[...listParentFolders(added)].filter(isInPlaceOfFolder),
    ...added.flatMap(findInPlaceOfFile),
  ];
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

/** Moves the files of a committed change into place. Can be interrupted and repeated at any time. */
export function applyChange(paths: LockedPaths): void {
  const { name, out, staging, setAside, lock } = paths;
  const apply = fs.existsSync(out) ? replaceFiles : createFolder;
  const hint =
    'It is partly the new site. Remove the cause, and run the command again to complete it.';
  explainFailure('cannot be completed', name, () => apply(paths), hint);
  attempt(() => removeAll([setAside, staging], lock));
}

export function removeAll(files: readonly string[], lock: Lock): void {
  for (const file of files) {
    lock.assertHeld();
    fs.rmSync(file, { recursive: true, force: true });
  }
}

function createFolder({ name, out, staged, lock, permissions }: LockedPaths): void {
  setPermission(staged, permissions);
  lock.assertHeld();
  explainFailure('cannot be created', name, () => fs.renameSync(staged, out));
  flush(path.dirname(out));
}

function replaceFiles(paths: LockedPaths): void {
  const { out, staged, lock, permissions } = paths;
  const next = readFileList(staged)?.map((entry) => entry.path);
  if (!next) throw new OutputError('is not a valid manifest', path.join(staged, MANIFEST_FILE));
  const added = sortByLinks(next.filter((file) => fs.existsSync(path.join(staged, file))));
  const removed = listRemoved(out, listOwnFiles(paths, readFileList(out) ?? []), next);
  const [files, folders] = [new Set(added), listParentFolders(added)];
  // A file where a folder goes, or in a folder where a file goes, must be removed before files are moved.
  const isInTheWay = (file: string): boolean =>
    folders.has(file) || [...listParentFolders([file])].some((folder) => files.has(folder));
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
      throw new OutputError('is below a symbolic link', path.join(paths.name, file));
    if (isNewFolder) setPermissions(out, [file], permissions);
    fs.renameSync(path.join(staged, file), target);
  };
  removed.filter(isInTheWay).forEach(remove);
  added.forEach(move);
  removed.forEach(remove);
  // Otherwise a power cut could leave the new manifest without the other renames.
  flushAll(out, [...added, ...removed]);
  move(MANIFEST_FILE);
  flush(out);
}

/** Sorts files so that links always resolve: records, list pages from last to first, other files, `meta.json`. */
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
