/** Publishes files into a folder: whatever happens, the folder holds the complete old site or the complete new one. */

import { existsSync, mkdirSync, renameSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type AnyFile, FORMAT, type Making, type Manifest, type ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { counted } from '../contract/words.ts';
import { explainSystemError, OutputError } from '../errors.ts';
import { attempt, explained, isInside, readText, statusOf } from '../files.ts';
import { PRODUCT } from '../version.ts';
import { type Change, commit, flush, flushAll, judge, recover, removeTrash } from './commit.ts';
import { acquireLock, holdsLock, stillLocked } from './lock.ts';
import { give, mend, modesOf } from './modes.ts';
import { entryOf, readPublished } from './published.ts';
import { refuseObstacles, stageFiles, stageManifest } from './stage.ts';
import { type WorkFolders, workFolders } from './work-folders.ts';

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

interface PublishOptions {
  readonly signal?: AbortSignal | undefined;
  /** What made the files, and what from. Default: this version, unknown. */
  readonly making?: Making | undefined;
}

export interface OpenOptions {
  /** Take a lock over if nothing is known of its process, as it runs on another host or in another container. */
  readonly takeLock?: boolean | undefined;
  /** Whether published files are compared by what is in them, and not by size and time alone. Default false. */
  readonly byContent?: boolean | undefined;
  /** Called with what became of an interrupted build, if nothing is published after that. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/**
 * The only way to change a published folder: locks it, finishes or drops what an interrupted build has left, and reads what is
 * published.
 *
 * @throws OutputError if another build has locked it, it contains anything that was not published, or it is inside a published one
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  { byContent = false, onNotice = () => {}, takeLock }: OpenOptions = {},
): Promise<T> {
  const folders = workFolders(out);
  preparePlace(folders);
  const release = acquireLock(folders, takeLock);
  const locked: Locked = { folders, modes: modesOf(folders.out, folders.lock), notices: [] };
  try {
    return await use(outputOf(open(locked, byContent)));
  } catch (error) {
    locked.notices.forEach(onNotice);
    const failure = explainSystemError(error, folders.name);
    // What failed may belong to another build by now.
    if (failure instanceof OutputError && attempt(() => holdsLock(folders)) === false) stillLocked(folders);
    throw failure;
  } finally {
    cleanUp(locked);
    release();
  }
}

interface Locked {
  readonly folders: WorkFolders;
  /** Those of published files; undefined where there are none. */
  readonly modes: ReturnType<typeof modesOf>;
  /** What became of an interrupted build, and what could not be done about modes, in sentences. */
  readonly notices: string[];
}

/** Recovers a locked folder, and reads it. */
function open(locked: Locked, byContent: boolean) {
  const { isFinished, dropped } = recover(locked.folders, locked.modes);
  if (isFinished) locked.notices.push('an interrupted build was finished first');
  if (dropped)
    locked.notices.push(
      'the folder is not the one that an interrupted build was changing: what that build left is dropped, and every file compared by its content',
    );
  return { ...locked, isFinished, dropped, published: readPublished(locked.folders, { byContent, dropped }) };
}
type Opened = ReturnType<typeof open>;

export type Output = ReturnType<typeof outputOf>;
const outputOf = (opened: Opened) => ({
  /** The published folder, absolute, and as the user named it. */
  folder: opened.folders.out,
  name: opened.folders.name,
  published: opened.published,
  notices: opened.notices,
  modes: opened.modes,
  confirm: (making: Required<Making>) => confirm(opened, making),
  publish: (files: Iterable<AnyFile>, options?: PublishOptions) => publish(files, opened, options),
});

/** What cannot be cleaned up has no say in what was published, and hides no other failure: it is left to the next build. */
function cleanUp({ folders, modes }: Locked): string[] {
  attempt(() => recover(folders, modes));
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
  // A record that cannot be read belongs to somebody else, or is just being finished.
  const isChanging = attempt(() => judge(folders)?.change !== undefined) ?? true;
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

/** Refuses a folder that cannot be replaced where it is, and makes the folder above it. */
function preparePlace({ name, out }: WorkFolders): void {
  const { dirname } = path;
  for (let above = dirname(out); above !== dirname(above); above = dirname(above))
    // Web applications have a manifest.json, too.
    if (attempt(() => readText(above, MANIFEST_FILE))?.includes('"generator":"gamedata/'))
      throw new OutputError(`is inside ${above}, which was published by gamedata`, name, {
        hint: 'Choose a folder beside it: the next build there would find files that are not its own.',
      });
  const here = process.cwd();
  // A folder that is gone with its last file would leave its user nowhere.
  if (here === out || isInside(out, here))
    throw new OutputError('is the working folder, or contains it, and cannot be replaced', name, {
      hint: 'Run the command in another folder, or name a folder inside this one.',
    });
  explained('cannot be created', name, () => mkdirSync(dirname(out), { recursive: true }));
}

/**
 * The result of publishing again what is published: undefined unless that was made by the same code from the same inputs, and no file
 * has been touched since.
 */
function confirm(opened: Opened, { generator, code, inputs }: Required<Making>): PublishResult | undefined {
  const { making, manifest, entries, touched } = opened.published;
  if (making?.generator !== generator || making.code !== code || making.inputs !== inputs) return undefined;
  if (!manifest || touched.size > 0 || opened.dropped) return undefined;
  const files = [...entries.values(), manifest];
  return complete(files, opened, { written: 0, removed: 0, leftovers: removeTrash(opened.folders) });
}

/** Replaces the published site with these files, in one pass over them. */
async function publish(
  files: Iterable<AnyFile>,
  opened: Opened,
  { making = { generator: PRODUCT }, signal }: PublishOptions = {},
): Promise<PublishResult> {
  const { folders, published, dropped } = opened;
  const { entries, place } = await stageFiles(files, folders, { published, signal });
  const body = Buffer.from(JSON.stringify({ format: FORMAT, ...making, files: entries } satisfies Manifest));
  const manifest = entryOf(MANIFEST_FILE, body);
  const paths = new Set(entries.map(({ path }) => path));
  const remove = [...published.own.keys()].filter((path) => !paths.has(path));
  if (place.length > 0 || remove.length > 0 || manifest.sha256 !== published.manifest?.sha256) {
    stageManifest(stillLocked(folders), body, place);
    place.push(MANIFEST_FILE);
    const before = published.manifest?.sha256 ?? null;
    changeSite(opened, { before, place, remove, manifest: manifest.sha256 });
  } else if (dropped) unlinkSync(stillLocked(folders).commit);
  const all = [...entries, manifest];
  return complete(all, opened, {
    written: place.length,
    removed: remove.length,
    leftovers: cleanUp(opened),
  });
}

/** Whoever may read the folder may read what is in it, whatever the umask of this build and of those before. */
function complete(
  files: readonly ManifestEntry[],
  { folders, modes, notices, isFinished }: Opened,
  { written, ...counts }: Pick<PublishResult, 'written' | 'removed' | 'leftovers'>,
): PublishResult {
  const paths = files.map(({ path }) => path);
  const refused = modes ? mend(folders.out, paths, modes) : 0;
  if (refused > 0)
    notices.push(
      `${counted(refused, 'file or folder', 'files and folders')} cannot be given the mode and group of the site's folder, and may not be readable`,
    );
  return {
    changed: written > 0 || isFinished,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    written,
    kept: files.length - written,
    ...counts,
  };
}

/** A folder that is not there yet is the stage, renamed. Any other is changed file by file. */
function changeSite({ folders, published: { own }, dropped, modes }: Opened, change: Change): void {
  const { name, out, fresh } = folders;
  if (modes) mend(fresh, change.place, modes);
  if (own.size > 0 || existsSync(out)) {
    refuseObstacles(folders, own, change);
    commit(folders, change, modes);
    return;
  }
  if (modes) give(fresh, modes, true);
  flushAll(fresh, change.place);
  explained('cannot be created', name, () => renameSync(fresh, stillLocked(folders).out));
  flush(path.dirname(out));
  if (dropped) unlinkSync(stillLocked(folders).commit);
}
