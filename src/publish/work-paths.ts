import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { attempt, isTrusted, readStatus } from '../files.ts';

/**
 * Where a build works: next to the published folder, so that every rename stays within one file
 * system.
 */
export interface WorkPaths {
  /** The folder as the user typed it, for messages. */
  readonly name: string;
  /** The folder without symlinks. */
  readonly out: string;
  readonly lockFile: string;
  /** The folder of an unfinished change. */
  readonly staging: string;
  /**
   * The files of the new site that differ. As soon as its manifest exists, the change is committed.
   */
  readonly staged: string;
  /** The SHA-256 of the manifest that the staged manifest replaces; empty for a first site. */
  readonly replacedFile: string;
}

/** Follows symlinks, so that a build changes the linked folder. */
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

/** Whether two names lead to the same folder, which need not exist. */
export const isSameFolder = (one: string, other: string): boolean =>
  resolveWorkPaths(one).out === resolveWorkPaths(other).out;

/**
 * Resolves the symlinks of a path that need not exist, because the target of a symlink may not have
 * been built yet. Then its parent folder is resolved, and the missing name is added.
 */
function resolveLinks(name: string, file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ELOOP') {
      throw new OutputError(`is a circular symbolic link (${code})`, name, { cause });
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
 * Whether a change is committed: its staging folder contains a manifest, and no symlink leads
 * there. Returns false if the folder cannot be entered, because only its owner can tell.
 */
export function isCommitted({ staging, staged }: WorkPaths): boolean {
  const isFolder = (file: string): boolean => readStatus(file)?.isDirectory() === true;
  const hasManifest = attempt(() => {
    if (!isFolder(staging) || !isFolder(staged)) return false;
    return readStatus(path.join(staged, MANIFEST_FILE)) !== undefined;
  });
  return hasManifest ?? false;
}

/**
 * Rejects files of other users, who could prepare a change in a shared parent folder.
 *
 * @throws OutputError if a file exists and belongs neither to this user nor to the owner of the
 * site's folder
 */
export function assertTrustedOwner(out: string, files: readonly string[]): void {
  for (const file of files) {
    const status = readStatus(file);
    if (!status || isTrusted(out, status)) continue;
    const problem = `belongs to another user (${status.uid}), so it cannot be trusted`;
    const hint = 'Remove it, and build again in a folder whose parent only you can write to.';
    throw new OutputError(problem, file, { hint });
  }
}
