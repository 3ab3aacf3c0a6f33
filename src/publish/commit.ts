/**
 * The commit record: how the published site becomes the staged one, file by file. Once it is there, the new site is certain:
 * whoever opens the folder next finishes the work. Before, everything staged is dropped.
 */

import { spawnSync } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { isSitePath } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { readFile, statusOf } from '../files.ts';
import { foldersOf, inOrder } from './site-paths.ts';
import { readWorkingFile, type WorkFolders } from './work-folders.ts';

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

/** Makes the new site certain: on disk are every staged file, and the record of what is done with them. */
export function commit({ fresh, commit: record, trash }: WorkFolders, change: Change): void {
  flushAll(fresh, change.place);
  const draft = trash + randomUUID();
  writeFileSync(draft, JSON.stringify({ ...change, place: inOrder(change.place) }));
  flush(draft);
  renameSync(draft, record);
  flush(path.dirname(record));
}

/** Finishes what was committed, as often as it is interrupted; does nothing if there is nothing to finish. */
export function rollForward(folders: WorkFolders): void {
  const { name, out, fresh, commit: record } = folders;
  if (!existsSync(record)) return;
  try {
    const { place, remove, manifest } = changeSchema.parse(parseJson(readWorkingFile(folders, record)));
    for (const file of inTheWay({ place, remove })) removeFile(out, file);
    for (const file of place) putInPlace(path.join(fresh, file), path.join(out, file));
    // A staged file that is not there has been put into place, unless somebody deleted the stage.
    if (hash('sha256', readFile(out, MANIFEST_FILE)) !== manifest)
      throw new Error(
        `its staged files are gone: delete ${record}, build again, and move away what that build names`,
      );
    for (const file of remove) removeFile(out, file);
    // Else the record could be gone on disk, and the renames not be there.
    flushAll(out, [...place, ...remove]);
    unlinkSync(record);
  } catch (cause) {
    if (cause instanceof OutputError) throw cause;
    throw new OutputError(`cannot be completed (${errorCode(cause) || (cause as Error).message})`, name, {
      cause,
      hint: 'It is partly the new site. Remove the cause, and run the command again: it goes on where this one stopped.',
    });
  }
}

/** The removed files that have to go first: a new folder takes the place of the file, or a new file that of a folder above it. */
function inTheWay({ place, remove }: Pick<Change, 'place' | 'remove'>): string[] {
  const files = new Set(place);
  const folders = foldersOf(place);
  return remove.filter(
    (file) => folders.has(file) || [...foldersOf([file])].some((folder) => files.has(folder)),
  );
}

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

/** Removes a file, and the folders that are empty without it. What has taken its place stays. */
function removeFile(out: string, name: string): void {
  const file = path.join(out, name);
  if (statusOf(file)?.isDirectory() === false) unlinkSync(file);
  for (let folder = path.dirname(file); folder !== out; folder = path.dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return;
    }
  }
}

/**
 * Waits until some files of a folder are on disk, and the folders above them. One command, where there is one, takes less
 * than a call for each of thousands of files.
 */
export function flushAll(folder: string, files: readonly string[]): void {
  if (spawnSync('sync', ['-f', folder], { stdio: 'ignore' }).status === 0) return;
  for (const file of [...files, ...foldersOf(files)]) flush(path.join(folder, file));
}

/** Waits until a file or a folder is on disk, where the system knows how to. */
export function flush(file: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    // For example, what has just been removed, and folders on Windows.
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'].includes(errorCode(error))) return;
    throw error;
  }
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EROFS'].includes(errorCode(error))) throw error;
  } finally {
    closeSync(descriptor);
  }
}
