import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as contract from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError, toOutputError } from '../errors.ts';
import { attempt, explainFailure, isInside, readText } from '../files.ts';
import { PRODUCT } from '../package.ts';
import { applyChange, assertApplicable, listRemoved, removeAll } from './apply.ts';
import { acquireLock, type LockedPaths } from './lock.ts';
import { readPermissions, setPermissions } from './permissions.ts';
import { createEntry, hashFile, type Published, readPublished } from './read-published.ts';
import { type Recovery, recover } from './recover.ts';
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
  /** Called with each notice of the recovery if the work then fails. */
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
  assertUsableAsOutput(work);
  explainFailure('cannot be created', out, () =>
    mkdirSync(path.dirname(work.out), { recursive: true }),
  );
  const lock = acquireLock(work, takeLock);
  let recovery: Recovery | undefined;
  try {
    const paths = { ...work, lock, permissions: readPermissions(work.out) };
    recovery = recover(paths);
    const published = readPublished(paths, byContent || recovery.isSetAside);
    return await use(createOutput(paths, published, recovery));
  } catch (error) {
    recovery?.notices.forEach(onNotice);
    const failure = toOutputError(error, out);
    // If another build broke the lock, that is the cause of the failure.
    if (failure instanceof OutputError && attempt(lock.isHeld) === false) lock.assertHeld();
    throw failure;
  } finally {
    // The next build completes a committed change. Before the recovery, the staging folder may belong to another user.
    if (recovery && !isCommitted(work)) attempt(() => removeAll([work.staging], lock));
    lock.release();
  }
}

function assertUsableAsOutput({ name, out }: WorkPaths): void {
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

export type Output = ReturnType<typeof createOutput>;

function createOutput(
  paths: LockedPaths,
  published: Published,
  { isCompleted, isSetAside, notices }: Recovery,
) {
  const finish = (
    entries: readonly contract.ManifestEntry[],
    written: number,
    removed: number,
  ): PublishResult => {
    const files = [...entries.map((entry) => entry.path), MANIFEST_FILE];
    // Earlier builds may have had another umask.
    if (published.entries.size > 0) setPermissions(paths.out, files, paths.permissions);
    const { size } = statSync(path.join(paths.out, MANIFEST_FILE));
    return {
      changed: written > 0 || isCompleted,
      files: files.length,
      bytes: entries.reduce((sum, { bytes }) => sum + bytes, size),
      written,
      kept: files.length - written,
      removed,
    };
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
      (['generator', 'code', 'inputs'] as const).every(
        (key) => published.buildInputs?.[key] === buildInputs[key],
      ),
    keepPublished: (): PublishResult => finish([...published.entries.values()], 0, 0),
    async publish(
      files: Iterable<contract.AnyFile>,
      {
        buildInputs = { generator: PRODUCT },
        signal,
      }: { buildInputs?: contract.BuildInputs; signal?: AbortSignal | undefined } = {},
    ): Promise<PublishResult> {
      const { entries, staged } = await stageFiles(files, paths, { published, signal });
      const manifest: contract.Manifest = {
        format: contract.FORMAT,
        ...buildInputs,
        files: entries,
      };
      const body = Buffer.from(JSON.stringify(manifest));
      const next = entries.map((entry) => entry.path);
      const removed = listRemoved(paths.out, published.entries, next);
      const replacedHash = hashFile(paths.out, MANIFEST_FILE) ?? '';
      const { sha256 } = createEntry(MANIFEST_FILE, body);
      const isChanged = staged.length > 0 || removed.length > 0 || sha256 !== replacedHash;
      if (isChanged) {
        assertApplicable(paths, published.entries, { added: [...staged, MANIFEST_FILE], removed });
        commit(paths, { files: staged, manifest: body, replacedHash });
        applyChange(paths);
      }
      removeAll([paths.setAside], paths.lock);
      return finish(entries, isChanged ? staged.length + 1 : 0, removed.length);
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
      throw new OutputError(
        'is being changed, or an interrupted build left it incomplete',
        folder,
        {
          hint: 'If no build is running there, run gamedata build, mirror or snapshot on that folder again to complete it.',
        },
      );
}
