import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Entries } from '../contract/meta.ts';
import { listFirst } from '../contract/words.ts';
import { GamedataError } from '../errors.ts';
import { explainFailure, listParentFolders, readStatus } from '../files.ts';

/**
 * What publishing does to the files in a site's folder. The manifest is always replaced
 * as well.
 */
export interface Change {
  /** The paths of new files. */
  readonly added: readonly string[];
  /** The paths of published files that are overwritten. */
  readonly replaced: readonly string[];
  /** The paths of published files that are not part of the next site. */
  readonly removed: readonly string[];
}

/**
 * Determines which changes turn the published site into the next one. A staged file
 * either is new or replaces a published one. A published file that the next site does
 * not list is removed.
 *
 * This also works for a build that was killed while it moved files: a file that it has
 * moved is no longer staged, so it is not moved again. A file that it has removed is
 * removed again, which does nothing.
 *
 * @param stagedPaths the paths of the files that are staged and have yet to be moved
 */
export function compareSites(
  published: Entries,
  next: Entries,
  stagedPaths: readonly string[],
): Change {
  const added: string[] = [];
  const replaced: string[] = [];
  for (const file of stagedPaths) {
    if (published.has(file)) replaced.push(file);
    else added.push(file);
  }
  const removed = [...published.keys()].filter((file) => !next.has(file));
  return { added, replaced, removed };
}

/** The outermost parent path of a file that is not a real folder. */
export interface Gap {
  readonly path: string;
  /** Whether nothing is there. Otherwise, it is a symlink or another file. */
  readonly isMissing: boolean;
}

/**
 * Returns a function that finds the gap on the way to a file: the first of its parent
 * folders that is missing, or is not a real folder. The function returns undefined if
 * there is no gap. It remembers the result for each folder, because thousands of files
 * share the same folders.
 */
export function createGapFinder(folder: string): (file: string) => Gap | undefined {
  const gaps = new Map<string, Gap | undefined>();

  function findGap(file: string): Gap | undefined {
    const parent = path.posix.dirname(file);
    // The site's folder itself may be a symlink that the operator made, so it is not
    // checked.
    if (parent === '.') return undefined;
    // The outer folders are checked first, because the first gap is the outermost one.
    if (!gaps.has(parent)) gaps.set(parent, findGap(parent) ?? checkFolder(parent));
    return gaps.get(parent);
  }

  function checkFolder(subfolder: string): Gap | undefined {
    const status = readStatus(path.join(folder, subfolder));
    if (status?.isDirectory()) return undefined;
    return { path: subfolder, isMissing: status === undefined };
  }

  return findGap;
}

/**
 * Lists what a change would overwrite or follow: whatever is in place of a new file, a
 * folder in place of a published file, and symlinks or files in place of a folder. Most
 * of them are the operator's files. A symlink could lead out of the site.
 */
function listObstacles(folder: string, { added, replaced }: Change): string[] {
  const findGap = createGapFinder(folder);
  const publishedFiles = new Set(replaced);
  const obstacles = new Set<string>();
  for (const file of [...added, ...replaced]) {
    const gap = findGap(file);
    if (gap) {
      // A missing folder contains no obstacles.
      if (!gap.isMissing) obstacles.add(gap.path);
      continue;
    }
    const status = readStatus(path.join(folder, file));
    const isOurs = publishedFiles.has(file) && !status?.isDirectory();
    if (status && !isOurs) obstacles.add(file);
  }
  return [...obstacles];
}

/**
 * Checks that a change writes only gamedata's own files inside the folder.
 *
 * A build checks this before it commits the change, and again before it moves files,
 * because an operator may have added a file or a symlink meanwhile.
 *
 * @throws GamedataError
 */
export function assertNothingInTheWay(folder: string, change: Change): void {
  const obstacles = listObstacles(folder, change);
  if (obstacles.length === 0) return;
  const problem = `contains files in the way of the new site: ${listFirst(obstacles, 5)}`;
  const hint =
    'If they are yours, move them elsewhere, or into public/ to make them part of the site. Otherwise, delete them.';
  throw new GamedataError('output', `${folder}: ${problem}`, { hint });
}

/**
 * Checks that this user may change every folder in which files are moved or removed. A
 * build checks this before it commits the change. Otherwise, a site that another user
 * has built could be replaced only in part.
 *
 * @throws GamedataError
 */
export function assertWritable(folder: string, change: Change): void {
  const { added, replaced, removed } = change;
  for (const parent of listParentFolders([...added, ...replaced, ...removed])) {
    const subfolder = path.join(folder, parent);
    if (!readStatus(subfolder)?.isDirectory()) continue;
    explainFailure('cannot be changed', subfolder, () =>
      accessSync(subfolder, constants.W_OK),
    );
  }
}
