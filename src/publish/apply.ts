/** Applying a committed change: staged files are moved into place, and files that the new site lacks are removed. */

import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { kindNames } from '../contract/kinds.ts';
import type { Entries } from '../contract/meta.ts';
import { listPath, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, listParentFolders, readStatus } from '../files.ts';
import { flush, flushAll } from './flush.ts';
import type { Lock } from './lock.ts';
import { type Permissions, setPermission, setPermissions } from './permissions.ts';
import { listOwnFiles, readFileList } from './read-published.ts';
import type { WorkPaths } from './work-paths.ts';

/** Lists the published files that the new site lacks. */
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

/**
 * Checks that a change can be applied, because files not written by gamedata are never replaced.
 *
 * @throws OutputError if such a file is in the place of a new one, or a folder cannot be changed
 */
export function assertNoObstacles(
  paths: WorkPaths,
  published: Entries,
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): void {
  const isFirstSite = published.size === 0 && !existsSync(paths.out);
  if (isFirstSite) return;
  const folders = listParentFolders(removed);
  const isOwn = createLookup(paths.out, [...published.keys(), MANIFEST_FILE]);
  // Folders that are empty after the removals are no obstacles.
  const findObstacles = (name: string): string[] => {
    const file = path.join(paths.out, name);
    const status = readStatus(file);
    if (!status?.isDirectory()) return !status || isOwn(name) ? [] : [name];
    if (!folders.has(name)) return [`${name}/`];
    return readdirSync(file).flatMap((inside) => findObstacles(`${name}/${inside}`));
  };
  const obstacles = added.flatMap(findObstacles);
  if (obstacles.length > 0) {
    const problem = `contains files that gamedata did not write: ${listFirst(obstacles, 5)}`;
    const hint = 'Move them elsewhere, or into public/ to make them part of the site.';
    throw new OutputError(problem, paths.name, { hint });
  }
  const files = new Set(removed);
  for (const folder of listParentFolders([...added, ...removed]))
    if (!files.has(folder)) assertWritable(paths, folder);
}

/** Folders inside the site may be missing. */
function assertWritable({ name, out, staging }: WorkPaths, inside: string): void {
  const folder = path.join(out, inside);
  const shown = path.join(name, inside);
  const status = readStatus(folder);
  if (!status && inside !== '.') return;
  if (status?.isDirectory() === false) throw new OutputError('is not a folder any more', shown);
  explainFailure('cannot be written', shown, () => accessSync(folder, constants.W_OK | constants.X_OK));
  const hint = 'Its parent folder must be writable, and the folder itself must not be a mount point.';
  // Neither file exists, but the system reports first if they would be on different file systems.
  const rename = (): void => renameSync(`${staging}-${randomUUID()}`, path.join(folder, randomUUID()));
  explainFailure('cannot be replaced', shown, () => attempt(rename, 'ENOENT'), hint);
}

/** Applies the committed change. May be interrupted and repeated at any time. */
export function applyStaged(paths: WorkPaths, lock: Lock, permissions: Permissions): void {
  const { name, out, staging, setAside } = paths;
  const apply = existsSync(out) ? replaceFiles : createFolder;
  const hint =
    'It is partly the new site. Remove the cause, and run the command again: it continues where this one stopped.';
  explainFailure('cannot be completed', name, () => apply(paths, lock, permissions), hint);
  attempt(() => removeAll([setAside, staging], lock));
}

export function removeAll(files: readonly string[], lock: Lock): void {
  for (const file of files) {
    lock.assertHeld();
    rmSync(file, { recursive: true, force: true });
  }
}

function createFolder({ name, out, staged }: WorkPaths, lock: Lock, permissions: Permissions): void {
  setPermission(staged, permissions);
  lock.assertHeld();
  explainFailure('cannot be created', name, () => renameSync(staged, out));
  flush(path.dirname(out));
}

function replaceFiles(paths: WorkPaths, lock: Lock, permissions: Permissions): void {
  const { out, staged } = paths;
  const next = readFileList(staged)?.map((entry) => entry.path);
  if (!next) throw new OutputError('is not a valid manifest', path.join(staged, MANIFEST_FILE));
  const added = sortByLinks(next.filter((file) => existsSync(path.join(staged, file))));
  const removed = listRemoved(out, listOwnFiles(paths, readFileList(out) ?? []), next);
  const [files, folders] = [new Set(added), listParentFolders(added)];
  const isInTheWay = (file: string): boolean =>
    folders.has(file) || [...listParentFolders([file])].some((folder) => files.has(folder));
  const remove = (file: string): void => {
    lock.assertHeld();
    removeFile(out, file);
  };
  const move = (file: string): void => {
    lock.assertHeld();
    const target = path.join(out, file);
    const isNewFolder = mkdirSync(path.dirname(target), { recursive: true }) !== undefined;
    if (isNewFolder) setPermissions(out, [file], permissions);
    renameSync(path.join(staged, file), target);
  };
  removed.filter(isInTheWay).forEach(remove);
  added.forEach(move);
  removed.forEach(remove);
  // Otherwise a power cut could leave the new manifest without the other renames.
  flushAll(out, [...added, ...removed]);
  move(MANIFEST_FILE);
  flush(out);
}

/** Sorts files so that links always resolve: records precede the pages that list them, and pages precede the pages that link to them. */
function sortByLinks(files: readonly string[]): string[] {
  const lists = kindNames.map((kind) => listPath(kind).slice(1));
  const rank = (file: string): number => {
    if (file === META_FILE) return 3;
    const list = lists.find((folder) => file.startsWith(folder));
    if (!list) return 2;
    const rest = file.slice(list.length);
    return rest.startsWith('offset/') || !rest.includes('/') ? 1 : 0;
  };
  const ranked = (wanted: number): string[] => files.filter((file) => rank(file) === wanted);
  const { compare } = new Intl.Collator('en', { numeric: true });
  const lastPageFirst = ranked(1).sort((a, b) => compare(b, a));
  return [...ranked(0), ...lastPageFirst, ...ranked(2), ...ranked(3)];
}

/** Removes a file, and the folders that are empty without it. A folder in the file's place stays. */
function removeFile(out: string, name: string): void {
  const file = path.join(out, name);
  if (readStatus(file)?.isDirectory() === false) unlinkSync(file);
  for (let folder = path.dirname(file); folder !== out; folder = path.dirname(folder))
    attempt(() => rmdirSync(folder));
}
