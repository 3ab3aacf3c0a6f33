/** Publishes files into a folder: whatever happens, the folder holds the complete old site or the complete new one. */

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FORMAT, type Making, type Manifest, type ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import type { AnyFile } from '../contract/site-file.ts';
import { counted } from '../contract/words.ts';
import { errorCode, explainSystemError, OutputError } from '../errors.ts';
import { isInside, readText, statusOf } from '../files.ts';
import { PRODUCT } from '../version.ts';
import {
  type Change,
  commit,
  flush,
  flushAll,
  judge,
  type Recovered,
  recoverChange,
  removeRecord,
  rollForward,
} from './commit.ts';
import { acquireLock, type LockOptions } from './lock.ts';
import { give, type Modes, mend, modesOf } from './modes.ts';
import { refuseObstacles } from './obstacles.ts';
import { entryOf, type Published, readPublished } from './published.ts';
import { type StageOptions, stageFile, stageFiles } from './stage.ts';
import { refuseStrangers, type WorkFolders, workFolders } from './work-folders.ts';

export interface PublishResult {
  /** False if the folder already held exactly this site, and was not touched. */
  readonly changed: boolean;
  /** All files including the manifest, and their total size. */
  readonly files: number;
  readonly bytes: number;
  readonly written: number;
  readonly kept: number;
  /** Files of the old site that the new one does not have. */
  readonly removed: number;
  /** Work folders that could not be removed. */
  readonly leftovers: readonly string[];
}

export interface Output {
  /** The published folder, absolute, and as the user named it. */
  readonly folder: string;
  readonly name: string;
  readonly published: Published;
  /** What became of an interrupted build, and what could not be done about modes, in sentences. */
  readonly notices: readonly string[];
  /** Those of published files; undefined where there are none. */
  readonly modes: Modes | undefined;
  /**
   * The result of publishing again what is published: undefined unless that was made by the same code from the same inputs,
   * and no file has been touched since.
   */
  confirm(making: Required<Making>): PublishResult | undefined;
  /** Replaces the published site with these files, in one pass over them. */
  publish(files: Iterable<AnyFile>, options?: PublishOptions): Promise<PublishResult>;
}

export interface PublishOptions {
  readonly signal?: AbortSignal | undefined;
  /** What made the files, and what from. Default: this version, unknown. */
  readonly making?: Making | undefined;
}

export interface OpenOptions extends LockOptions {
  /** Whether published files are compared by what is in them, and not by size and time alone. Default false. */
  readonly byContent?: boolean | undefined;
  /** Called with what became of an interrupted build, if nothing is published after that. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

const FINISHED = 'an interrupted build was finished first';
const DROPPED =
  'the folder is not the one that an interrupted build was changing: what that build left is dropped, and every file compared by its content';

/**
 * The only way to change a published folder: locks it, finishes or drops what an interrupted build has left, and reads what is
 * published.
 *
 * @throws OutputError if another build has locked it, it contains anything that was not published, or it is inside a published one
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  { byContent = false, onNotice = () => {}, ...options }: OpenOptions = {},
): Promise<T> {
  const folders = workFolders(out);
  refuseNested(folders);
  refuseWorkingFolder(folders);
  makeParent(folders);
  const release = acquireLock(folders, options);
  const modes = modesOf(folders.out, folders.lock);
  const notices: string[] = [];
  try {
    const recovered = recover(folders, modes);
    const { isFinished, dropped } = recovered;
    notices.push(...(isFinished ? [FINISHED] : []), ...(dropped ? [DROPPED] : []));
    const published = readPublished(folders, { byContent, dropped });
    const opened = { published, recovered, modes, notices };
    return await use({
      folder: folders.out,
      name: folders.name,
      published,
      notices,
      modes,
      confirm: (making) => confirm(folders, opened, making),
      publish: (files, options) => publish(files, folders, { ...options, ...opened }),
    });
  } catch (error) {
    notices.forEach(onNotice);
    throw explainSystemError(error, folders.name);
  } finally {
    cleanUp(folders, modes);
    release();
  }
}

/** What cannot be cleaned up has no say in what was published: it is left to the next build. */
function cleanUp(folders: WorkFolders, modes: Modes | undefined): string[] {
  try {
    recover(folders, modes);
  } catch {
    // A second failure must not hide the first one.
  }
  return removeTrash(folders);
}

/** How long a verdict counts: whether a record is about its folder takes a hash of every file that it names. */
const VERDICT_MS = 1000;
const verdicts = new Map<string, { record: string; until: number; isChanging: boolean }>();

/** Whether a folder is between two sites: a build is at work there, or was killed, and the next one will finish what it left. */
export function isBeingChanged(out: string): boolean {
  const folders = workFolders(out);
  const status = statusOf(folders.commit);
  if (!status) return false;
  const record = `${status.ino} ${status.mtimeMs}`;
  const known = verdicts.get(folders.commit);
  if (known?.record === record && performance.now() < known.until) return known.isChanging;
  let isChanging = true;
  try {
    isChanging = judge(folders)?.change !== undefined;
  } catch {
    // It belongs to somebody else, or is just being finished.
  }
  verdicts.set(folders.commit, { record, until: performance.now() + VERDICT_MS, isChanging });
  return isChanging;
}

/** What to do about a folder that stays between two sites. */
export const HOW_TO_FINISH =
  'If no build is at work there, finish what it left: run it again, or any gamedata build, mirror, rebase or snapshot of that folder.';

/** For commands that only read a folder: waits a second until it is not being changed. Throws `OutputError` if it still is. */
export async function settled(folder: string): Promise<void> {
  for (const until = performance.now() + 1000; isBeingChanged(folder); await setTimeout(50))
    if (performance.now() > until)
      throw new OutputError('is being changed: it is partly the old site, and partly the new one', folder, {
        hint: HOW_TO_FINISH,
      });
}

/** The site around it would be found to have files that are not its own. */
function refuseNested({ name, out }: WorkFolders): void {
  const { dirname } = path;
  for (let above = dirname(out); above !== dirname(above); above = dirname(above))
    if (isPublished(above))
      throw new OutputError(`is inside ${above}, which was published by gamedata`, name, {
        hint: 'Choose a folder beside it: the next build there would find files that are not its own.',
      });
}

/** Whether a folder has been published by gamedata: web applications have a manifest.json, too. */
function isPublished(folder: string): boolean {
  try {
    return readText(folder, MANIFEST_FILE).includes('"generator":"gamedata/');
  } catch {
    return false;
  }
}

/** A folder that is gone with its last file would leave its user nowhere. */
function refuseWorkingFolder({ name, out }: WorkFolders): void {
  const here = process.cwd();
  if (here !== out && !isInside(out, here)) return;
  throw new OutputError('is the working folder, or contains it, and cannot be replaced', name, {
    hint: 'Run the command in another folder, or name a folder inside this one.',
  });
}

function makeParent({ name, out }: WorkFolders): void {
  try {
    mkdirSync(path.dirname(out), { recursive: true });
  } catch (cause) {
    throw new OutputError(`cannot be created (${errorCode(cause)})`, name, { cause });
  }
}

interface Opened {
  readonly published: Published;
  readonly recovered: Recovered;
  readonly modes: Modes | undefined;
  readonly notices: string[];
}

/** Whoever may read the folder may read what is in it, whatever the umask of this build and of those before. */
function mendModes({ out }: WorkFolders, files: readonly ManifestEntry[], { modes, notices }: Opened): void {
  if (!modes) return;
  const refused = mend(
    out,
    files.map(({ path }) => path),
    modes,
  );
  if (refused > 0)
    notices.push(
      `${counted(refused, 'file or folder', 'files and folders')} cannot be given the mode and group of the site's folder, and may not be readable`,
    );
}

function confirm(
  folders: WorkFolders,
  opened: Opened,
  { generator, code, inputs }: Required<Making>,
): PublishResult | undefined {
  const { recovered } = opened;
  const { making: published, manifest, entries, touched } = opened.published;
  if (published?.generator !== generator || published.code !== code || published.inputs !== inputs)
    return undefined;
  if (!manifest || touched.size > 0 || recovered.dropped) return undefined;
  const files = [...entries.values(), manifest];
  mendModes(folders, files, opened);
  return createResult(files, { ...recovered, written: 0, removed: 0, leftovers: removeTrash(folders) });
}

async function publish(
  files: Iterable<AnyFile>,
  folders: WorkFolders,
  { making = { generator: PRODUCT }, ...options }: StageOptions & PublishOptions & Opened,
): Promise<PublishResult> {
  const { published, recovered, modes } = options;
  const { entries, place } = await stageFiles(files, folders, options);
  const body = Buffer.from(JSON.stringify({ format: FORMAT, ...making, files: entries } satisfies Manifest));
  const manifest = entryOf(MANIFEST_FILE, body);
  const paths = new Set(entries.map(({ path }) => path));
  const remove = [...published.own.keys()].filter((path) => !paths.has(path));
  if (place.length > 0 || remove.length > 0 || manifest.sha256 !== published.manifest?.sha256) {
    stageFile(folders, MANIFEST_FILE, body, published.manifest !== undefined);
    place.push(MANIFEST_FILE);
    const before = published.manifest?.sha256 ?? null;
    changeSite(folders, options, { before, place, remove, manifest: manifest.sha256 });
  } else if (recovered.dropped) removeRecord(folders);
  mendModes(folders, [...entries, manifest], options);
  const counts = { written: place.length, removed: remove.length, leftovers: cleanUp(folders, modes) };
  return createResult([...entries, manifest], { ...recovered, ...counts });
}

const createResult = (
  files: readonly ManifestEntry[],
  counts: Pick<PublishResult, 'written' | 'removed' | 'leftovers'> & Pick<Recovered, 'isFinished'>,
): PublishResult => ({
  changed: counts.written > 0 || counts.isFinished,
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  written: counts.written,
  kept: files.length - counts.written,
  removed: counts.removed,
  leftovers: counts.leftovers,
});

/** A folder that is not there yet is the stage, renamed. Any other is changed file by file. */
function changeSite(folders: WorkFolders, { published: { own }, modes }: Opened, change: Change): void {
  const { name, out, fresh } = folders;
  if (modes) mend(fresh, change.place, modes);
  if (own.size > 0 || existsSync(out)) {
    refuseObstacles(folders, own, change);
    rollForward(folders, commit(folders, change), modes);
    return;
  }
  if (modes) give(fresh, modes, true);
  flushAll(fresh, change.place);
  try {
    renameSync(fresh, out);
  } catch (cause) {
    throw new OutputError(`cannot be created (${errorCode(cause)})`, name, { cause });
  }
  flush(path.dirname(out));
  removeRecord(folders);
}

/** Ends what an interrupted build left: what was committed is finished, everything else is trash. Only for the holder of the lock. */
function recover(folders: WorkFolders, modes: Modes | undefined): Recovered {
  const { name, out, fresh, commit, received, trash } = folders;
  refuseStrangers(out, [fresh, commit, received]);
  const recovered = recoverChange(folders, modes);
  try {
    if (existsSync(fresh)) renameSync(fresh, trash + randomUUID());
  } catch (cause) {
    throw new OutputError(`cannot be recovered from an interrupted build (${errorCode(cause)})`, name, {
      cause,
    });
  }
  return recovered;
}

/**
 * Removes trash as far as it can be removed, and never fails: what was published does not depend on it.
 *
 * @returns the folders that are left, which the next build tries to remove again
 */
function removeTrash({ trash }: WorkFolders): string[] {
  const [parent, prefix] = [path.dirname(trash), path.basename(trash)];
  let names: string[] = [];
  try {
    names = readdirSync(parent).filter((name) => name.startsWith(prefix));
  } catch {
    // A folder may be entered and not be listed.
  }
  return names
    .map((name) => path.join(parent, name))
    .filter((leftover) => {
      try {
        rmSync(leftover, { recursive: true, force: true });
        return false;
      } catch {
        return true;
      }
    });
}
