import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as contract from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError, toOutputError } from '../errors.ts';
import { attempt, explainFailure, isInside, readText } from '../files.ts';
import { PRODUCT } from '../package.ts';
import { applyChange, assertNoObstacles, listRemoved, removeAll } from './apply.ts';
import { acquireLock, type LockedPaths } from './lock.ts';
import { readPermissions, setPermissions } from './permissions.ts';
import { createEntry, type Published, readPublished } from './read-published.ts';
import { recover } from './recover.ts';
import { commit, stageFiles } from './stage.ts';
import { isCommitted, resolveWorkPaths, type WorkPaths } from './work-paths.ts';

export interface PublishResult {
  readonly changed: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly written: number;
  readonly kept: number;
  readonly removed: number;
}

export interface OpenOptions {
  readonly takeLock?: boolean | undefined;
  readonly byContent?: boolean | undefined;
  /** Called with the recovery result if nothing is published afterwards. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/**
 * Opens a folder for publishing. The folder always holds the complete old site or becomes the complete new one, even after a
 * kill or a power cut.
 *
 * @throws OutputError if another build has locked the folder, it contains anything but a published site, or it is inside one
 */
export async function withOutput<T>(
  out: string,
  use: (output: Output) => Promise<T>,
  { byContent = false, onNotice = () => {}, takeLock }: OpenOptions = {},
): Promise<T> {
  const work = resolveWorkPaths(out);
  assertReplaceable(work);
  explainFailure('cannot be created', out, () => mkdirSync(path.dirname(work.out), { recursive: true }));
  const lock = acquireLock(work, takeLock);
  const notices: string[] = [];
  let isRecovered: boolean | undefined;
  try {
    const paths = { ...work, lock, permissions: readPermissions(work.out) };
    isRecovered = recover(paths);
    const isSetAside = existsSync(paths.setAside);
    if (isRecovered) notices.push('an interrupted build was finished first');
    if (isSetAside)
      notices.push('an interrupted build no longer fits this folder: every file is compared by its content');
    const published = readPublished(paths, byContent || isSetAside);
    return await use(createOutput(paths, { published, notices, isRecovered, isSetAside }));
  } catch (error) {
    notices.forEach(onNotice);
    const failure = toOutputError(error, out);
    // Another build may have replaced the files meanwhile.
    if (failure instanceof OutputError && attempt(lock.isHeld) === false) lock.assertHeld();
    throw failure;
  } finally {
    // Before the recovery, the staging folder may belong to another user.
    if (isRecovered !== undefined && !isCommitted(work)) attempt(() => removeAll([work.staging], lock));
    lock.release();
  }
}

function assertReplaceable({ name, out }: WorkPaths): void {
  const { dirname } = path;
  for (let above = dirname(out); above !== dirname(above); above = dirname(above))
    if (attempt(() => readText(above, MANIFEST_FILE))?.includes('"generator":"gamedata/'))
      throw new OutputError(`is inside ${above}, which was published by gamedata`, name, {
        hint: 'Choose a folder outside that site. Otherwise, its next build would find files that are not in its manifest.',
      });
  const here = process.cwd();
  if (here === out || isInside(out, here))
    throw new OutputError('is the working folder, or contains it, and cannot be replaced', name, {
      hint: 'Run the command in another folder, or name a folder inside this one.',
    });
}

interface Opened {
  readonly published: Published;
  readonly notices: readonly string[];
  readonly isRecovered: boolean;
  readonly isSetAside: boolean;
}

const inputKeys = ['generator', 'code', 'inputs'] as const;

export type Output = ReturnType<typeof createOutput>;

function createOutput(paths: LockedPaths, { published, notices, isRecovered, isSetAside }: Opened) {
  const summarize = (
    files: readonly contract.ManifestEntry[],
    written: number,
    removed: number,
  ): PublishResult => ({
    changed: written > 0 || isRecovered,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    written,
    kept: files.length - written,
    removed,
  });
  // Earlier builds may have had another umask.
  const restorePermissions = (files: readonly contract.ManifestEntry[]): void => {
    const names = files.map((file) => file.path);
    setPermissions(paths.out, names, paths.permissions);
  };
  return {
    folder: paths.out,
    name: paths.name,
    published,
    notices,
    /** Whether the same code and inputs would generate the published site again. */
    isUnchanged: (buildInputs: Required<contract.BuildInputs>): boolean =>
      published.modified.size === 0 &&
      !isSetAside &&
      inputKeys.every((key) => published.buildInputs?.[key] === buildInputs[key]),
    keepPublished(): PublishResult {
      restorePermissions(published.files);
      return summarize(published.files, 0, 0);
    },
    async publish(
      files: Iterable<contract.AnyFile>,
      {
        buildInputs = { generator: PRODUCT },
        signal,
      }: { buildInputs?: contract.BuildInputs; signal?: AbortSignal | undefined } = {},
    ): Promise<PublishResult> {
      const { entries, staged } = await stageFiles(files, paths, { published, signal });
      const body = Buffer.from(
        JSON.stringify({
          format: contract.FORMAT,
          ...buildInputs,
          files: entries,
        } satisfies contract.Manifest),
      );
      const manifest = createEntry(MANIFEST_FILE, body);
      const next = entries.map((entry) => entry.path);
      const removed = listRemoved(paths.out, published.entries, next);
      const replacedHash = published.manifest?.sha256 ?? '';
      const isNewFolder = !existsSync(paths.out);
      const isChanged = staged.length > 0 || removed.length > 0 || manifest.sha256 !== replacedHash;
      if (isChanged) {
        assertNoObstacles(paths, published.entries, { added: [...staged, MANIFEST_FILE], removed });
        commit(paths, { files: staged, manifest: body, replacedHash });
        applyChange(paths);
      }
      removeAll([paths.setAside], paths.lock);
      const all = [...entries, manifest];
      // The staged files of a new folder already have their permissions.
      if (!isNewFolder) restorePermissions(all);
      return summarize(all, isChanged ? staged.length + 1 : 0, removed.length);
    },
  };
}

export function isBeingChanged(out: string): boolean {
  const paths = resolveWorkPaths(out);
  return isCommitted(paths) || existsSync(paths.setAside) || existsSync(paths.old.record);
}

/** @throws OutputError if the folder is still being changed after a second */
export async function waitUntilStable(folder: string): Promise<void> {
  for (const until = performance.now() + 1000; isBeingChanged(folder); await setTimeout(50))
    if (performance.now() > until)
      throw new OutputError('is being changed, or an interrupted build left it incomplete', folder, {
        hint: 'If no build is running there, run gamedata build, mirror or snapshot on that folder again to complete it.',
      });
}
