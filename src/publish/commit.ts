/**
 * The commit record: how the published site becomes the staged one, file by file. Once it is there, the new site is certain, and
 * whoever publishes there next finishes the work, if the folder is still the one that the record is about. Before, everything
 * staged is dropped.
 */

import { spawnSync } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { kindNames } from '../contract/kinds.ts';
import { isSitePath, manifestReader } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import { listPath, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { errorCode } from '../errors.ts';
import { attempt, explained, foldersOf, readFile, statusOf } from '../files.ts';
import { entriesOf } from '../sources/site/read.ts';
import { stillLocked } from './lock.ts';
import { type Modes, mend } from './modes.ts';
import { readWorkingFile, refuseStrangers, type WorkFolders } from './work-folders.ts';

const pathSchema = z.string().refine(isSitePath);
const changeSchema = z.object({
  /** The SHA-256 of the manifest that is replaced; null if there is none. Records of earlier versions do not say. */
  before: z.string().nullable().optional(),
  /** The staged files, in the order in which they are put into place. The new manifest, which comes last, has their hashes. */
  place: z.array(pathSchema),
  /** The published files that the new site does not have. */
  remove: z.array(pathSchema),
  /** The SHA-256 of the new manifest. */
  manifest: z.string(),
});
export type Change = z.infer<typeof changeSchema>;

/**
 * Puts the staged files into place: from when the record is on disk, the new site is certain. Links stay true at every moment: records
 * come before the pages that list them, later pages before those that lead to them, then what is made of them, and what describes the
 * site at last.
 */
export function commit(folders: WorkFolders, change: Change, modes: Modes | undefined): void {
  const ranked = (wanted: number): string[] => change.place.filter((file) => rank(file) === wanted);
  const place = [...ranked(0), ...ranked(1).reverse(), ...ranked(2), ...ranked(3), ...ranked(4)];
  flushAll(folders.fresh, place);
  writeRecord(folders, { ...change, place });
  rollForward(folders, { ...change, place }, modes);
}

function rank(file: string): number {
  if (file === MANIFEST_FILE) return 4;
  if (file === META_FILE) return 3;
  const list = kindNames.map((kind) => listPath(kind).slice(1)).find((folder) => file.startsWith(folder));
  if (!list) return 2;
  const below = file.slice(list.length);
  return below.startsWith('offset/') || !below.includes('/') ? 1 : 0;
}

function writeRecord(folders: WorkFolders, content: object): void {
  const draft = stillLocked(folders).trash + randomUUID();
  writeFileSync(draft, JSON.stringify(content));
  flush(draft);
  renameSync(draft, stillLocked(folders).commit);
  flush(path.dirname(draft));
}

/**
 * Whether a record is about the folder: its manifest is the old one or the new one, and everything that the record places is staged
 * or in place. It is not if, for example, a copy has been restored there.
 *
 * @returns the files that the record places, and what is still to be done if it is about the folder; undefined if there is no record
 */
export function judge(folders: WorkFolders) {
  const { out, fresh, commit: record } = folders;
  if (!existsSync(record)) return undefined;
  const json = parseJson(readWorkingFile(folders, record));
  const change = changeSchema.safeParse(json).data;
  // What is left of a record that was not about the folder: which files its build may have put there.
  const left = z.object({ dropped: manifestReader.shape.files }).safeParse(json).data;
  if (!change) return { files: left?.dropped ?? [] };
  const published = hashOf(out, MANIFEST_FILE);
  // A build may be at work, which renames one file after the other: what is not staged any more is in place.
  const holder = [fresh, out].find((folder) => hashOf(folder, MANIFEST_FILE) === change.manifest);
  const text = holder === undefined ? '' : `${readFile(holder, MANIFEST_FILE)}`;
  const files = manifestReader.safeParse(parseJson(text)).data?.files ?? [];
  const hashes = new Map(files.map(({ path: file, sha256 }) => [file, sha256]));
  hashes.set(MANIFEST_FILE, change.manifest);
  const isThere = (file: string): boolean =>
    [fresh, out].some((folder) => hashes.has(file) && hashOf(folder, file) === hashes.get(file));
  const isAbout =
    change.before === undefined || [change.before ?? undefined, change.manifest].includes(published);
  return isAbout && change.place.every(isThere) ? { change, files } : { files };
}

/** Undefined if there is no such file. */
const hashOf = (folder: string, file: string): string | undefined =>
  attempt(() => hash('sha256', readFile(folder, file)), 'ENOENT', 'ENOTDIR', 'not a regular file');

/**
 * Ends what an interrupted build left, as often as it is interrupted itself: finishes what was committed, or drops what is not about
 * the folder as it is; everything else is trash. Only for the holder of the lock.
 *
 * @returns whether a build was finished; and the files that a dropped record has placed, which are not foreign in the folder
 */
export function recover(folders: WorkFolders, modes: Modes | undefined) {
  const { name, fresh, commit: record, received } = folders;
  refuseStrangers(folders.out, [fresh, record, received]);
  const judged = judge(folders);
  if (judged?.change) rollForward(folders, judged.change, modes);
  else if (judged) writeRecord(folders, { dropped: judged.files });
  explained('cannot be recovered from an interrupted build', name, () => {
    if (existsSync(fresh)) renameSync(fresh, stillLocked(folders).trash + randomUUID());
  });
  const isFinished = judged?.change !== undefined;
  return { isFinished, dropped: judged && !isFinished ? entriesOf(judged) : undefined };
}

/**
 * Removes trash as far as it can be removed, and never fails: what was published does not depend on it.
 *
 * @returns the folders that are left, which the next build tries to remove again
 */
export function removeTrash(folders: WorkFolders): string[] {
  const parent = path.dirname(folders.trash);
  // A folder may be entered and not be listed.
  const files = (attempt(() => readdirSync(parent)) ?? []).map((name) => path.join(parent, name));
  const isRemoved = (file: string) =>
    attempt(() => stillLocked(folders) && rmSync(file, { recursive: true, force: true }) === undefined);
  return files.filter((file) => file.startsWith(folders.trash) && !isRemoved(file));
}

function rollForward(folders: WorkFolders, { place, remove }: Change, modes: Modes | undefined): void {
  const { name, out } = folders;
  const hint =
    'It is partly the new site. Remove the cause, and run the command again: it goes on where this one stopped.';
  const [files, above] = [new Set(place), foldersOf(place)];
  // A new folder takes the place of the file, or a new file that of a folder above it.
  const isInTheWay = (file: string): boolean =>
    above.has(file) || [...foldersOf([file])].some((folder) => files.has(folder));
  const change = (): void => {
    for (const file of remove.filter(isInTheWay)) removeFile(stillLocked(folders), file);
    for (const file of place) putInPlace(stillLocked(folders), file, modes);
    for (const file of remove) removeFile(stillLocked(folders), file);
    // Else the record could be gone on disk, and the renames not be there.
    flushAll(out, [...place, ...remove]);
    unlinkSync(stillLocked(folders).commit);
  };
  explained('cannot be completed', name, change, hint);
}

function putInPlace(folders: WorkFolders, file: string, modes: Modes | undefined): void {
  const [staged, published] = [path.join(folders.fresh, file), path.join(folders.out, file)];
  try {
    renameSync(staged, published);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    if (existsSync(staged)) {
      mkdirSync(path.dirname(published), { recursive: true });
      renameSync(path.join(stillLocked(folders).fresh, file), published);
      if (modes) mend(folders.out, [file], modes);
    } else if (!existsSync(published)) throw error;
  }
}

/** Removes a file, and the folders that are empty without it. What has taken its place stays. */
function removeFile({ out }: WorkFolders, name: string): void {
  const file = path.join(out, name);
  if (statusOf(file)?.isDirectory() === false) unlinkSync(file);
  for (let folder = path.dirname(file); folder !== out; folder = path.dirname(folder))
    attempt(() => rmdirSync(folder));
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
  // For example, what has just been removed, and folders on Windows, cannot be opened.
  const descriptor = attempt(() => openSync(file, 'r'), 'ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES');
  if (descriptor === undefined) return;
  try {
    attempt(() => fsyncSync(descriptor), 'EINVAL', 'EPERM', 'ENOTSUP', 'EROFS');
  } finally {
    closeSync(descriptor);
  }
}
