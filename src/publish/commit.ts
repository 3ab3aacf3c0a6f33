/**
 * The commit record: how the published site becomes the staged one, file by file. Once it is there, the new site is certain:
 * whoever opens the folder next finishes the work. Before, everything staged is dropped.
 */

import { hash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type Kind, kindNames } from '../contract/kinds.ts';
import { isSitePath } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import { listPath, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { readFile } from '../files.ts';
import { flush } from './flush.ts';
import type { WorkFolders } from './work-folders.ts';

const pathSchema = z.string().refine(isSitePath);
const changeSchema = z.object({
  /** The staged files, in the order in which they are put into place. */
  place: z.array(pathSchema),
  /** The published files that the new site does not have. */
  remove: z.array(pathSchema),
  /** The SHA-256 of the new manifest, which is put into place last. */
  manifest: z.string(),
});
export type Change = z.infer<typeof changeSchema>;

/** Whether staged files can be renamed into the published folder: not if that is a mount point. */
export function canPlace({ out, trash }: WorkFolders): boolean {
  const probe = trash + randomUUID();
  try {
    linkSync(path.join(out, MANIFEST_FILE), probe);
  } catch (error) {
    return errorCode(error) !== 'EXDEV';
  }
  unlinkSync(probe);
  return true;
}

/**
 * Makes the new site certain: on disk are every staged file, and the record of what is done with them.
 *
 * @throws OutputError if a folder cannot be written; nothing is certain then
 */
export function commit(work: WorkFolders, { place, remove, manifest }: Change): void {
  const { name: target, out, fresh, commit: record, trash } = work;
  const folders = foldersOf([...place, ...remove]);
  for (const folder of folders) checkFolder(path.join(out, folder), path.join(target, folder));
  for (const name of place) {
    if (isFolder(path.join(out, name)))
      throw new OutputError('is a folder, expected a file', path.join(target, name));
    flush(path.join(fresh, name));
  }
  for (const folder of foldersOf(place)) flush(path.join(fresh, folder));
  const draft = trash + randomUUID();
  writeFileSync(draft, JSON.stringify({ place: inOrder(place), remove, manifest } satisfies Change));
  flush(draft);
  renameSync(draft, record);
  flush(path.dirname(record));
}

const isFolder = (file: string): boolean | undefined =>
  lstatSync(file, { throwIfNoEntry: false })?.isDirectory();

/** Throws if a folder of the site cannot be changed, or has become something else. It may be missing. */
function checkFolder(folder: string, name: string): void {
  const isThere = isFolder(folder);
  if (isThere === undefined) return;
  if (!isThere) throw new OutputError('is not a folder any more', name);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new OutputError(`cannot be written (${errorCode(cause)})`, name, { cause });
  }
}

/** Finishes what was committed, as often as it is interrupted; does nothing if there is nothing to finish. */
export function rollForward({ name, out, fresh, commit: record }: WorkFolders): void {
  if (!existsSync(record)) return;
  try {
    const { place, remove, manifest } = changeSchema.parse(parseJson(readFileSync(record, 'utf8')));
    for (const file of place) putInPlace(path.join(fresh, file), path.join(out, file));
    // A staged file that is not there has been put into place, unless somebody deleted the stage.
    if (hash('sha256', readFile(out, MANIFEST_FILE)) !== manifest)
      throw new Error(
        `its staged files are gone: delete ${record}, build again, and move away what that build names`,
      );
    for (const file of remove) removeFile(out, path.join(out, file));
    // Else the record could be gone on disk, and the renames not be there.
    for (const folder of foldersOf([...place, ...remove])) flush(path.join(out, folder));
    unlinkSync(record);
  } catch (cause) {
    throw new OutputError(`cannot be completed (${errorCode(cause) || (cause as Error).message})`, name, {
      cause,
      hint: 'It is partly the new site. Remove the cause, and run the command again: it goes on where this one stopped.',
    });
  }
}

/**
 * Links stay true at every moment: records come before the pages that list them, later pages before those that lead to
 * them, then what is made of them, and what describes the site at last. Removals follow.
 */
function inOrder(place: readonly string[]): string[] {
  const groups: string[][] = [[], [], [], [], []];
  for (const file of place) groups[rank(file)]?.push(file);
  groups[1]?.reverse();
  return groups.flat();
}

function rank(file: string): number {
  if (file === MANIFEST_FILE) return 4;
  if (file === META_FILE) return 3;
  const kind = kindNames.find((of) => file.startsWith(folderOf(of)));
  if (!kind) return 2;
  const below = file.slice(folderOf(kind).length);
  return below.startsWith('offset/') || !below.includes('/') ? 1 : 0;
}

/** Every folder above some files. */
export function foldersOf(files: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let folder = path.posix.dirname(file); ; folder = path.posix.dirname(folder)) {
      folders.add(folder);
      if (folder === '.') break;
    }
  return folders;
}

const folderOf = (kind: Kind): string => listPath(kind).slice(1);

function putInPlace(staged: string, published: string): void {
  try {
    renameSync(staged, published);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    if (existsSync(staged)) {
      mkdirSync(path.dirname(published), { recursive: true });
      renameSync(staged, published);
    } else if (!existsSync(published)) throw error;
  }
}

/** Removes a file, and the folders that are empty without it. */
function removeFile(out: string, file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  for (let folder = path.dirname(file); folder !== out; folder = path.dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return;
    }
  }
}
