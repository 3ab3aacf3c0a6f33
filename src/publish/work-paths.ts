/** Where a build works: next to the published folder, so that every rename stays within one file system. */

import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { isTrusted, readStatus } from '../files.ts';

export type WorkPaths = ReturnType<typeof workPathsBeside>;

/** Follows symlinks, so that the folder that they point to is published into. */
export const resolveWorkPaths = (out: string): WorkPaths =>
  workPathsBeside(out, resolveLinks(out, path.resolve(out)));

/** @param out absolute */
export function workPathsBeside(
  name: string,
  out: string,
  { join, dirname, basename }: Pick<typeof path, 'join' | 'dirname' | 'basename'> = path,
) {
  const beside = (role: string): string => join(dirname(out), `.${basename(out)}.gamedata-${role}`);
  const staging = beside('staging');
  return {
    /** The published folder as the user named it. */
    name,
    /** The published folder, absolute. */
    out,
    lock: beside('lock'),
    /** The record of the change: the next two. */
    staging,
    /** The files of the new site that differ. With a manifest, the change is committed. */
    staged: join(staging, 'site'),
    /** The SHA-256 of the manifest that the staged one replaces; empty for a first site. */
    replaced: join(staging, 'replaced'),
    /** Committed changes that no longer fit the site. */
    setAside: beside('set-aside'),
    /** Files of version 146d34f: a change that is committed if its record exists, and prefixes of files that it no longer needs. */
    old: { staging: beside('new'), record: beside('commit'), unused: [beside('trash-'), beside('received')] },
  };
}

function resolveLinks(name: string, file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ELOOP') throw new OutputError(`is a circular symbolic link (${code})`, name, { cause });
    if (code !== 'ENOENT') return file;
    // The target of a symlink may not have been built yet.
    const parent = resolveLinks(name, path.dirname(file));
    return readStatus(file)?.isSymbolicLink()
      ? resolveLinks(name, path.resolve(parent, readlinkSync(file)))
      : path.join(parent, path.basename(file));
  }
}

export const isCommitted = ({ staged }: WorkPaths): boolean => existsSync(path.join(staged, MANIFEST_FILE));

/** Whether a build is moving files into place, or was interrupted and not completed since. */
export const hasPendingChange = (paths: WorkPaths): boolean =>
  isCommitted(paths) || existsSync(paths.setAside) || existsSync(paths.old.record);

/** In a parent folder that others may write to, another user could fabricate the work of a build. */
export function assertTrustedOwner(out: string, files: readonly string[]): void {
  for (const file of files) {
    const status = readStatus(file);
    if (status && !isTrusted(out, status))
      throw new OutputError(`belongs to another user (${status.uid}), and is not used`, file, {
        hint: 'Remove it, and build again in a folder whose parent only you can write to.',
      });
  }
}
