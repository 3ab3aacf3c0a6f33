import * as fs from 'node:fs';
import path from 'node:path';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, readStatus } from '../files.ts';
import { copyDefaultAcl } from './default-acl.ts';
import type { LockedPaths } from './lock.ts';
import { assertTrustedOwner, isCommitted, type WorkPaths } from './work-paths.ts';

/** A staging folder that this build has found or created. */
export interface StagingFolder {
  /**
   * Checks that the path still leads to the same folder.
   *
   * @throws OutputError if the folder was replaced or now belongs to another user
   */
  assertSame(): void;
}

/**
 * Finds an interrupted build's staging folder.
 *
 * @throws OutputError if the folder belongs to another user
 */
export function findStaging({ out, staging }: WorkPaths): StagingFolder | undefined {
  assertTrustedOwner(out, [staging]);
  return readStatus(staging) && rememberFolder(staging);
}

/**
 * Remembers a folder's inode and owner, because someone may replace the folder at
 * any time.
 */
function rememberFolder(folder: string): StagingFolder {
  const identify = (): string => {
    const { dev, ino, uid, mode } = fs.lstatSync(folder);
    const type = mode & fs.constants.S_IFMT;
    return [dev, ino, uid, type].join(' ');
  };
  const remembered = identify();
  return {
    assertSame() {
      if (attempt(identify) === remembered) return;
      const hint = 'Build again in a folder whose parent only you can write to.';
      throw new OutputError('was removed or replaced during this build', folder, {
        hint,
      });
    },
  };
}

/**
 * The files that a build stages. The staging folder is created when the first file
 * is written.
 */
export interface Staging extends StagingFolder {
  /** Problems that do not make the build fail. */
  readonly notices: readonly string[];
  /**
   * Writes a new file. Fails if the file already exists.
   *
   * @param file the path relative to the staging folder
   */
  write(file: string, body: string | Uint8Array): void;
  /**
   * Removes all files that this build has staged, unless the change is committed.
   */
  discard(): void;
}

/**
 * Prepares to stage files. No folder is created yet, because most builds do not
 * change anything.
 */
export function prepareStaging(paths: LockedPaths): Staging {
  const { staging, lock } = paths;
  const notices: string[] = [];
  let created: StagingFolder | undefined;

  function create(): void {
    created = createStagingFolder(paths);
    const notice = copyDefaultAcl(paths.out, staging);
    if (notice !== undefined) notices.push(notice);
    fs.mkdirSync(paths.staged);
  }

  return {
    notices,
    write(file, body) {
      lock.assertHeld();
      if (!created) create();
      const target = path.join(staging, file);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      // The `wx` flag makes this fail if the name exists, even as a symlink.
      fs.writeFileSync(target, body, { flag: 'wx' });
    },
    assertSame() {
      created?.assertSame();
    },
    discard() {
      if (!created || isCommitted(paths)) return;
      lock.assertHeld();
      created.assertSame();
      fs.rmSync(staging, { recursive: true, force: true });
    },
  };
}

/**
 * Creates the staging folder, which other users cannot enter. First removes an older
 * staging folder that we or the owner of the site's folder created. It usually
 * contains a discarded change, which was kept only to make every command compare
 * files by content. If another user creates a folder with this name in the meantime,
 * `mkdir` without `recursive` fails, so we never use anything that they prepared.
 */
function createStagingFolder({ out, staging, lock }: LockedPaths): StagingFolder {
  assertTrustedOwner(out, [staging]);
  explainFailure('cannot be removed', staging, () => {
    fs.rmSync(staging, { recursive: true, force: true });
  });
  lock.assertHeld();
  const hint =
    'If you did not create it, build in a folder whose parent only you can write to.';
  explainFailure(
    'cannot be created',
    staging,
    () => fs.mkdirSync(staging, 0o700),
    hint,
  );
  return rememberFolder(staging);
}
