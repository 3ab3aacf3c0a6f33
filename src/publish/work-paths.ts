import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { isTrusted, readStatus } from '../files.ts';

/** Where a build works: next to the published folder, so that every rename stays within one file system. */
export type WorkPaths = ReturnType<typeof resolveWorkPaths>;

/** Follows symlinks, so that a build changes the linked folder. */
export function resolveWorkPaths(name: string) {
  const out = resolveLinks(name, path.resolve(name));
  const nextTo = (role: string): string =>
    path.join(path.dirname(out), `.${path.basename(out)}.gamedata-${role}`);
  const staging = nextTo('staging');
  return {
    /** The folder as the user typed it, for messages. */
    name,
    /** The folder without symlinks. */
    out,
    lockFile: nextTo('lock'),
    staging,
    /** The files of the new site that differ. With a manifest, the change is committed. */
    staged: path.join(staging, 'site'),
    /** The SHA-256 of the manifest that the staged manifest replaces; empty for a first site. */
    replacedFile: path.join(staging, 'replaced'),
    setAside: nextTo('set-aside'),
    /** Files that version 146d34f may have left behind. The file `record` marked a change as committed. */
    old: {
      staging: nextTo('new'),
      record: nextTo('commit'),
      unused: [nextTo('trash-'), nextTo('received')],
    },
  };
}

function resolveLinks(name: string, file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ELOOP')
      throw new OutputError(`is a circular symbolic link (${code})`, name, { cause });
    if (code !== 'ENOENT' || path.dirname(file) === file) return file;
    // The target of a symlink may not have been built yet.
    const parent = resolveLinks(name, path.dirname(file));
    return readStatus(file)?.isSymbolicLink()
      ? resolveLinks(name, path.resolve(parent, readlinkSync(file)))
      : path.join(parent, path.basename(file));
  }
}

export const isCommitted = ({ staged }: WorkPaths): boolean =>
  existsSync(path.join(staged, MANIFEST_FILE));

/** Rejects files of other users, who could fabricate an interrupted build in a shared parent folder. */
export function assertTrustedOwner(out: string, files: readonly string[]): void {
  for (const file of files) {
    const status = readStatus(file);
    if (status && !isTrusted(out, status))
      throw new OutputError(
        `belongs to another user (${status.uid}), so it cannot be trusted`,
        file,
        {
          hint: 'Remove it, and build again in a folder whose parent only you can write to.',
        },
      );
  }
}
