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
   * @throws OutputError if the path names another folder by now, or the folder has another owner
   */
  assertSame(): void;
}

/**
 * Finds the staging folder of an interrupted build.
 *
 * @throws OutputError if it belongs to another user
 */
export function findStaging({ out, staging }: WorkPaths): StagingFolder | undefined {
  assertTrustedOwner(out, [staging]);
  return readStatus(staging) && rememberFolder(staging);
}

/**
 * Remembers the inode and the owner of a folder, because a path may name another folder a moment
 * later.
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
      throw new OutputError('was removed or replaced during this build', folder, { hint });
    },
  };
}

/** The files that a build stages. The staging folder is created with the first of them. */
export interface Staging extends StagingFolder {
  /** Problems that do not end the build. */
  readonly notices: readonly string[];
  /**
   * Writes a file that does not exist yet.
   *
   * @param file relative to the staging folder
   */
  write(file: string, body: string | Uint8Array): void;
  /** Removes what this build has staged, unless it is committed. */
  discard(): void;
}

/** Prepares to stage files. Nothing is created yet, because most builds change nothing. */
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
      // This fails if the name exists, even if it is a symlink.
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
 * Creates the staging folder, which no other user can enter. First removes an older one of ours:
 * the change in it was discarded, and it stayed only until now, so that every command compared the
 * files by their content. `mkdir` without `recursive` fails if another user has created the name
 * since, so nothing that they prepared there is ever used.
 */
function createStagingFolder({ out, staging, lock }: LockedPaths): StagingFolder {
  assertTrustedOwner(out, [staging]);
  explainFailure('cannot be removed', staging, () => {
    fs.rmSync(staging, { recursive: true, force: true });
  });
  lock.assertHeld();
  const hint = 'If you did not create it, build in a folder whose parent only you can write to.';
  explainFailure('cannot be created', staging, () => fs.mkdirSync(staging, 0o700), hint);
  return rememberFolder(staging);
}
