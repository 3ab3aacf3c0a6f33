import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { attempt, isTrusted, readStatus } from '../files.ts';

/**
 * The paths that a build works with. They are next to the published folder, so that
 * every rename stays within one file system.
 */
export interface WorkPaths {
  /** The folder's path as the user entered it, for messages. */
  readonly name: string;
  /** The folder's path with all symlinks resolved. */
  readonly out: string;
  readonly lockFile: string;
  /** The folder for a change that is not complete. */
  readonly staging: string;
  /**
   * The folder with the new site's added and changed files. Once it contains a
   * manifest, the change is committed.
   */
  readonly staged: string;
  /**
   * A file with the SHA-256 of the manifest that the staged manifest replaces. Empty
   * for a first site.
   */
  readonly replacedFile: string;
}

/**
 * Determines the paths for an output folder. Follows symlinks, so that a build
 * changes the linked folder.
 */
export function resolveWorkPaths(name: string): WorkPaths {
  const out = resolveLinks(name, path.resolve(name));
  const parent = path.dirname(out);
  const nextTo = (role: string): string =>
    path.join(parent, `.${path.basename(out)}.gamedata-${role}`);
  const staging = nextTo('staging');
  return {
    name,
    out,
    lockFile: nextTo('lock'),
    staging,
    staged: path.join(staging, 'site'),
    replacedFile: path.join(staging, 'replaced'),
  };
}

/** Returns whether two paths lead to the same folder, which need not exist. */
export const isSameFolder = (one: string, other: string): boolean =>
  resolveWorkPaths(one).out === resolveWorkPaths(other).out;

/**
 * Resolves the symlinks in a path. The path need not exist, because a symlink may
 * point to a folder that has not been built yet. In that case, the parent folder is
 * resolved, and the missing name is appended.
 */
function resolveLinks(name: string, file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ELOOP') {
      throw new OutputError(`is a circular symbolic link (${code})`, name, {
        cause,
      });
    }
    const isRoot = path.dirname(file) === file;
    if (code !== 'ENOENT' || isRoot) return file;
  }
  const parent = resolveLinks(name, path.dirname(file));
  const isLink = readStatus(file)?.isSymbolicLink() === true;
  if (!isLink) return path.join(parent, path.basename(file));
  const target = path.resolve(parent, readlinkSync(file));
  return resolveLinks(name, target);
}

/**
 * Returns whether a change is committed: its staging folder contains a manifest, and
 * the path to it contains no symlinks. Returns false if the folder belongs to
 * another user and cannot be entered. That user's next build completes the change.
 */
export function isCommitted({ staging, staged }: WorkPaths): boolean {
  const isFolder = (file: string): boolean =>
    readStatus(file)?.isDirectory() === true;
  const hasManifest = attempt(() => {
    if (!isFolder(staging) || !isFolder(staged)) return false;
    return readStatus(path.join(staged, MANIFEST_FILE)) !== undefined;
  });
  return hasManifest ?? false;
}

/**
 * Rejects files that belong to other users, because another user could prepare a
 * malicious change in a shared parent folder.
 *
 * @throws OutputError if a file exists but belongs neither to this user nor to the
 * owner of the site's folder
 */
export function assertTrustedOwner(out: string, files: readonly string[]): void {
  for (const file of files) {
    const status = readStatus(file);
    if (!status || isTrusted(out, status)) continue;
    const problem = `belongs to another user (${status.uid}), so it cannot be trusted`;
    const hint =
      'Remove it, and build again in a folder whose parent only you can write to.';
    throw new OutputError(problem, file, { hint });
  }
}
