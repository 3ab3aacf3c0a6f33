/** What may be in the way of a change, which is found before anything is certain. */

import { randomUUID } from 'node:crypto';
import { accessSync, constants, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { Entries } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { firstOf } from '../contract/words.ts';
import { errorCode, OutputError } from '../errors.ts';
import { statusOf } from '../files.ts';
import type { Change } from './commit.ts';
import { foldersOf } from './site-paths.ts';
import type { WorkFolders } from './work-folders.ts';

/**
 * Foreign files stay where they are, and are never lost.
 *
 * @throws OutputError if a new file would take the place of a foreign one, or a folder cannot be changed
 */
export function refuseObstacles(
  work: WorkFolders,
  published: Entries,
  { place, remove }: Pick<Change, 'place' | 'remove'>,
): void {
  const folders = foldersOf(remove);
  const isOwn = (file: string): boolean => published.has(file) || file === MANIFEST_FILE;
  const foreign = place.flatMap((file) => foreignAt(work.out, file, { isOwn, folders }));
  if (foreign.length > 0)
    throw new OutputError(`contains files that gamedata did not write: ${firstOf(foreign, 5)}`, work.name, {
      hint: 'Move them elsewhere, or into public/ to make them part of the site.',
    });
  const removed = new Set(remove);
  for (const folder of foldersOf([...place, ...remove])) if (!removed.has(folder)) checkFolder(work, folder);
}

/** What is in the place of a new file, except files that are replaced, and folders that are empty when others are removed. */
function foreignAt(
  out: string,
  name: string,
  own: { isOwn: (file: string) => boolean; folders: ReadonlySet<string> },
): string[] {
  const stat = statusOf(path.join(out, name));
  if (!stat?.isDirectory()) return !stat || own.isOwn(name) ? [] : [name];
  if (!own.folders.has(name)) return [`${name}/`];
  return readdirSync(path.join(out, name)).flatMap((inside) => foreignAt(out, `${name}/${inside}`, own));
}

/** Throws if files cannot be renamed into a folder. It may be missing, unless it is that of the site. */
function checkFolder({ name, out, trash }: WorkFolders, inside: string): void {
  const folder = path.join(out, inside);
  const shown = path.join(name, inside);
  const stat = statusOf(folder);
  if (!stat && inside !== '.') return;
  if (stat?.isDirectory() === false) throw new OutputError('is not a folder any more', shown);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new OutputError(`cannot be written (${errorCode(cause)})`, shown, { cause });
  }
  try {
    // There is no such file. What the system says first is whether the folder is on another file system.
    renameSync(trash + randomUUID(), path.join(folder, randomUUID()));
  } catch (cause) {
    if (errorCode(cause) === 'EXDEV')
      throw new OutputError(`cannot be replaced (EXDEV)`, shown, {
        cause,
        hint: 'Its parent folder must be writable, and the folder itself must not be a mount point.',
      });
  }
}
