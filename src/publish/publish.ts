import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isOwnManifest } from '../built/own-files.ts';
import type { BuildInputs, ManifestEntry, SiteFile } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import {
  attempt,
  explainFailure,
  isInside,
  readFile,
  toOutputError,
} from '../files.ts';
import { PRODUCT } from '../package.ts';
import { createEntry, encodeManifest } from '../site/manifest.ts';
import { applyChange, assertApplicable, listRemoved } from './apply.ts';
import { acquireLock, type LockedPaths } from './lock.ts';
import {
  readPermissions,
  setFolderPermissions,
  setPermission,
} from './permissions.ts';
import { hashFile, type Published, readPublished } from './read-published.ts';
import { isFitting, type Recovery, recover, removeStaging } from './recover.ts';
import { commit, stageFiles } from './stage.ts';
import { prepareStaging, type Staging } from './staging.ts';
import { isCommitted, resolveWorkPaths, type WorkPaths } from './work-paths.ts';

export interface PublishResult {
  readonly changed: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly written: number;
  readonly kept: number;
  readonly removed: number;
  /** Problems that did not prevent the site from being published. */
  readonly notices: readonly string[];
}

export interface OpenOptions {
  readonly takeLock?: boolean | undefined;
  /** Whether to compare published files by content instead of by size and mtime. */
  readonly byContent?: boolean | undefined;
  /** Called with each notice from the recovery if publishing then fails. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

export interface PublishOptions {
  /** The inputs that the files were generated from. */
  readonly buildInputs?: BuildInputs;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An output folder that is locked, and whose interrupted changes have been
 * recovered.
 */
export interface Output {
  /** The folder's path with all symlinks resolved. */
  readonly folder: string;
  /** The folder's path as the user entered it. */
  readonly name: string;
  readonly published: Published;
  /** Notices about the recovery of an interrupted change. */
  readonly notices: readonly string[];
  /**
   * Returns whether the published site was generated with the same code from the
   * same inputs.
   */
  isUnchanged(buildInputs: Required<BuildInputs>): boolean;
  /** Keeps the published site as it is, and only repairs permissions. */
  keepPublished(): PublishResult;
  /**
   * Replaces the published site.
   *
   * @throws OutputError if the site cannot be replaced
   */
  publish(
    files: Iterable<SiteFile>,
    options?: PublishOptions,
  ): Promise<PublishResult>;
}

/**
 * Opens a folder for publishing: locks it, completes or discards an interrupted
 * change, and reads the published site. Even after a kill or a power cut, the folder
 * either still holds the complete old site or can be completed to the new one.
 *
 * @throws OutputError if another build has locked the folder, if the folder contains
 * anything other than a published site, or if it is inside another site
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const { byContent = false, onNotice, takeLock } = options;
  const workPaths = resolveWorkPaths(out);
  assertUsableAsOutput(workPaths);
  const parent = path.dirname(workPaths.out);
  explainFailure('cannot be created', out, () =>
    mkdirSync(parent, { recursive: true }),
  );
  const lock = acquireLock(workPaths, takeLock);
  let recovery: Recovery | undefined;
  try {
    const permissions = readPermissions(workPaths.out);
    const paths: LockedPaths = { ...workPaths, lock, permissions };
    recovery = recover(paths);
    const published = readPublished(paths, byContent || recovery.isDiscarded);
    const output = createOutput(paths, published, recovery);
    return await use(output);
  } catch (error) {
    // The notices are reported here, because there is no result that could contain
    // them.
    for (const notice of recovery?.notices ?? []) onNotice?.(notice);
    const failure = toOutputError(error, out);
    // If another build has broken our lock, that caused the failure, so we report it
    // instead.
    const isLockLost = attempt(lock.isHeld) === false;
    if (failure instanceof OutputError && isLockLost) lock.assertHeld();
    throw failure;
  } finally {
    lock.release();
  }
}

/**
 * Rejects a folder inside another site, because the next build of that site would
 * find unknown files. Also rejects the working folder and its parent folders,
 * because other programs may be using them.
 */
function assertUsableAsOutput({ name, out }: WorkPaths): void {
  const outerSite = findOuterSite(out);
  if (outerSite !== undefined) {
    const hint =
      'Choose a folder outside that site. Otherwise, its next build would find files that are not in its manifest.';
    throw new OutputError(
      `is inside ${outerSite}, which was published by gamedata`,
      name,
      {
        hint,
      },
    );
  }
  const workingFolder = process.cwd();
  if (workingFolder !== out && !isInside(out, workingFolder)) return;
  const hint =
    'Run the command in another folder, or name a folder inside this one.';
  throw new OutputError(
    'is the working folder, or contains it, and cannot be replaced',
    name,
    {
      hint,
    },
  );
}

/** Finds the closest parent folder that contains a site. */
function findOuterSite(out: string): string | undefined {
  let folder = path.dirname(out);
  // The loop ends at the root folder, which is its own parent.
  while (folder !== path.dirname(folder)) {
    const manifest = attempt(() => readFile(folder, MANIFEST_FILE));
    if (manifest && isOwnManifest(manifest)) return folder;
    folder = path.dirname(folder);
  }
  return undefined;
}

/**
 * Creates the output for a folder that is locked and recovered. Both `keepPublished`
 * and `publish` repair permissions as soon as the files are in place, and then
 * measure the site. If the recovery completed an interrupted change, the result
 * reports a change even if no file was written since.
 */
function createOutput(
  paths: LockedPaths,
  published: Published,
  recovery: Recovery,
): Output {
  return {
    folder: paths.out,
    name: paths.name,
    published,
    notices: recovery.notices,
    isUnchanged(buildInputs) {
      if (published.modified.size > 0) return false;
      const keys = ['generator', 'code', 'inputs'] as const;
      return keys.every((key) => published.buildInputs?.[key] === buildInputs[key]);
    },
    keepPublished() {
      const entries = [...published.entries.values()];
      repairPermissions(paths, entries, published);
      const { files, bytes } = measureSite(paths, entries);
      const changed = recovery.isCompleted;
      return {
        changed,
        files,
        bytes,
        written: 0,
        kept: files,
        removed: 0,
        notices: [],
      };
    },
    async publish(newFiles, options = {}) {
      const staging = prepareStaging(paths);
      const context: ReplaceContext = { paths, published, staging, ...options };
      const replacement = await replaceSite(newFiles, context);
      const { entries, written, removed } = replacement;
      repairPermissions(paths, entries, published);
      const { files, bytes } = measureSite(paths, entries);
      const changed = written > 0 || recovery.isCompleted;
      const kept = files - written;
      const notices = [...staging.notices, ...replacement.notices];
      return { changed, files, bytes, written, kept, removed, notices };
    },
  };
}

/**
 * Repairs the permissions on all files and folders, because an earlier build may
 * have used a different umask. New files already have the right permissions.
 */
function repairPermissions(
  paths: LockedPaths,
  entries: readonly ManifestEntry[],
  published: Published,
): void {
  // A first site's files were just created with the right permissions.
  if (published.entries.size === 0) return;
  const files = entries.map((entry) => entry.path);
  setFolderPermissions(paths.out, files, paths.permissions);
  for (const file of [...published.wrongPermissions, MANIFEST_FILE]) {
    setPermission(path.join(paths.out, file), paths.permissions);
  }
}

interface SiteSize {
  /** The number of files, including the manifest. */
  readonly files: number;
  readonly bytes: number;
}

function measureSite(
  { out }: WorkPaths,
  entries: readonly ManifestEntry[],
): SiteSize {
  let bytes = statSync(path.join(out, MANIFEST_FILE)).size;
  for (const entry of entries) bytes += entry.bytes;
  return { files: entries.length + 1, bytes };
}

interface ReplaceContext extends PublishOptions {
  readonly paths: LockedPaths;
  readonly published: Published;
  readonly staging: Staging;
}

interface Replacement {
  /** All files in the site, including unchanged ones. */
  readonly entries: readonly ManifestEntry[];
  /** The number of written files, including the manifest. 0 if nothing changed. */
  readonly written: number;
  readonly removed: number;
  readonly notices: readonly string[];
}

/**
 * Replaces the published site. Stages the files that differ, checks that nothing is
 * in the way, commits the change, and moves the files into place. If an error occurs
 * before the commit, all staged files are discarded. After the commit, an incomplete
 * change stays in the staging folder, and the next command completes it.
 */
async function replaceSite(
  files: Iterable<SiteFile>,
  context: ReplaceContext,
): Promise<Replacement> {
  const {
    paths,
    published,
    staging,
    signal,
    buildInputs = { generator: PRODUCT },
  } = context;
  try {
    const { entries, staged, latestSetMs } = await stageFiles(files, {
      paths,
      published,
      staging,
      signal,
    });
    const next = entries.map((entry) => entry.path);
    const removed = listRemoved(paths.out, published.entries, next);
    const manifest = encodeManifest(buildInputs, entries);
    const { sha256: manifestHash } = createEntry(MANIFEST_FILE, manifest);
    const replacedHash = hashFile(paths.out, MANIFEST_FILE) ?? '';
    const hasSameFiles = staged.length === 0 && removed.length === 0;
    const isUnchanged = hasSameFiles && manifestHash === replacedHash;
    if (isUnchanged) return { entries, written: 0, removed: 0, notices: [] };

    assertFolderStays(paths, published);
    assertApplicable(paths, {
      published: published.entries,
      next,
      added: staged,
      removed,
    });
    commit(paths, staging, { staged, latestSetMs, manifest, replacedHash });
    applyChange(paths, staging);
    const notices = removeStaging(paths);
    return { entries, written: staged.length + 1, removed: removed.length, notices };
  } catch (error) {
    attempt(() => staging.discard());
    throw error;
  }
}

/**
 * Rejects a folder that was removed during the build, or that has been created since
 * the build started, possibly by another user.
 */
function assertFolderStays(
  { name, out }: WorkPaths,
  { isMissing }: Published,
): void {
  const isMissingNow = !existsSync(out);
  if (isMissingNow === isMissing) return;
  const problem = isMissing
    ? 'was created during this build'
    : 'was removed during this build';
  const hint = 'Run the command again, in a folder that nothing else changes.';
  throw new OutputError(problem, name, { hint });
}

/**
 * Returns whether a change to this folder is committed but not yet complete. A
 * change that no longer fits the published site is ignored.
 */
export function isBeingChanged(out: string): boolean {
  const paths = resolveWorkPaths(out);
  return isCommitted(paths) && isFitting(paths);
}

const MAX_WAIT_MS = 1000;
const WAIT_INTERVAL_MS = 50;

/**
 * Waits until no committed change to the folder is incomplete.
 *
 * @throws OutputError if the change is still incomplete after one second
 */
export async function waitUntilStable(folder: string): Promise<void> {
  const waitsUntil = performance.now() + MAX_WAIT_MS;
  while (isBeingChanged(folder)) {
    if (performance.now() > waitsUntil) {
      const problem = 'is being changed, or an interrupted build left it incomplete';
      const hint =
        'If no build is running there, run gamedata build, mirror or snapshot on that folder again to complete it.';
      throw new OutputError(problem, folder, { hint });
    }
    await setTimeout(WAIT_INTERVAL_MS);
  }
}
