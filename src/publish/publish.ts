/** Publishing: the folder always holds the complete old site or becomes the complete new one, even after a kill or a power cut. */

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  type AnyFile,
  type BuildInputs,
  FORMAT,
  type Manifest,
  type ManifestEntry,
} from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError, toOutputError } from '../errors.ts';
import { attempt, explainFailure, isInside, readText } from '../files.ts';
import { PRODUCT } from '../package.ts';
import { readPreviousSite } from '../sources/site/read.ts';
import { folderStorage } from '../sources/site/storage.ts';
import { applyStaged, assertNoObstacles, listRemoved, removeAll } from './apply.ts';
import { acquireLock, type Lock } from './lock.ts';
import { type Permissions, readPermissions, setPermissions } from './permissions.ts';
import { createEntry, type Published, readPublished } from './read-published.ts';
import { recover } from './recover.ts';
import { commit, stageFiles } from './stage.ts';
import { hasPendingChange, isCommitted, resolveWorkPaths, type WorkPaths } from './work-paths.ts';

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
}

interface PublishOptions {
  readonly signal?: AbortSignal | undefined;
  /** The code and inputs that the files were generated from. Default: this version, unknown inputs. */
  readonly making?: BuildInputs | undefined;
}

export interface OpenOptions {
  /** Whether to break the lock of a build on another host or in another container. */
  readonly takeLock?: boolean | undefined;
  /** Whether to compare published files by content, and not only by size and mtime. Default false. */
  readonly byContent?: boolean | undefined;
  /** Called with the recovery result if nothing is published afterwards. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/**
 * Opens a folder for publishing: locks it, recovers it from an interrupted build, and reads the published site.
 *
 * @throws OutputError if another build has locked the folder, it contains anything but a published site, or it is inside one
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  { byContent = false, onNotice = () => {}, takeLock }: OpenOptions = {},
): Promise<T> {
  const paths = resolveWorkPaths(out);
  prepareParent(paths);
  const lock = acquireLock(paths, takeLock);
  const notices: string[] = [];
  try {
    const permissions = readPermissions(paths.out);
    const isCompleted = recover(paths, lock, permissions);
    const isSetAside = existsSync(paths.setAside);
    if (isCompleted) notices.push('an interrupted build was finished first');
    if (isSetAside)
      notices.push('an interrupted build no longer fits this folder: every file is compared by its content');
    const published = readPublished(paths, byContent || isSetAside);
    return await use(createOutput({ paths, lock, permissions, notices, published, isCompleted, isSetAside }));
  } catch (error) {
    notices.forEach(onNotice);
    const failure = toOutputError(error, paths.name);
    // Another build may have replaced the files meanwhile.
    if (failure instanceof OutputError && attempt(lock.isHeld) === false) lock.assertHeld();
    throw failure;
  } finally {
    if (!isCommitted(paths)) attempt(() => removeAll([paths.staging], lock));
    lock.release();
  }
}

interface Opened {
  readonly paths: WorkPaths;
  readonly lock: Lock;
  readonly permissions: Permissions;
  /** Recovery results, in sentences. */
  readonly notices: string[];
  readonly published: Published;
  readonly isCompleted: boolean;
  readonly isSetAside: boolean;
}

export type Output = ReturnType<typeof createOutput>;
const createOutput = (opened: Opened) => ({
  /** The published folder, absolute. */
  folder: opened.paths.out,
  /** The published folder as the user named it. */
  name: opened.paths.name,
  published: opened.published,
  notices: opened.notices,
  readDataSet: () => readPreviousSite(folderStorage(opened.paths.out, opened.paths.name), opened.published),
  /** Whether the same code generated the published site from the same inputs, and no file was modified since. */
  isUnchanged: (making: Required<BuildInputs>) => isUnchanged(opened, making),
  unchanged: () => keep(opened),
  publish: (files: Iterable<AnyFile>, options?: PublishOptions) => publish(files, opened, options),
});

/** Rejects a folder that cannot be replaced where it is, and creates the folder above it. */
function prepareParent({ name, out }: WorkPaths): void {
  const { dirname } = path;
  for (let above = dirname(out); above !== dirname(above); above = dirname(above))
    // Web applications have a manifest.json, too.
    if (attempt(() => readText(above, MANIFEST_FILE))?.includes('"generator":"gamedata/'))
      throw new OutputError(`is inside ${above}, which was published by gamedata`, name, {
        hint: 'Choose a folder next to it, or the next build of that site would find files not written by gamedata.',
      });
  const here = process.cwd();
  if (here === out || isInside(out, here))
    throw new OutputError('is the working folder, or contains it, and cannot be replaced', name, {
      hint: 'Run the command in another folder, or name a folder inside this one.',
    });
  explainFailure('cannot be created', name, () => mkdirSync(dirname(out), { recursive: true }));
}

function isUnchanged({ published, isSetAside }: Opened, making: Required<BuildInputs>): boolean {
  const { making: before, modified } = published;
  if (modified.size > 0 || isSetAside) return false;
  return (['generator', 'code', 'inputs'] as const).every((key) => before?.[key] === making[key]);
}

function keep(opened: Opened): PublishResult {
  const { files } = opened.published;
  restorePermissions(opened, files);
  return summarize(opened, files, { written: 0, removed: 0 });
}

/** Replaces the published site by these files, in one pass over them. */
async function publish(
  files: Iterable<AnyFile>,
  opened: Opened,
  { making = { generator: PRODUCT }, signal }: PublishOptions = {},
): Promise<PublishResult> {
  const { paths, lock, permissions, published } = opened;
  const { entries, staged } = await stageFiles(files, paths, { published, lock, signal });
  const body = Buffer.from(JSON.stringify({ format: FORMAT, ...making, files: entries } satisfies Manifest));
  const manifest = createEntry(MANIFEST_FILE, body);
  const next = entries.map((entry) => entry.path);
  const isNewFolder = !existsSync(paths.out);
  const removed = listRemoved(paths.out, published.entries, next);
  const isChanged = staged.length > 0 || removed.length > 0 || manifest.sha256 !== published.manifest?.sha256;
  if (isChanged) {
    assertNoObstacles(paths, published.entries, { added: [...staged, MANIFEST_FILE], removed });
    const replaced = published.manifest?.sha256 ?? '';
    commit(paths, { files: staged, manifest: body, replaced }, lock, permissions);
    applyStaged(paths, lock, permissions);
  }
  removeAll([paths.setAside], lock);
  const written = isChanged ? staged.length + 1 : 0;
  const all = [...entries, manifest];
  // The staged files of a new folder already have their permissions.
  if (!isNewFolder) restorePermissions(opened, all);
  return summarize(opened, all, { written, removed: removed.length });
}

/** Corrects the permissions of published files, because earlier builds may have had another umask. */
function restorePermissions({ paths, permissions }: Opened, files: readonly ManifestEntry[]): void {
  const names = files.map((file) => file.path);
  setPermissions(paths.out, names, permissions);
}

function summarize(
  { isCompleted }: Opened,
  files: readonly ManifestEntry[],
  { written, removed }: Pick<PublishResult, 'written' | 'removed'>,
): PublishResult {
  return {
    changed: written > 0 || isCompleted,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    written,
    kept: files.length - written,
    removed,
  };
}

const RECOVERY_HINT =
  'If no build is running there, complete it: run it again, or any gamedata build, mirror or snapshot of that folder.';

/** Whether a build is changing the folder, or was interrupted and not completed since. Only reads. */
export const isBeingChanged = (out: string): boolean => hasPendingChange(resolveWorkPaths(out));

/**
 * Waits up to a second while the folder is being changed.
 *
 * @throws OutputError if it still is
 */
export async function waitUntilStable(folder: string): Promise<void> {
  for (const until = performance.now() + 1000; isBeingChanged(folder); await setTimeout(50))
    if (performance.now() > until)
      throw new OutputError('is being changed, or an interrupted build left it incomplete', folder, {
        hint: RECOVERY_HINT,
      });
}
